internal import Dispatch
internal import Foundation
import Locking

/// Writes lines to standard error on a queue of its own: whoever logs never waits for whoever reads.
///
/// - Shape: at most ``capacity`` bytes wait. Lines beyond that are dropped and counted, and as soon as there is room a line
///   says how many they were.
final class LogWriter: Sendable {
    static let capacity = 1 << 20

    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var isWriting = false
    }

    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "diffroom.log")
    /// Makes the line that says how many were dropped.
    private let note: @Sendable (Int) -> String

    init(note: @escaping @Sendable (Int) -> String) {
        self.note = note
    }

    /// Writes the line soon. Any thread; it takes no longer than copying the line.
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

    /// Returns when all is written that was there, or when the time is over.
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
