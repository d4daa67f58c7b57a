import ChatWire
import TestSupport
import Tokens

/// The private and the direct room of one schedule, and one of each kind that nobody ever creates.
struct ClosedRooms {
    /// The command that creates the private room, and the person who gives it.
    let creation: CommandID
    let founder: UserName
    /// The people of the direct room.
    let pair: [UserName]
    let rooms: [RoomName]
    let nowhere: [RoomName]
    /// What strangers were answered, by what they asked, whether the room was there or not.
    private var answers: [String: String] = [:]

    init(for people: [UserName], using random: inout SplitMix64) {
        let people = Set(people).sorted().shuffled(using: &random)
        creation = .random(using: &random)
        founder = people[0]
        pair = [founder, people[1]].shuffled(using: &random)
        rooms = [RoomName(privateRoomOf: creation), RoomName(directRoomOf: pair)]
        nowhere = [RoomName(privateRoomOf: .random(using: &random)), RoomName(directRoomOf: .random(using: &random))]
    }

    /// Notes the answer to a stranger, without the room's name.
    ///
    /// - Returns: the first such answer, if it was another one.
    mutating func note(_ answer: String, to question: String) -> String? {
        guard let first = answers[question] else {
            answers[question] = answer
            return nil
        }
        return first == answer ? nil : first
    }
}
