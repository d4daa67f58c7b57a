public import Dispatch
import Locking
import Synchronization

/// Hands each value sent to it to all its subscribers, in the same order for all.
///
/// - Shape: a value goes to those who are subscribed when its turn comes. A value that is sent while another is being
///   handed out (from within a sink, or on another thread) waits for its turn. ``send(_:)`` then returns before that
///   turn, and the thread that is handing out delivers it. So no sink is called under a lock, and one publisher never
///   enters a sink twice at once.
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
    /// - Returns: the subscription, which ends when it is released.
    public func sink(_ receive: @escaping @Sendable (Output) -> Void) -> Subscription {
        attach(receive, request: { _ in }, cancel: {})
    }

    /// Returns a publisher of the same values on `queue`. `policy` handles the values that a slow subscriber has not
    /// taken.
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
        // Read the list anew for each value: the one before may have added or ended subscriptions.
        for subscriber in state.withLock({ $0.subscribers }) where subscriber.isActive.load(ordering: .acquiring) {
            subscriber.receive(value)
        }
    }

    /// Returns the values that were sent meanwhile; `nil`, which ends the turn, when there are none.
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

/// One sink, and whether it is still subscribed.
final class Subscriber<Output: Sendable>: Sendable {
    let receive: @Sendable (Output) -> Void
    let isActive = Atomic(true)

    init(_ receive: @escaping @Sendable (Output) -> Void) {
        self.receive = receive
    }
}
