import ChatRoom
import ChatWire
import Glibc
import RoomStore
import SQLiteStore
import TestSupport

let rooms = ["lobby", "kitchen"].map { RoomName($0)! }
let ann = UserName("ann")!

/// Commits random batches until it is killed. Prints `ROOM REVISION COMMAND` for each operation as soon as it is
/// committed.
///
/// - Parameter count: the number of messages kept in a room; `nil` for all.
func commitForEver(path: String, seed: UInt64, keeping count: Int? = nil) throws {
    var random = SplitMix64(seed: seed)
    let store = try SQLiteStore(path: path)
    var next = seed << 32
    while true {
        let batch = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            next += 1
            return operation(next, using: &random)
        }
        let read = Revision.random(in: 0...next % (1 << 32), using: &random)
        let mark = ReadMark(room: rooms[Int(next % 2)], user: ann, revision: read)
        let lines = zip(batch, try store.commit(batch, marking: [mark])).compactMap { entry, outcome -> String? in
            guard case .committed(let revision, _) = outcome else { return nil }
            return "\(entry.room) \(revision) \(entry.operation.command.low)\n"
        }
        say(lines.joined())
        // Nothing is forgotten, so everything is done at once.
        if let count { _ = try store.trim(Retention(.init(messages: count)), part: 0, after: nil, at: 1) }
    }
}

/// Mostly sends, of sizes that make the log wrap around soon, and now and then a change to an existing message, or a join
/// or leave.
func operation(_ number: UInt64, using random: inout SplitMix64) -> RoomOperation {
    let room = rooms[Int(number % 2)]
    let earlier = MessageID(high: 0, low: number - 2 * UInt64.random(in: 1...8, using: &random))
    let action: RoomAction =
        switch UInt64.random(in: 0..<10, using: &random) {
        case 0: .edit(earlier, "edited by \(number)")
        case 1: .delete(earlier)
        case 2: .react(earlier, emoji: "👍", .on)
        case 3: .join
        case 4: .leave
        default: .send(MessageContent(String(repeating: "x", count: Int.random(in: 0...3_000, using: &random))))
        }
    let command = CommandID(high: 0, low: number)
    return RoomOperation(
        room: room, operation: Operation(command: command, author: ann, role: .write, time: 1, action: action))
}

/// Prints a text at once, before the next commit starts.
func say(_ text: String) {
    var rest = text
    rest.withUTF8 { bytes in
        var bytes = UnsafeRawBufferPointer(bytes)[...]
        while !bytes.isEmpty {
            let written = write(1, UnsafeRawBufferPointer(rebasing: bytes).baseAddress, bytes.count)
            precondition(written > 0, "cannot write: errno \(errno)")
            bytes = bytes.dropFirst(written)
        }
    }
}

/// Prints the epoch of the data, or why it cannot be served.
func open(_ path: String) {
    do {
        say("\(try SQLiteStore(path: path).epoch)\n")
    } catch {
        say("\(error)\n")
    }
}
