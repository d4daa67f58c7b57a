import Locking
import WebSocketTransport

/// Requests from event loops the unsent bytes of connections, and collects their answers.
final class BacklogReports: Sendable {
    private struct Report: Sendable {
        var missing: Int
        var found: [ConnectionID: Backlog] = [:]
        let completion: @Sendable ([ConnectionID: Backlog]) -> Void
    }

    private struct State: Sendable {
        var last: UInt64 = 0
        var backlogs: [UInt64: Report] = [:]
    }

    private let state = Guarded(State())

    /// Collects the backlogs of connections. A connection that is gone has none.
    ///
    /// - Parameter completion: called once, on the thread of one of their loops.
    func peek(
        at connections: [ConnectionID], over transport: WebSocketServer,
        _ completion: @escaping @Sendable ([ConnectionID: Backlog]) -> Void
    ) {
        guard !connections.isEmpty else { return completion([:]) }
        let ticket = state.withLock { state in
            state.last += 1
            state.backlogs[state.last] = Report(missing: connections.count, completion: completion)
            return state.last
        }
        for connection in connections { transport.peek(at: connection, ticket: ticket) }
    }

    func found(_ backlog: Backlog, of connection: ConnectionID, ticket: UInt64) {
        let whole = state.withLock { state -> Report? in
            state.backlogs[ticket]?.found[connection] = backlog
            state.backlogs[ticket]?.missing -= 1
            return state.backlogs[ticket]?.missing == 0 ? state.backlogs.removeValue(forKey: ticket) : nil
        }
        if let whole { whole.completion(whole.found) }
    }
}
