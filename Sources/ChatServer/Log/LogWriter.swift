internal import Dispatch
internal import Foundation
import Locking

/// Writes lines to standard error on a queue of its own, so that a caller never waits for the log's reader.
///
/// - Shape: at most ``capacity`` bytes wait. Further lines are dropped and counted, and as soon as there is room a line
///   reports their number.
final class LogWriter: Sendable {
    static let capacity = 1 << 20

    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var isWriting = false
    }

    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "diffroom.log")
    /// Makes the line that reports the number of dropped lines.
    private let note: @Sendable (Int) -> String

    init(note: @escaping @Sendable (Int) -> String) {
        self.note = note
    }

    /// Queues a line. It can be called from any thread, and costs no more than a copy of the line.
    func write(_ line: String) {
        let wasIdle = state.withLock { state in
            guard state.waiting.count + line.utf8.count < Self.capacity else {
                state.dropped += 1
                return false
            }
            state.waiting += line.utf8
            state.waiting.append(UInt8(ascii: "\n"))
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if wasIdle { queue.async { self.writeAll() } }
    }

    /// Returns when all lines queued so far are written, or when the time is over.
    func finish(within time: DispatchTimeInterval) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + time)
    }

    private func writeAll() {
        while let bytes = next() { try? FileHandle.standardError.write(contentsOf: Data(bytes)) }
    }

    private func next() -> [UInt8]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            var bytes = state.waiting
            state.waiting = []
            if state.dropped > 0 { bytes += Array((note(state.dropped) + "\n").utf8) }
            state.dropped = 0
            return bytes
        }
    }
}
