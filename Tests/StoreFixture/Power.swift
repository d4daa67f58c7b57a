import ChatRoom
import ChatWire
import Locking
import RoomStore
import SQLiteStore
import TestSupport

/// Serves, closes in order and serves again, a few times, with a log so short that it is copied and starts over often.
/// Prints the epoch, and then `ROOM REVISION COMMAND` for each operation as soon as it is committed.
func serveAgainAndAgain(path: String, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var next = seed << 32
    for _ in 0..<3 {
        let store = try SQLiteStore(path: path, copyingLogAfter: 30)
        let deliveries = try store.deliveries(part: 0)
        say("epoch \(store.epoch)\n")
        for round in 0..<40 {
            let batch = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                next += 1
                return operation(next, using: &random)
            }
            let done = zip(batch, try store.commit(batch)).compactMap { entry, outcome -> (RoomOperation, Revision)? in
                guard case .committed(let revision, _) = outcome else { return nil }
                return (entry, revision)
            }
            say(done.map { "\($0.room) \($1) \($0.operation.command.low)\n" }.joined())
            if round % 3 == 0, let (entry, revision) = done.last {
                try deliveries?.noteDelivered(entry.room, upTo: revision)
            }
        }
        try store.close()
    }
}

/// Opens the data at each path that comes on a line. Prints the epoch, the number and a hash of each room's operations,
/// and the operator's notices.
func verify() {
    while let path = readLine() {
        // After the output, the files are the caller's again.
        say("\(finding(in: path))\n")
    }
}

private func finding(in path: String) -> String {
    do {
        let notices = Guarded<[String]>([])
        let store = try SQLiteStore(path: path) { text in notices.withLock { $0.append(text) } }
        let rooms = try rooms.map { try finding(in: $0, of: store) }
        let told = notices.withLock { $0.joined(separator: "; ") }
        return "found \(store.epoch) \(rooms.joined(separator: " ")) \(told)"
    } catch {
        return "failed \(error)"
    }
}

private func finding(in room: RoomName, of store: SQLiteStore) throws -> String {
    let operations = try store.operations(room, since: 0, limit: .max)
    guard operations.map(\.revision) == Array(1..<Revision(operations.count + 1)) else {
        throw RoomStoreError.unavailable("room \(room) has gaps")
    }
    let reading = try store.soundReading(of: room, tail: 50, since: nil, atMost: 0)
    guard reading.revision == operations.count else {
        throw RoomStoreError.unavailable("room \(room) has lost operations")
    }
    return "\(operations.count) \(fingerprint(operations.map(\.operation.command.low)))"
}

/// FNV-1a/64 over the numbers' bytes, the least significant first.
private func fingerprint(_ numbers: [UInt64]) -> UInt64 {
    numbers.reduce(0xCBF2_9CE4_8422_2325) { value, number in
        stride(from: 0, to: 64, by: 8).reduce(value) { ($0 ^ (number >> UInt64($1) & 0xFF)) &* 0x100_0000_01B3 }
    }
}
