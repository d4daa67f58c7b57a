import ChatRoom
import ChatWire
import Foundation
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

/// A file that another program has written into.
struct DamageTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    private func fill() throws {
        let store = try SQLiteStore(path: path)
        for batch in 0..<10 as Range<UInt64> {
            _ = try store.commit((0..<30).map { .send(batch * 100 + $0, String(repeating: "x", count: 300)) })
        }
    }

    /// Uses the data as a server does; the first error ends it.
    private func use() throws(RoomStoreError) {
        let store = try SQLiteStore(path: path)
        _ = try store.read(lobby, tail: 1_000, since: 0, atMost: 1_000)
        _ = try store.page(lobby, .before(.max), limit: 1_000)
        _ = try store.operations(lobby, since: 0, limit: 1_000)
        _ = try store.commit([.send(5_000), .edit(5_001, 3, "bye"), .delete(5_002, 203), .send(3)])
    }

    @Test func aBatchThatFailsHalfwayLeavesNothingAndTheStoreGoesOn() throws {
        let store = try SQLiteStore(path: path)
        _ = try store.commit([.send(1)])
        // The delete at revision 3 will find its row's place taken.
        try Connection.open(path).execute("INSERT INTO tombstones SELECT id, 3, x'00', 1, 0 FROM rooms")

        let error = #expect(throws: RoomStoreError.self) { try store.commit([.send(2), .delete(3, 1)]) }

        guard case .damagedRoom(lobby, _)? = error else {
            Issue.record("\(error.debugDescription)")
            return
        }
        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).tail.map(\.sort) == [1])
        #expect(try store.commit([.send(2)]).map(\.revision) == [2])
    }

    @Test func moreDeletionsThanRowsAreDamage() throws {
        let store = try SQLiteStore(path: path)
        _ = try store.commit([.send(1), .send(2)])
        try change(path, by: "UPDATE rooms SET count = 1")

        #expect(try store.commit([.delete(3, 1)]).map(\.revision) == [3])
        let error = #expect(throws: RoomStoreError.self) { try store.commit([.delete(4, 2)]) }

        guard case .damagedRoom(lobby, _)? = error else {
            Issue.record("\(error.debugDescription)")
            return
        }
    }

    @Test func aFileThatWasCutShortIsDamaged() throws {
        try fill()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.truncate(atOffset: file.seekToEnd() / 2)

        let error = #expect(throws: RoomStoreError.self) { try use() }

        #expect(error?.isDamaged == true)
        #expect(error?.description.hasPrefix("\(path) is damaged (") == true)
    }

    @Test func pagesOfNoiseAreDamage() throws {
        try fill()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let end = try file.seekToEnd()
        try file.seek(toOffset: 8_192)
        try file.write(contentsOf: Data(repeating: 0xA5, count: Int(end) - 8_192))

        #expect(#expect(throws: RoomStoreError.self) { try use() }?.isDamaged == true)
    }

    /// Any contents of the file lead to an answer or an error, and to no crash.
    @Test(arguments: UInt64(0)..<60)
    func garbledBytesAreNeverMoreThanAnError(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        try fill()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let end = try file.seekToEnd()
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            try file.seek(toOffset: UInt64.random(in: 0..<end, using: &random))
            let length = Int.random(in: 1...40, using: &random)
            try file.write(contentsOf: Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }))
        }
        try file.close()

        let result = Result { () throws(RoomStoreError) in try use() }

        #expect(result.isAnswerOrDamage, "\(result)")
    }
}

extension Result<Void, RoomStoreError> {
    /// An invalid header means the file of another program, and so does an unknown format.
    fileprivate var isAnswerOrDamage: Bool {
        switch self {
        case .success, .failure(.damaged), .failure(.damagedRoom), .failure(.notAStore), .failure(.newer),
            .failure(.unavailable):
            true
        case .failure(.ahead), .failure(.full), .failure(.readOnly), .failure(.inUse), .failure(.misplaced): false
        }
    }
}

/// Changes a file's rows as a fault of this program would, which leaves right checksums.
func change(_ path: String, by sql: String) throws(RoomStoreError) {
    let connection = try Connection.open(path)
    try connection.execute(sql)
    for sums in RowSums.allCases { try connection.execute("UPDATE \(sums.table) SET sum = \(sums.right)") }
}
