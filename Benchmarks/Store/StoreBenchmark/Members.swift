import ChatRoom
import ChatWire
import RoomStore
import SQLiteStore
import TestSupport

/// Makes so many rooms of one message each, of which the same people, "member-0" and so on, are members.
func populate(_ path: String, rooms: Int, members: Int) throws {
    let store = try openStore(path)
    var random = SplitMix64(seed: 5)
    for number in 0..<rooms {
        let room = RoomName("room-\(number)")!
        _ = try store.commit([send(to: room, using: &random)])
        for first in stride(from: 0, to: members, by: 1_000) {
            let people = first..<min(first + 1_000, members)
            _ = try store.commit(people.map { join(room, UserName("member-\($0)")!, at: number, using: &random) })
        }
    }
}

/// Makes a room in which so many people are muted.
func mute(_ path: String, people: Int) throws {
    let store = try openStore(path)
    var random = SplitMix64(seed: 7)
    let room = RoomName("room-0")!
    _ = try store.commit((0..<100).map { _ in send(to: room, using: &random) })
    for number in 0..<people {
        let mute = Moderation.mute(UserName("muted-\(number)")!, for: 365 * 86_400_000)
        let id = MessageID(high: random.next(), low: random.next())
        let operation = Operation(
            command: id, author: author, role: .own, time: 1_700_000_000_000, action: .moderate(mute))
        _ = try store.commit([RoomOperation(room: room, operation: operation)])
    }
}

/// - Parameter minute: no two rooms are of the same time.
private func join(
    _ room: RoomName, _ user: UserName, at minute: Int, using random: inout SplitMix64
) -> RoomOperation {
    let id = MessageID(high: random.next(), low: random.next())
    let time = 1_700_000_000_000 + Milliseconds(minute * 60_000)
    let operation = Operation(command: id, author: user, role: .read, time: time, action: .join)
    return RoomOperation(room: room, operation: operation)
}
