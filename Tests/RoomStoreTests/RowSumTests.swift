import ChatRoom
import ChatWire
import Locking
import RoomStore
import Testing

import struct TestSupport.SplitMix64
import class TestSupport.TemporaryFolder

@testable import SQLiteStore

/// The checksums of a file's rows.
struct RowSumTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    private func wrong() throws -> [String] {
        let connection = try Connection.open(path)
        return try RowSums.allCases.filter {
            try connection.number("SELECT count(*) FROM \($0.table) WHERE sum <> \($0.right)") > 0
        }.map(\.table)
    }

    private func fill() throws {
        let store = try SQLiteStore(path: path)
        _ = try store.commit([
            .act(1, .join, by: Someone.bob), .send(2, "a text"), .send(3), .edit(4, 3, "an edit"), .send(5),
            .delete(6, 5),
        ])
    }

    private func change(_ sql: String) throws { try Connection.open(path).execute(sql) }

    private func texts() throws -> [String] {
        try SQLiteStore(path: path).read(lobby, tail: 9, since: nil, atMost: 0).tail.map(\.text)
    }

    @Test(arguments: UInt64(0)..<10)
    func everyRowThatIsWrittenHasTheSumOfItsValues(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        do {
            let store = try SQLiteStore(path: path)
            try CheckHistory.fill(store, using: &random)
            let profile = Profile(name: DisplayName("Bob"), picture: nil)
            _ = try store.write([ProfileChange(user: Someone.bob, profile: profile, source: .operator(1))])
        }

        #expect(try wrong() == [])
    }

    private static let damages = [
        "UPDATE messages SET text = 'another'", "UPDATE messages SET ordinal = 7", "UPDATE messages SET sum = 0",
        "UPDATE messages SET author = 'bob', reactions = x'00'", "UPDATE rooms SET title = 'another'",
        "UPDATE rooms SET sum = 0", "UPDATE rooms SET start = 4, revision = 99",
        "UPDATE tombstones SET sort = 3", "UPDATE standings SET muted = 1 << 50", "DELETE FROM messages WHERE sort = 3",
    ]

    private func fillWithAll() throws {
        try fill()
        let store = try SQLiteStore(path: path)
        let mute = Moderation.mute(Someone.bob, for: 60_000)
        let acts: [RoomOperation] = [.react(7, 3, "👍"), .act(8, .moderate(mute), by: Someone.ann, as: .own)]
        #expect(try store.commit(acts).map(\.revision) == [7, 8])
    }

    private struct Whole: Equatable {
        let reading: RoomReading
        let members: [UserName]
    }

    private func whole(_ store: SQLiteStore) throws -> Whole {
        Whole(
            reading: try store.read(lobby, tail: 9, since: 1, atMost: 9),
            members: try store.members(of: lobby, after: nil, limit: 9).map(\.user))
    }

    /// The rows are made again from the operations, while the room is served.
    @Test(arguments: damages)
    func aDamagedRowIsRepairedFromTheOperationsWhenItIsRead(damage: String) throws {
        try fillWithAll()
        let (epoch, written) = try { () throws in
            let store = try SQLiteStore(path: path)
            return (store.epoch, try whole(store))
        }()
        try change(damage)
        let notices = Guarded<[String]>([])
        do {
            let store = try SQLiteStore(path: path) { notice in notices.withLock { $0.append(notice) } }

            #expect(try whole(store) == written)
            #expect(try store.commit([.send(20)]).map(\.revision) == [written.reading.revision + 1])
            #expect(store.epoch == epoch && store.faults > 0)
        }

        #expect(try wrong() == [])
        #expect(try StoreCheck.check(path) { _ in } == 0)
        #expect(try SQLiteStore(path: path).epoch == epoch)
        let lines = notices.withLock { $0 }
        let areRepairs = lines.allSatisfy { $0.contains("room lobby is damaged, and was repaired") }
        #expect(!lines.isEmpty && areRepairs, "\(lines)")
    }

    /// A commit cannot tell a row that is missing from one that never was; a read can.
    @Test(arguments: damages.filter { !$0.hasPrefix("DELETE") })
    func aCommitRepairsADamagedRow(damage: String) throws {
        try fillWithAll()
        try change(damage)
        let store = try SQLiteStore(path: path)

        let acts: [RoomOperation] = [.edit(21, 3, "again"), .send(22, "by bob"), .delete(23, 2)]
        #expect(try store.commit(acts).map(\.revision) == [9, 10, 11])

        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).tail.map(\.text) == ["again", "by bob"])
    }

    /// An operation whose checksum is wrong says what a disk made of it.
    @Test func nothingIsRepairedFromADamagedOperation() throws {
        try fill()
        try change("UPDATE operations SET text = 'another' WHERE revision = 4")
        try change("UPDATE messages SET text = 'another' WHERE sort = 3")
        let store = try SQLiteStore(path: path)

        _ = try? store.read(lobby, tail: 9, since: nil, atMost: 0)

        #expect(try wrong() == ["messages", "operations"])
    }

    @Test func aReadMarkGivesADamagedRowNoRightSum() throws {
        try fill()
        try change("UPDATE memberships SET archived = 1")
        do {
            let store = try SQLiteStore(path: path)
            _ = try store.commit([], marking: [ReadMark(room: lobby, user: Someone.bob, revision: 3)])
        }

        #expect(try wrong() == ["memberships"])
        #expect(try SQLiteStore(path: path).memberships(of: Someone.bob).isEmpty)
    }

    @Test func anOperationWithAWrongSumIsNotReturned() throws {
        try fill()
        try change("UPDATE operations SET text = 'another' WHERE revision = 2")

        #expect(throws: RoomStoreError.self) {
            try SQLiteStore(path: path).operations(lobby, since: 0, limit: 9)
        }
        #expect(try StoreCheck.check(path) { _ in } > 0)
    }

    @Test func rowsOfAnEarlierFormatAreReadWithoutSumsAndARepairGivesThemSome() throws {
        try fill()
        let written = try texts()
        for sums in RowSums.allCases { try change("UPDATE \(sums.table) SET sum = 0") }
        try change("UPDATE store SET summed = 0")

        #expect(try texts() == written)
        #expect(try StoreCheck.check(path) { _ in } == 0)
        _ = try StoreCheck.repair(path) { _ in }

        #expect(try wrong() == [])
        #expect(try Connection.open(path).number("SELECT summed FROM store") == 1)
        #expect(try texts() == written)
    }
}
