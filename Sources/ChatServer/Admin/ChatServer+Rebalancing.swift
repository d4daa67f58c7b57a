import ChatWire
import Dispatch
import JSON
import Locking
import Synchronization
import WebSocketTransport

// A proxy sends the rooms of a server that is back to that server again. The connections that are here go there, too.

extension ChatServer {
    /// Begins to send connections away. Answers first.
    func rebalance(_ order: RebalanceOrder, _ id: RequestID) throws(AdminRefusal) {
        let connections = sessions.routed
        let isNew = rebalancing.withLock { rebalance in
            guard rebalance?.next == nil else { return false }
            rebalance = Rebalance(connections, over: .seconds(Int64(order.seconds)), from: .now)
            return true
        }
        guard isNew else { throw .error(.rebalancing) }
        log(.info, "connections go to their rooms' servers", ["connections": "\(connections.count)"])
        respond(to: id, 202) { writeRebalance(to: &$0) }
        DispatchQueue.global().async { self.runRebalance() }
    }

    private func runRebalance() {
        while let next = rebalancing.withLock({ $0?.next }), !isDraining.load(ordering: .relaxed) {
            pause(until: next)
            let due = rebalancing.withLock { $0?.step(at: .now) } ?? []
            for connection in due where sessions.has(connection) {
                gateway.dismiss(
                    connection, code: CloseCode.restart, reason: "the room has moved to another server",
                    retryAfter: .random(in: 100...1_000))
            }
        }
        let end = rebalancing.withLock { $0 }
        log(
            .info, "connections have gone to their rooms' servers",
            ["closed": "\(end?.closed ?? 0)", "stayed": "\(end?.stayed ?? 0)"])
    }

    func writeRebalance(to json: inout JSONWriter) {
        let now = rebalancing.withLock { $0 }
        json.boolean("moving", now?.next != nil)
        json.number("closed", now?.closed ?? 0)
        json.number("stayed", now?.stayed ?? 0)
        json.number("left", now?.left ?? 0)
    }
}

extension WireError {
    fileprivate static let rebalancing = WireError(
        .rebalanceRunning, "connections are being sent away: wait until GET rebalance says that none are moving")
}
