import ChatRoom
import ChatWire
import Glibc
import RoomStore
import SQLiteStore
import TestSupport

let author = UserName("benchmark")!
let text = String(repeating: "x", count: 128)

func openStore(_ path: String) throws -> SQLiteStore {
    try SQLiteStore(path: path)
}

func send(to room: RoomName, using random: inout SplitMix64) -> RoomOperation {
    let id = MessageID(high: random.next(), low: random.next())
    let operation = Operation(
        command: id, author: author, role: .write, time: 1_700_000_000_000, action: .send(MessageContent(text)))
    return RoomOperation(room: room, operation: operation)
}

/// Prints messages a second; the median, 99th percentile and longest commit in ms; and the longest log in kB.
/// Operations are made before the clock starts, because that is no work of the store.
func commit(_ path: String, rooms count: Int, batch: Int, messages: Int) throws {
    let store = try openStore(path)
    let rooms = (0..<count).map { RoomName("room\($0)")! }
    var random = SplitMix64(seed: 1)
    var longestLog = 0
    let times = try (0..<(messages / batch)).map { _ in
        let operations = (0..<batch).map { _ in send(to: rooms.randomElement(using: &random)!, using: &random) }
        let seconds = try time { _ = try store.commit(operations) }
        longestLog = max(longestLog, size(of: path + "-wal"))
        return seconds
    }.sorted()
    let milliseconds = [times[times.count / 2], times[times.count * 99 / 100], times[times.count - 1]].map {
        (($0 * 1e5).rounded() / 100).description
    }
    print(Int(Double(messages) / times.reduce(0, +)), milliseconds.joined(separator: " "), longestLog / 1_024)
}

/// Returns the time in seconds.
func time(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let took = try clock.measure(body)
    return Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
}

private func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
}
