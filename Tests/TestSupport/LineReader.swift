import Foundation
import Locking

/// A program's output by lines, read on a thread of its own until the end.
final class LineReader: Sendable {
    private struct State: Sendable {
        var partial: [UInt8] = []
        var lines: [String] = []
        /// The place where ``line(containing:)`` goes on.
        var read = 0
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    init(_ handle: FileHandle) {
        Thread.detachNewThread {
            while case let data = handle.availableData {
                self.take(Array(data))
                guard !data.isEmpty else { break }
            }
        }
    }

    /// Every line so far.
    var lines: [String] { state.withLock { $0.lines } }

    /// Returns the next line that contains `text`, skipping others; `nil` when the output ends first, or when the
    /// test's time is over.
    func line(containing text: String) async -> String? {
        await withTaskCancellationHandler {
            while true {
                let (line, isOver) = next(containing: text)
                if line != nil || isOver || Task.isCancelled { return line }
                await more()
            }
        } onCancel: {
            wake { _ in }
        }
    }

    private func more() async {
        await withCheckedContinuation { continuation in
            let isLate = state.withLock { state in
                guard state.read == state.lines.count, !state.isOver, !Task.isCancelled else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isLate { continuation.resume() }
        }
    }

    private func next(containing text: String) -> (line: String?, isOver: Bool) {
        state.withLock { state in
            while state.read < state.lines.count {
                state.read += 1
                let line = state.lines[state.read - 1]
                if text.isEmpty || line.contains(text) { return (line, false) }
            }
            return (nil, state.isOver)
        }
    }

    /// - Parameter bytes: empty at the end.
    private func take(_ bytes: [UInt8]) {
        wake { state in
            state.isOver = bytes.isEmpty
            state.partial += bytes
            while let end = state.partial.firstIndex(of: UInt8(ascii: "\n")) {
                state.lines.append(String(decoding: state.partial[..<end], as: UTF8.self))
                state.partial.removeSubrange(...end)
            }
        }
    }

    /// Changes the state, and wakes all waiting callers.
    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
