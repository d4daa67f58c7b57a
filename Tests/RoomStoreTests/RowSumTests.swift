import ChatRoom
import ChatWire
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

    @Test(arguments: [
        "UPDATE messages SET text = 'another'", "UPDATE messages SET ordinal = 7", "UPDATE messages SET sum = 0",
        "UPDATE rooms SET title = 'another'", "UPDATE rooms SET sum = 0",
    ])
    func aRowWithAWrongSumIsDamageUntilItIsRepairedFromTheOperations(damage: String) throws {
        try fill()
        let written = try texts()
        try change(damage)

        let error = #expect(throws: RoomStoreError.self) { try texts() }

        guard case .damagedRoom(lobby, let why)? = error else {
            Issue.record("\(error.debugDescription)")
            return
        }
        #expect(why.contains("a row's checksum is wrong"))
        #expect(try StoreCheck.repair(path) { _ in }.remaining == 0)
        #expect(try texts() == written)
        #expect(try StoreCheck.check(path) { _ in } == 0)
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
