import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

/// What `diffroomd check` says of memberships.
struct CheckTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    private func problems() throws -> [String] {
        var problems: [String] = []
        _ = try StoreCheck.check(path) { problems.append($0) }
        return problems
    }

    @Test(arguments: UInt64(0)..<50)
    func afterAnyHistoryAllIsWell(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try SQLiteStore(path: path)

        for round in 0..<8 as Range<Int64> {
            let batch = UnreadTests.batch(round: Int(round), using: &random).map { $0.later(by: round * Retention.day) }
            _ = try store.commit(batch)
            let rule = Retention.Rule(messages: Int.random(in: 2...9, using: &random))
            let retention = Retention(rule, resumeTime: Int64.random(in: 1...3, using: &random) * Retention.day)
            if Bool.random(using: &random) { try store.trim(retention, at: round * Retention.day + 2_000) }
        }

        #expect(try problems() == [])
    }

    @Test(arguments: [
        ("UPDATE messages SET ordinal = ordinal + 1 WHERE sort = 3", "row 3 is number 3"),
        ("UPDATE rooms SET inserted = inserted + 1", "which is not what was deleted"),
        ("DELETE FROM deleted", "which is not what was deleted"),
        ("INSERT INTO deleted VALUES(1, 3)", "which is not what was deleted"),
        ("UPDATE memberships SET read = 99", "bob joined at 1 and has read 99"),
        ("UPDATE memberships SET joined = 9", "bob joined at 9 and has read 1"),
        ("INSERT INTO standings VALUES(1, 'bob', 0, 0, 1, 0)", "bob joined at 1"),
    ])
    func whatContradictsItselfIsFound(change: String, problem: String) throws {
        do {
            let store = try SQLiteStore(path: path)
            _ = try store.commit(
                [.act(1, .join, by: Someone.bob), .send(2), .send(3), .send(4), .send(5), .delete(6, 4)])
            try store.trim(Retention(.everything), at: 8 * Retention.day)
            #expect(try store.memberships(of: Someone.bob).map(\.unread) == [3])
        }
        #expect(try problems() == [])

        try Connection.open(path).execute(change)

        #expect(try problems().contains { $0.contains(problem) })
    }
}
