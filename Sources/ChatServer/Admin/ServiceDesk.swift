import ChatRoom
import ChatWire
import Locking

/// Readers that are no connections: each asks a room for one thing and is answered once.
final class ServiceDesk: Sendable {
    private struct State: Sendable {
        var last = ServiceDesk.first
        var waiting: [Reader: @Sendable (ServerFrame) -> Void] = [:]
    }

    /// Connections' numbers begin with that of their event loop, of which there are fewer.
    private static let first: UInt64 = 0xFF << 56

    private let state = Guarded(State())

    /// A new reader; what it is answered goes to `take`.
    func reader(_ take: @escaping @Sendable (ServerFrame) -> Void) -> Reader {
        state.withLock { state in
            state.last += 1
            let reader = Reader(state.last)
            state.waiting[reader] = take
            return reader
        }
    }

    /// Gives the answer to whoever asked; false if that is a connection.
    func answer(_ reader: Reader, _ frame: ServerFrame) -> Bool {
        guard reader.rawValue > Self.first else { return false }
        let take = state.withLock { $0.waiting.removeValue(forKey: reader) }
        take?(frame)
        return true
    }
}
