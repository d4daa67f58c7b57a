import ChatRoom
import ChatWire
import Dispatch
import Foundation
import Locking
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

/// Copies of the data, taken while it is served.
struct BackupTests {
    private let folder = TemporaryFolder()
    private var data: String { folder.file("rooms.db") }
    private var copy: String { folder.file("copy.db") }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    @Test func aBackupOfDataThatIsServedIsAStoreWithAllOfItAndAnotherEpoch() throws {
        let store = try SQLiteStore(path: data)
        _ = try store.commit([.send(1), .send(2), .edit(3, 1, "bye"), .delete(4, 2), .react(5, 1)])

        let report = try StoreCopy.backup(of: data, to: copy)

        #expect(
            names == [
                "copy.db", "rooms.db", "rooms.db-shm", "rooms.db-wal", "rooms.db.control", "rooms.db.lock",
            ])
        let copied = try SQLiteStore(path: copy)
        // Commits after the copy get the same revisions in both.
        #expect(report.epoch == store.epoch && copied.epoch != store.epoch)
        #expect(
            try copied.read(lobby, tail: 10, since: 0, atMost: 10)
                == store.read(lobby, tail: 10, since: 0, atMost: 10))
        #expect(try copied.operations(lobby, since: 0, limit: 10) == store.operations(lobby, since: 0, limit: 10))
    }

    @Test func aBackupOfDataThatWasClosedIsTheSameHistory() throws {
        let epoch: Epoch
        do {
            let store = try SQLiteStore(path: data)
            _ = try store.commit([.send(1), .send(2)])
            epoch = store.epoch
        }

        _ = try StoreCopy.backup(of: data, to: copy)

        #expect(try SQLiteStore(path: copy).epoch == epoch)
    }

    /// Each commit adds two rows and removes one, so a copy shows by itself whether it is as of one moment.
    @Test func whatWasCommittedBeforeIsInACopyThatIsMadeDuringCommits() throws {
        let store = try SQLiteStore(path: data)
        let text = String(repeating: "x", count: 8_000)
        _ = try store.commit((0..<3_000).map { .send(1_000_000 + $0, text, to: RoomName("ballast")!) })
        let committed = Guarded<Revision>(0)
        let isOver = Guarded(false)
        let copies = Guarded<[(before: Revision, file: String)]>([])

        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            if thread == 0 {
                var round: UInt64 = 0
                while !isOver.withLock({ $0 }) {
                    let batch: [RoomOperation] = [
                        .send(3 * round), .send(3 * round + 1), .delete(3 * round + 2, 3 * round),
                    ]
                    if (try? store.commit(batch)) != nil { committed.withLock { $0 += 3 } }
                    round += 1
                }
            } else {
                for number in 0..<4 {
                    let before = committed.withLock { $0 }
                    let file = folder.file("\(number).db")
                    if (try? StoreCopy.backup(of: data, to: file)) != nil {
                        copies.withLock { $0.append((before, file)) }
                    }
                }
                isOver.withLock { $0 = true }
            }
        }

        #expect(copies.withLock { $0.count } == 4)
        for (before, file) in copies.withLock({ $0 }) {
            let reading = try SQLiteStore(path: file).read(lobby, tail: .max - 1, since: nil, atMost: 0)
            #expect(reading.revision >= before && reading.revision % 3 == 0)
            #expect(reading.tail.count == reading.count && reading.count == reading.revision / 3)
        }
    }

    @Test func whatIsThereAlreadyIsNotReplaced() throws {
        _ = try SQLiteStore(path: data)
        try Data("precious".utf8).write(to: URL(filePath: copy))

        let error = #expect(throws: RoomStoreError.self) { try StoreCopy.backup(of: data, to: copy) }

        #expect(error?.description.contains("\(copy) is there already") == true)
        #expect(try String(contentsOf: URL(filePath: copy), encoding: .utf8) == "precious")
        #expect(names == ["copy.db", "rooms.db", "rooms.db.control", "rooms.db.lock"])
    }

    @Test func dataThatIsNotThereIsNotMade() throws {
        let error = #expect(throws: RoomStoreError.self) { try StoreCopy.backup(of: data, to: copy) }

        #expect(error?.description.contains("\(data) is not there") == true, "\(error.debugDescription)")
        #expect(names == [])
    }

    @Test func aBackupThatIsNotThereIsNamed() throws {
        let error = #expect(throws: RoomStoreError.self) { try StoreCopy.restore(copy, to: data) }

        #expect(error?.description.contains("\(copy) is not there") == true, "\(error.debugDescription)")
        #expect(!names.contains("rooms.db"))
    }

    /// At the end of a copy SQLite reports success even if a lock prevented a step.
    @Test func aStepThatALockKeptFromBeingTakenEndsTheBackup() throws {
        let store = try SQLiteStore(path: data)
        _ = try store.commit([.send(1)])
        let other = try Connection.open("\(copy).partial.\(getpid())")
        try other.execute("BEGIN IMMEDIATE")

        let error = #expect(throws: RoomStoreError.self) { try StoreCopy.backup(of: data, to: copy) }

        try other.execute("ROLLBACK")
        #expect(error?.description.contains("locked by another program") == true, "\(error.debugDescription)")
        #expect(!names.contains { $0.hasPrefix("copy") })
    }

    /// The kernel tells of a failure once, and of 4 MB before the last.
    @Test func whatTheDiskDidNotTakeOnceIsNoBackup() throws {
        let store = try SQLiteStore(path: data)
        let text = String(repeating: "x", count: 8_000)
        _ = try store.commit((0..<1_500).map { .send($0, text) })
        var calls = 0

        let error = #expect(throws: RoomStoreError.self) {
            let file = try NewFile(at: copy) { descriptor in
                calls += 1
                guard calls == 1 else { return fsync(descriptor) }
                errno = EIO
                return -1
            }
            try StoreCopy.copy(data, to: file)
        }

        #expect(error?.description.contains(String(cString: strerror(EIO))) == true, "\(error.debugDescription)")
        #expect(calls == 1 && !names.contains { $0.hasPrefix("copy") })
        _ = try StoreCopy.backup(of: data, to: copy)
    }

    @Test func aFolderThatIsNotThereIsNamed() throws {
        _ = try SQLiteStore(path: data)

        let error = #expect(throws: RoomStoreError.self) {
            try StoreCopy.backup(of: data, to: folder.file("missing/copy.db"))
        }

        #expect(error?.description.contains("missing/copy.db") == true)
    }

    @Test func damagedDataBecomesNoBackup() throws {
        try fillAndDamage()

        let error = #expect(throws: RoomStoreError.self) { try StoreCopy.backup(of: data, to: copy) }

        #expect(error?.isDamaged == true, "\(error.debugDescription)")
        #expect(!names.contains { $0.hasPrefix("copy") })
    }

    private func fillAndDamage() throws {
        do {
            let store = try SQLiteStore(path: data)
            _ = try store.commit((0..<300).map { .send($0, String(repeating: "x", count: 300)) })
        }
        let file = try FileHandle(forUpdating: URL(filePath: data))
        let end = try file.seekToEnd()
        try file.seek(toOffset: end / 2)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 8_192))
    }

    // MARK: - Restoring

    @Test func aRestoredStoreHasAllOfTheBackupAndAnotherEpoch() throws {
        let store = try SQLiteStore(path: data)
        _ = try store.commit([.send(1), .send(2)])
        _ = try StoreCopy.backup(of: data, to: copy)

        let report = try StoreCopy.restore(copy, to: folder.file("again.db"))

        let again = try SQLiteStore(path: folder.file("again.db"))
        // It begins with the restored epoch: another server's note beside other data does not matter.
        #expect(again.epoch == report.epoch && again.epoch != store.epoch)
        #expect(
            try again.read(lobby, tail: 10, since: 0, atMost: 10)
                == store.read(lobby, tail: 10, since: 0, atMost: 10))
        #expect(try again.commit([.send(2), .send(3)]).map(\.revision) == [nil, 3])
    }

    @Test func dataThatIsThereOrServedOrHasLeftItsLogIsNotReplaced() throws {
        let served = folder.file("served.db")
        let store = try SQLiteStore(path: served)
        _ = try StoreCopy.backup(of: served, to: copy)
        _ = try SQLiteStore(path: data)
        try Data("log".utf8).write(to: URL(filePath: folder.file("moved.db-wal")))

        #expect(#expect(throws: RoomStoreError.self) { try StoreCopy.restore(copy, to: served) }?.isInUse == true)
        for (name, word) in [("rooms.db", "is there already"), ("moved.db", "is left of other data")] {
            let error = #expect(throws: RoomStoreError.self) { try StoreCopy.restore(copy, to: folder.file(name)) }
            #expect(error?.description.contains(word) == true, "\(error.debugDescription)")
        }
        #expect(!names.contains("moved.db"))
        try FileManager.default.moveItem(
            atPath: folder.file("moved.db-wal"), toPath: folder.file("moved.db-journal"))
        #expect(throws: RoomStoreError.self) { try StoreCopy.restore(copy, to: folder.file("moved.db")) }
        withExtendedLifetime(store) {}
    }
}
