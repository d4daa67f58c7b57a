import Foundation
import Glibc
import Locking

/// What a program writes, by lines.
final class LineReader: Sendable {
    private struct State: Sendable {
        var partial: [UInt8] = []
        var lines: [String] = []
        /// Where ``line(containing:)`` goes on.
        var read = 0
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())
    let pipe = Pipe()

    init() {
        // Or a program that starts meanwhile inherits it, and the end of this one's output is not seen before that
        // one's.
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.take(Array(data))
        }
    }

    /// Every line so far.
    var lines: [String] { state.withLock { $0.lines } }

    /// The next line that contains `text`, passing over others; `nil` when there is none before the end.
    func line(containing text: String) async -> String? {
        while true {
            let (line, isOver) = next(containing: text)
            if line != nil || isOver { return line }
            await withCheckedContinuation { continuation in
                let isLate = state.withLock { state in
                    guard state.read == state.lines.count, !state.isOver else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isLate { continuation.resume() }
            }
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
        let waiting = state.withLock { state in
            state.isOver = bytes.isEmpty
            state.partial += bytes
            while let end = state.partial.firstIndex(of: UInt8(ascii: "\n")) {
                state.lines.append(String(decoding: state.partial[..<end], as: UTF8.self))
                state.partial.removeSubrange(...end)
            }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
