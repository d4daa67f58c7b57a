import ChatRoom
import ChatWire
import Foundation
import Locking
import RoomStore
import Testing

import class TestSupport.TemporaryFolder

@testable import SQLiteStore

/// A revision is never assigned twice: where an acknowledged commit is missing, a new epoch begins, and the operator is
/// told.
struct LostHistoryTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    /// The possible fates of a killed server's files.
    enum Loss: String, CaseIterable, Sendable {
        case logRemoved, logEmptied, logCutShort, logHeaderChanged, logByteChanged, logPutBack, copyOfTheFile, olderCopy
        case anotherHistory
    }

    enum Harmless: String, CaseIterable, Sendable {
        case nothing, openedByAnotherProgram, backupTaken, allFilesMoved
    }

    /// Returns the epoch.
    private func serve(_ seed: Int = 1, until count: Int = 60) throws -> String {
        let fixture = try Fixture("commit", path, "\(seed)")
        for _ in 0..<count { _ = try #require(fixture.line()) }
        fixture.kill()
        _ = fixture.lines()
        return try epochInTheFile()
    }

    private func epochInTheFile() throws -> String {
        let copy = folder.file("look-\(UUID()).db")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return try Connection.open(copy).epoch().description
    }

    private func change(_ name: String, _ body: (FileHandle, UInt64) throws -> Void) throws {
        let file = try FileHandle(forUpdating: URL(filePath: name))
        try body(file, try file.seekToEnd())
        try file.close()
    }

    private func copyAll(to name: String) throws {
        for suffix in ["", "-wal", ".control"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.file(name) + suffix)
        }
    }

    private func inflict(_ loss: Loss) throws {
        let log = path + "-wal"
        switch loss {
        case .logRemoved: try FileManager.default.removeItem(atPath: log)
        case .logEmptied: try change(log) { file, _ in try file.truncate(atOffset: 0) }
        case .logCutShort: try change(log) { file, end in try file.truncate(atOffset: end / 2) }
        case .logHeaderChanged: try flip(log, at: 17)
        case .logByteChanged: try flip(log, at: 32 + 4_120 * 20 + 1_000)
        case .logPutBack:
            try copyAll(to: "before.db")
            _ = try serve(2)
            try FileManager.default.removeItem(atPath: log)
            try FileManager.default.copyItem(atPath: folder.file("before.db-wal"), toPath: log)
        case .copyOfTheFile:
            try FileManager.default.removeItem(atPath: log)
            try FileManager.default.removeItem(atPath: path + ".control")
        case .olderCopy:
            do { _ = try SQLiteStore(path: path) }
            try FileManager.default.copyItem(atPath: path, toPath: folder.file("before.db"))
            _ = try serve(2)
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
            try FileManager.default.copyItem(atPath: folder.file("before.db"), toPath: path)
        case .anotherHistory:
            try copyAll(to: "before.db")
            try FileManager.default.removeItem(atPath: folder.file("before.db.control"))
            _ = try serve(2)
            for suffix in ["", "-wal"] {
                try FileManager.default.removeItem(atPath: path + suffix)
                try FileManager.default.copyItem(atPath: folder.file("before.db") + suffix, toPath: path + suffix)
            }
        }
    }

    private func flip(_ name: String, at offset: UInt64) throws {
        try change(name) { file, end in
            try file.seek(toOffset: min(offset, end - 1))
            let byte = try file.read(upToCount: 1)?.first ?? 0
            try file.seek(toOffset: min(offset, end - 1))
            try file.write(contentsOf: Data([byte ^ 0x10]))
        }
    }

    @Test(arguments: Loss.allCases)
    func whatIsMissingEndsTheEpochAndIsTold(loss: Loss) throws {
        let epoch = try serve()
        try inflict(loss)
        let reports = Guarded<[String]>([])

        let next = try SQLiteStore(path: path) { text in reports.withLock { $0.append(text) } }.epoch

        #expect(next.description != epoch)
        #expect(reports.withLock { $0.contains { $0.contains("a new epoch begins") } })
        // The new epoch stays: a loss is detected once.
        #expect(try SQLiteStore(path: path).epoch == next)
    }

    @Test(arguments: Harmless.allCases)
    func aKilledServersDataKeepsItsEpoch(event: Harmless) throws {
        let epoch = try serve()
        var path = path
        switch event {
        case .nothing: break
        // The last connection to close copies the log and removes it.
        case .openedByAnotherProgram: try Connection.open(path).execute("SELECT count(*) FROM rooms")
        case .backupTaken: _ = try StoreCopy.backup(of: path, to: folder.file("backup.db"))
        case .allFilesMoved:
            try copyAll(to: "moved.db")
            path = folder.file("moved.db")
        }
        let reports = Guarded<[String]>([])

        let store = try SQLiteStore(path: path) { text in reports.withLock { $0.append(text) } }

        #expect(store.epoch.description == epoch)
        #expect(reports.withLock { $0 } == [])
    }

    /// Whoever was killed may have left a file that is damaged where nobody looks at the start.
    @Test func damagedPagesOfAKilledServersFileAreTold() throws {
        let epoch = try serve()
        let root: Int64
        do {
            // It closes the file last, and copies the log into it.
            let connection = try Connection.open(path)
            root = try connection.number("SELECT rootpage FROM sqlite_schema WHERE name = 'operations'")
        }
        try change(path) { file, _ in
            try file.seek(toOffset: UInt64(root - 1) * 4_096)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        }
        let reports = Guarded<[String]>([])

        let store = try SQLiteStore(path: path) { text in reports.withLock { $0.append(text) } }

        #expect(reports.withLock(\.count) == 1)
        #expect(reports.withLock { $0.first?.contains("the file is damaged (") } == true)
        #expect(store.epoch.description == epoch)
    }

    @Test func whatIsNotedIsReadAgainOnlyWhole() throws {
        var record = ControlRecord()
        (record.session, record.next, record.room, record.revision) = (1, .max, -5, 1 << 52)
        record.copying = .underWay
        #expect(ControlRecord(bytes: record.bytes) == record)

        for place in record.bytes.indices {
            var bytes = record.bytes
            bytes[place] ^= 1
            #expect(ControlRecord(bytes: bytes) == nil)
            #expect(ControlRecord(bytes: record.bytes.prefix(place)) == nil)
        }
    }

    // MARK: - A clean end

    @Test func aClosedStoreIsItsFileAlone() throws {
        let store = try SQLiteStore(path: path)
        _ = try store.commit((1...50).map { .send($0) })
        let before = try store.read(lobby, tail: 99, since: nil, atMost: 0)

        try store.close()

        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(throws: RoomStoreError.self) { try store.commit([.send(60)]) }
        #expect(throws: RoomStoreError.self) { try store.read(lobby, tail: 9, since: nil, atMost: 0) }
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("copy.db"))
        let copy = try SQLiteStore(path: folder.file("copy.db"))
        #expect(copy.epoch == store.epoch)
        #expect(try copy.read(lobby, tail: 99, since: nil, atMost: 0) == before)
    }

    @Test func aStoreThatSomebodyReadsKeepsItsLogAndSaysSo() throws {
        let reader = try Connection.open(path)
        let epoch: Epoch
        do {
            let store = try SQLiteStore(path: path)
            epoch = store.epoch
            _ = try store.commit([.send(1)])
            try reader.execute("BEGIN; SELECT count(*) FROM rooms")
            _ = try store.commit([.send(2)])

            let error = #expect(throws: RoomStoreError.self) { try store.close() }

            #expect(error?.description.contains("its log stays") == true)
        }
        try reader.execute("COMMIT")
        #expect(try SQLiteStore(path: path).epoch == epoch)
    }
}
