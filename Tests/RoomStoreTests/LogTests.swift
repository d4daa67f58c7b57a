import ChatRoom
import ChatWire
import Foundation
import RoomStore
import SQLiteStore
import TestSupport
import Testing

struct LogTests {
    private let folder = TemporaryFolder()

    /// The batches would make 100 MB of log without copies and restarts; some have one page and others many.
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

    /// A batch over a hundred rooms writes as many pages of each table; written singly, each would take two calls.
    @Test(.enabled(if: callsToWrite() != nil, "the kernel must count"))
    func whatATransactionAddsIsWrittenInFewCalls() throws {
        let store = try SQLiteStore(path: folder.file("rooms.db"))
        let rooms = (0..<100).map { RoomName("room\($0)")! }
        let text = String(repeating: "x", count: 2_000)
        _ = try store.commit(rooms.enumerated().map { .send(UInt64($0), text, to: $1) })

        let before = try #require(callsToWrite())
        _ = try store.commit(rooms.enumerated().map { .send(UInt64($0 + 100), text, to: $1) })
        let calls = try #require(callsToWrite()) - before

        #expect(calls <= 16, "\(calls)")
        #expect(try rooms.allSatisfy { try store.read($0, tail: 5, since: nil, atMost: 5).tail.count == 2 })
    }
}

/// Returns the number of this thread's write calls to the system.
private func callsToWrite() -> Int? {
    guard let counts = try? String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8) else { return nil }
    let line = counts.split(separator: "\n").first { $0.hasPrefix("syscw: ") }
    return line.flatMap { Int($0.dropFirst("syscw: ".count)) }
}
