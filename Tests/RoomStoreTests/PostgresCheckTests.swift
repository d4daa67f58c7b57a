import ChatRoom
import ChatWire
import RoomStore
import StoreEngine
import TestSupport
import Testing

@testable import PostgresStore

/// `diffroomd check` of a database.
struct PostgresCheckTests {
    private func problems(at address: PostgresAddress) throws -> [String] {
        var problems: [String] = []
        _ = try PostgresStore.check(at: address) { problems.append($0) }
        return problems
    }

    private func execute(_ sql: String, at address: PostgresAddress) throws {
        try Connection.open(address, seeing: History()).run([.run(sql)])
    }

    @Test(arguments: UInt64(0)..<8)
    func afterAnyHistoryOfAllKindsOfRoomsAllIsWell(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)

        try CheckHistory.fill(store, days: 6, using: &random)

        let found = try problems(at: address)
        #expect(found == [])
    }

    /// All damages at once, in a database where nothing was forgotten.
    @Test func whatIsDamagedIsFoundAndPutRight() throws {
        let address = try PostgresAddress.unused()
        let before: [UserName: MembershipReading]
        let rows: [Message]
        do {
            let store = try PostgresStore(address)
            var random = SplitMix64(seed: 3)
            _ = try store.commit(CheckHistory.creation)
            for round in 0..<6 { _ = try store.commit(inOrder: CheckHistory.day(round, using: &random)) }
            #expect(try problems(at: address) == [])
            before = try store.memberships(of: CheckHistory.people, in: CheckHistory.secret)
            rows = try store.read(lobby, tail: 999, since: nil, atMost: 0).tail
            #expect(throws: RoomStoreError.self) {
                var report = RepairReport()
                try PostgresStore.repair(at: address, into: &report) { _ in }
            }
        }
        try execute("DELETE FROM servers", at: address)
        for damage in Self.damages { try execute(damage, at: address) }

        let found = try problems(at: address)
        var report = RepairReport()
        var lines: [String] = []
        try PostgresStore.repair(at: address, into: &report) { lines.append($0) }

        #expect(found.count > Self.damages.count, "\(found)")
        #expect(report.remaining == 0, "\(lines)")
        #expect(try problems(at: address) == [])
        let store = try PostgresStore(address)
        let after = try store.memberships(of: CheckHistory.people, in: CheckHistory.secret)
        #expect(after.mapValues(\.joined) == before.mapValues(\.joined))
        #expect(after.mapValues(\.settings) == before.mapValues(\.settings))
        #expect(after.mapValues(\.standing) == before.mapValues(\.standing))
        #expect(try store.read(lobby, tail: 999, since: nil, atMost: 0).tail == rows)
    }

    private static let damages = [
        "UPDATE rooms SET count = count + 1, inserted = inserted + 3, topic = 'another', slow = 7 - slow",
        "UPDATE messages SET text = 'another', reactions = NULL, edited = 5",
        "DELETE FROM mentions", "DELETE FROM standings WHERE person = 'bob'", "DELETE FROM tombstones",
        "UPDATE memberships SET joined = 0, read = 0, inviter = 'ann', pinned = 0, silenced = 0, archived = 0, marked = 0",
        "INSERT INTO last_sends SELECT id, 'eve', 5 FROM rooms",
    ]
}
