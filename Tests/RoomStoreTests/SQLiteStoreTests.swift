import ChatRoom
import ChatWire
import Foundation
import RoomStore
import SQLiteStore
import TestSupport
import Testing

struct SQLiteStoreTests {
    private let folder = TemporaryFolder()

    @Test func whatWasCommittedIsThereWhenTheFileIsOpenedAgain() throws {
        func write() throws -> RoomReading {
            let store = try SQLiteStore(path: folder.file("rooms.db"))
            _ = try store.commit([.send(1, "one"), .send(2, "two"), .edit(3, 1, "first"), .delete(4, 2), .react(5, 1)])
            return try store.read(lobby, tail: 10, since: 0, atMost: 10)
        }
        let before = try write()

        let store = try SQLiteStore(path: folder.file("rooms.db"))

        #expect(try store.read(lobby, tail: 10, since: 0, atMost: 10) == before)
        #expect(before.revision == 5)
        #expect(before.tail.map(\.text) == ["first"])
    }

    @Test func theEpochIsThatOfTheFile() throws {
        let first = try SQLiteStore(path: folder.file("rooms.db")).epoch

        #expect(try SQLiteStore(path: folder.file("rooms.db")).epoch == first)
        #expect(try SQLiteStore(path: folder.file("other.db")).epoch != first)
    }

    @Test func whatWasDoneBeforeIsAnsweredWithoutWriting() throws {
        let store = try SQLiteStore(path: folder.file("rooms.db"))
        let batch: [RoomOperation] = [.send(1), .edit(2, 1, "bye")]
        _ = try store.commit(batch)
        let before = try FileManager.default.attributesOfItem(atPath: folder.file("rooms.db-wal"))[.size] as? Int

        _ = try store.commit(batch + [.delete(3, 9)])

        let after = try FileManager.default.attributesOfItem(atPath: folder.file("rooms.db-wal"))[.size] as? Int
        #expect(before == after)
    }
}
