import ChatRoom
import ChatWire
import RoomStore
import SQLiteStore
import TestSupport

private let room = RoomName("room-0")!

func fill(_ path: String, messages: Int) throws {
    let store = try openStore(path)
    var random = SplitMix64(seed: 3)
    for _ in 0..<(messages / 100) {
        _ = try store.commit((0..<100).map { _ in send(to: room, using: &random) })
    }
}

func join(_ path: String, times: Int) throws {
    let store = try openStore(path)
    try report(times) { try store.read(room, tail: 50, since: nil, atMost: 0).tail.count == 50 }
}

/// Measures the opening of a room for one person, and beside it with the standings of all.
func open(_ path: String, times: Int) throws {
    let store = try openStore(path)
    let scopes: [StandingScope] = [.upTo(RoomState.fewStandings, or: [UserName("muted-7")!]), .all]
    for scope in scopes {
        try report(times) {
            let reading = try store.read(room, tail: 50, since: nil, atMost: 0, standings: scope)
            return reading.rules.standing(of: UserName("muted-7")!) != Standing()
        }
    }
}

/// Measures resumes after edits of three old messages.
func resume(_ path: String, times: Int) throws {
    let store = try openStore(path)
    let before = try store.read(room, tail: 0, since: nil, atMost: 0).revision
    let old = try store.page(room, .before(before / 2), limit: 3)?.rows ?? []
    for row in old {
        let edit = Operation(
            command: .random(), author: author, role: .write, time: 1,
            action: .edit(row.id, "edited at \(before)"))
        _ = try store.commit([RoomOperation(room: room, operation: edit)])
    }
    try report(times) {
        guard case .all(let changes) = try store.read(room, tail: 50, since: before, atMost: 500).changes else {
            return false
        }
        return changes.count == 3
    }
}

/// Measures one's rooms: this room and 99 empty ones, of which this one has so many unread messages.
func memberships(_ path: String, unread: Int, times: Int) throws {
    let store = try openStore(path)
    let user = UserName("member-\(unread)")!
    let rooms = [room] + (1..<100).map { RoomName("room-\($0)")! }
    _ = try store.commit(
        rooms.map { room in
            let join = Operation(command: .random(), author: user, role: .read, time: 1, action: .join)
            return RoomOperation(room: room, operation: join)
        })
    var random = SplitMix64(seed: UInt64(unread))
    _ = try store.commit((0..<unread).map { _ in send(to: room, using: &random) })
    try report(times) {
        let readings = try store.memberships(of: user)
        return readings.count == rooms.count && readings.first?.unread == unread
    }
}

/// Measures the reading of a list of members: the first 200 people by name and 50 by their names, of so many.
func list(_ path: String, members: Int, times: Int) throws {
    let store = try openStore(path)
    let names = (0..<50).map { UserName("member-\(members - 1 - $0)")! }
    try report(times) {
        let reading = try store.members(MembersQuery(names: names, first: 200), of: room)
        return reading.counts.members == members && reading.people.count >= min(members, 200)
    }
}

private func report(_ times: Int, _ read: () throws -> Bool) throws {
    let right = try read()
    precondition(right, "read something else")
    let took = try (0..<times).map { _ in try time { _ = try read() } * 1e6 }.sorted()
    print(Int(took[times / 2]))
}
