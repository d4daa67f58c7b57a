public import Dispatch
import Locking
import Synchronization

/// Hands each value sent to it to everybody who subscribed, in one order for all.
///
/// - Shape: a value goes to those who are subscribed when its turn comes. A value sent while another is being handed out
///   (from within a sink, or on another thread) has its turn after that one, and ``send(_:)`` then returns before
///   it: whoever is handing out does it for the others too. So no sink is called under a lock, and none is ever entered twice
///   at once by one publisher.
/// - Complexity: ``send(_:)`` is O(subscribers).
public final class Publisher<Output: Sendable>: Sendable {
    private struct State {
        var subscribers: [Subscriber<Output>] = []
        var waiting: [Output] = []
        var isHandingOut = false
    }

    private let state = Guarded(State())

    public init() {}

    public func send(_ value: Output) {
        let isTaken = state.withLock { state in
            state.waiting.append(value)
            defer { state.isHandingOut = true }
            return state.isHandingOut
        }
        if isTaken { return }
        while let values = takeWaiting() {
            for value in values { handOut(value) }
        }
    }

    /// Calls `receive` with each value, on the thread that sends it.
    ///
    /// - Returns: the subscription, which ends when it is let go of.
    public func sink(_ receive: @escaping @Sendable (Output) -> Void) -> Subscription {
        attach(receive, request: { _ in }, cancel: {})
    }

    /// The same values, handed over on `queue`; `policy` says what becomes of those it has not come to yet.
    public func receive(on queue: DispatchQueue, policy: SlowPolicy<Output>) -> QueuedPublisher<Output> {
        QueuedPublisher(upstream: self, queue: queue, policy: policy)
    }

    func attach(
        _ receive: @escaping @Sendable (Output) -> Void, request: @escaping @Sendable (Demand) -> Void,
        cancel: @escaping @Sendable () -> Void
    ) -> Subscription {
        let subscriber = Subscriber(receive)
        state.withLock { $0.subscribers.append(subscriber) }
        return Subscription(
            request: request,
            cancel: { [weak self] in
                subscriber.isActive.store(false, ordering: .releasing)
                self?.state.withLock { $0.subscribers.removeAll { $0 === subscriber } }
                cancel()
            })
    }

    private func handOut(_ value: Output) {
        // Asked anew for each value: the one before may have brought or ended subscriptions.
        for subscriber in state.withLock({ $0.subscribers }) where subscriber.isActive.load(ordering: .acquiring) {
            subscriber.receive(value)
        }
    }

    /// The values that came in meanwhile; `nil`, and the turn is over, when there are none.
    private func takeWaiting() -> [Output]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isHandingOut = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}

/// One sink, and whether it still wants to be called.
final class Subscriber<Output: Sendable>: Sendable {
    let receive: @Sendable (Output) -> Void
    let isActive = Atomic(true)

    init(_ receive: @escaping @Sendable (Output) -> Void) {
        self.receive = receive
    }
}
