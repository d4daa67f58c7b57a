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

/// - Parameter minute: no two rooms are of the same time.
private func join(
    _ room: RoomName, _ user: UserName, at minute: Int, using random: inout SplitMix64
) -> RoomOperation {
    let id = MessageID(high: random.next(), low: random.next())
    let time = 1_700_000_000_000 + Milliseconds(minute * 60_000)
    let operation = Operation(command: id, author: user, role: .read, time: time, action: .join)
    return RoomOperation(room: room, operation: operation)
}
