import ChatRoom
import ChatWire
import Foundation
import Locking
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

/// A file that is removed, moved or replaced while it is served is not written.
struct DataWatchTests {
    private let folder = TemporaryFolder()
    private let notices = Notices()
    private var path: String { folder.file("rooms.db") }

    private func open(_ limits: DataWatch.Limits = DataWatch.Limits(interval: 20)) throws -> SQLiteStore {
        try SQLiteStore(
            path: path, limits: WireLimits(), schema: .current, watching: limits,
            report: { [notices] in notices.add($0) })
    }

    /// What the operator is told.
    private final class Notices: Sendable {
        private let texts = Guarded<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    enum Change: String, CaseIterable, Sendable {
        case removed, moved, replaced

        func make(_ path: String) throws {
            let files = FileManager.default
            switch self {
            case .removed: try files.removeItem(atPath: path)
            case .moved: try files.moveItem(atPath: path, toPath: path + ".moved")
            case .replaced:
                try files.copyItem(atPath: path, toPath: path + ".copy")
                #expect(rename(path + ".copy", path) == 0)
            }
        }
    }

    @Test(arguments: Change.allCases, ["", "-wal"])
    func nothingIsWrittenToAFileThatIsNotInItsPlace(change: Change, suffix: String) throws {
        let store = try open()
        _ = try store.commit([.send(1)])
        try change.make(path + suffix)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()

        let error = #expect(throws: RoomStoreError.self) { try store.commit([.send(2)]) }

        #expect("\(error!)".contains("\(path)\(suffix) was "), "\(error!)")
        while !notices.all.contains(where: { $0.contains("\(path)\(suffix) was ") }) {}
        #expect(store.trouble != nil)
        for _ in 0..<3 { _ = try? store.read(lobby, tail: 9, since: nil, atMost: 0) }
        #expect(throws: RoomStoreError.self) { try store.close() }
        let after = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(after == before, "nothing is made in its place, and no log is removed")
    }

    /// Without a write the timer finds it.
    @Test func itIsNoticedWithoutAWriteAndForgottenWhenTheFileIsBack() throws {
        do {
            let store = try open()
            _ = try store.commit([.send(1)])

            try Change.moved.make(path)
            while store.trouble == nil {}
            #expect(throws: RoomStoreError.self) { try store.commit([.send(2)]) }
            #expect(rename(path + ".moved", path) == 0)
            while notices.all.last != "\(path) can be written again" {}

            #expect(try store.commit([.send(2)]) == [.committed(2, .inserted(row(2), at: row(2).time))])
            #expect(store.trouble == nil)
            try store.close()
        }
        #expect(try SQLiteStore(path: path).read(lobby, tail: 9, since: nil, atMost: 0).tail.count == 2)
    }

    private func row(_ number: UInt64) -> Message {
        Message(
            id: id(number), section: .socket, sort: number, rev: number, author: Someone.ann,
            time: Milliseconds(1_000 + number), content: "hello")
    }

    @Test func aLogThatAReaderKeepsFromBeingCopiedIsReportedOnce() throws {
        let store = try open(DataWatch.Limits(interval: 20, longLog: 1 << 20))
        _ = try store.commit([.send(1)])
        let reader = try Connection.open(path)
        try reader.execute("BEGIN; SELECT count(*) FROM messages")
        let text = String(repeating: "x", count: 8_000)

        var number: UInt64 = 1
        while store.diskUse!.logBytes < 3 << 19 {
            number += 1
            _ = try store.commit([.send(number, text)])
        }
        while notices.all.isEmpty {}

        let told = notices.all
        #expect(told.allSatisfy { $0.contains("keeps the log from being copied") }, "\(told)")
        // Once, and once more for each doubling.
        #expect(store.diskUse!.logBytes >= 1 << (19 + told.count), "\(told)")
        #expect(store.trouble == nil)
        try reader.execute("COMMIT")
    }

    @Test func writesAreRefusedBeforeTheDiskIsFull() throws {
        var limits = DataWatch.Limits(interval: 20)
        limits.reserve = .max
        limits.share = 1
        let store = try open(limits)

        let error = #expect(throws: RoomStoreError.self) { try store.commit([.send(1)]) }

        #expect(error?.isFull ?? false)
        #expect("\(error!)".contains("KiB of the disk are free"))
        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).tail.isEmpty)
    }
}
