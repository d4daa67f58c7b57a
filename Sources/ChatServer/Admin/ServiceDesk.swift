import ChatRoom
import ChatWire
import Locking

/// Readers that are not connections: each asks a room for one thing and gets one answer.
final class ServiceDesk: Sendable {
    private struct State: Sendable {
        var last = ServiceDesk.first
        var waiting: [Reader: @Sendable (ServerFrame) -> Void] = [:]
    }

    /// A connection's number begins with that of its event loop, which is always smaller than this.
    fileprivate static let first: UInt64 = 0xFF << 56

    private let state = Guarded(State())

    /// Returns a new reader, whose answer goes to `handler`.
    func reader(_ handler: @escaping @Sendable (ServerFrame) -> Void) -> Reader {
        state.withLock { state in
            state.last += 1
            let reader = Reader(state.last)
            state.waiting[reader] = handler
            return reader
        }
    }

    /// Passes the answer to the reader that asked.
    func answer(_ reader: Reader, _ frame: ServerFrame) {
        let handler = state.withLock { $0.waiting.removeValue(forKey: reader) }
        handler?(frame)
    }
}

extension Reader {
    /// True when the reader is not a connection.
    var isService: Bool { rawValue > ServiceDesk.first }
}
