import Foundation
import RoomStore
import SQLiteStore
import TestSupport
import Testing

struct LogTests {
    private let folder = TemporaryFolder()

    /// The batches make 100 MB of log, were it not copied and started over; batches of one and of many pages.
    @Test(arguments: [1, 100])
    func theLogIsBoundedHoweverMuchIsWritten(batch: Int) throws {
        let store = try SQLiteStore(path: folder.file("rooms.db"))
        let text = String(repeating: "x", count: 8_000)
        var longest = 0

        for round in 0..<(4_000 / batch) {
            _ = try store.commit((0..<batch).map { .send(UInt64(round * batch + $0), text) })
            let log = try FileManager.default.attributesOfItem(atPath: folder.file("rooms.db-wal"))
            longest = max(longest, log[.size] as? Int ?? .max)
        }

        #expect(longest < 48 << 20)
    }
}
