import Locking
import WebSocketTransport

/// What connections have yet to get, asked of their event loops and gathered until all have said so.
final class Looks: Sendable {
    private struct Look: Sendable {
        var missing: Int
        var found: [ConnectionID: Backlog] = [:]
        let take: @Sendable ([ConnectionID: Backlog]) -> Void
    }

    private struct State: Sendable {
        var last: UInt64 = 0
        var looks: [UInt64: Look] = [:]
    }

    private let state = Guarded(State())

    /// Looks at connections, of which one that is gone has nothing to get.
    ///
    /// - Parameter take: called once, on the thread of one of their loops.
    func look(
        at connections: [ConnectionID], over transport: WebSocketServer,
        _ take: @escaping @Sendable ([ConnectionID: Backlog]) -> Void
    ) {
        guard !connections.isEmpty else { return take([:]) }
        let ticket = state.withLock { state in
            state.last += 1
            state.looks[state.last] = Look(missing: connections.count, take: take)
            return state.last
        }
        for connection in connections { transport.look(at: connection, ticket: ticket) }
    }

    func found(_ backlog: Backlog, of connection: ConnectionID, ticket: UInt64) {
        let whole = state.withLock { state -> Look? in
            state.looks[ticket]?.found[connection] = backlog
            state.looks[ticket]?.missing -= 1
            return state.looks[ticket]?.missing == 0 ? state.looks.removeValue(forKey: ticket) : nil
        }
        if let whole { whole.take(whole.found) }
    }
}
