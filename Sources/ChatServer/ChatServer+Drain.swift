import ChatWire
import Dispatch
import Locking
import RoomStore
import Synchronization
import WebSocketTransport

extension ChatServer {
    package enum Haste: Sendable {
        /// Load balancers are warned first, as ``DrainPolicy/delay`` sets.
        case none
        case atOnce
    }

    /// Ends without losing anything, and returns when that is done.
    ///
    /// The server warns load balancers, accepts no more connections, says goodbye to all clients in paced batches so
    /// that they do not all come back at once, and commits what it has accepted. The configuration's drain delay and
    /// time bound all this. It must not run on an event loop's thread.
    ///
    /// - Returns: whether this call drained the server; otherwise an earlier one does.
    @discardableResult
    package func drain(_ haste: Haste = .none) -> Bool {
        guard !isDraining.exchange(true, ordering: .relaxed) else { return false }
        if haste == .none { warnLoadBalancers() }
        let open = sessions.connections
        log(.info, "draining", ["connections": "\(open.count)"])
        transport.stopAccepting()
        for dispatcher in dispatchers { dispatcher.end() }
        store.others?.cancelWaiting()
        for part in personal { part.sender.end() }
        dismissInBatches(open)
        flush()
        transport.stop(grace: 2)
        flush()
        log(.info, "drained")
        return true
    }

    /// Goes on serving until load balancers that ask `/readyz` have seen 503.
    private func warnLoadBalancers() {
        let delay = drainPolicy.withLock { $0 }.delay
        guard delay > .zero, let asked = readinessAsked.withLock({ $0 }), .now - asked < DrainPolicy.attention else {
            return
        }
        log(.info, "no longer ready: load balancers have time to notice", ["seconds": "\(delay.components.seconds)"])
        pause(until: .now + delay)
    }

    /// Sends `bye` to one batch after the other over most of the drain time. Each client gets a time to come back,
    /// somewhere in that span.
    private func dismissInBatches(_ connections: [ConnectionID]) {
        let batches = 20
        let span = min(drainPolicy.withLock { $0 }.time * 0.7, .milliseconds(Int64(connections.count)))
        let size = max(1, (connections.count + batches - 1) / batches)
        let end = ContinuousClock.now + span
        for start in stride(from: 0, to: connections.count, by: size) {
            for connection in connections[start..<min(start + size, connections.count)] {
                let spread = Milliseconds.random(in: 500...max(1_000, Milliseconds(connections.count)))
                gateway.dismiss(
                    connection, code: CloseCode.restart, reason: "the server restarts", retryAfter: spread)
            }
            pause(until: min(end, .now + span / batches))
        }
    }

    func pause(until instant: ContinuousClock.Instant) {
        assertMayWait()
        let nanoseconds = max(.zero, ContinuousClock.now.duration(to: instant)) / .nanoseconds(1)
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }

    /// Returns when everything accepted is committed, and its answers are with the event loops.
    private func flush() {
        for shard in shards { shard.flush() }
        for committer in committers { committer.flush() }
        for shard in shards { shard.flush() }
    }
}
