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
        var beginning: Beginning?
    }

    /// The values that a new subscriber gets first, and the queue on which all values are sent.
    private struct Beginning: Sendable {
        let queue: DispatchQueue
        let values: @Sendable () -> [Output]
    }

    private let state = Guarded(State())

    public init() {}

    /// Lets each later subscriber begin with the present values, in the place of all values that were sent before.
    ///
    /// The subscriber gets them on `queue`. So that it misses no value and gets none twice, ``send(_:)`` is called there only.
    package func begin(on queue: DispatchQueue, with values: @escaping @Sendable () -> [Output]) {
        state.withLock { $0.beginning = Beginning(queue: queue, values: values) }
    }

    public func send(_ value: Output) {
        let isTaken = state.withLock { state in
            state.waiting.append(value)
            defer { state.isHandingOut = true }
            return state.isHandingOut
        }
        if isTaken { return }
        while let values = drainWaiting() {
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
        let (subscriber, beginning) = state.withLock { state in
            let subscriber = Subscriber(receive, hasBegun: state.beginning == nil)
            state.subscribers.append(subscriber)
            return (subscriber, state.beginning)
        }
        beginning?.queue.async { beginning.map { subscriber.begin(with: $0.values()) } }
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
        for subscriber in state.withLock({ $0.subscribers }) where subscriber.hasBegun.load(ordering: .acquiring) {
            subscriber.apply(value)
        }
    }

    /// Returns the values that were sent meanwhile; `nil`, which ends the turn, when there are none.
    private func drainWaiting() -> [Output]? {
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
    /// False until the subscriber has got the values that it begins with: what is sent before is among them.
    let hasBegun: Atomic<Bool>

    init(_ receive: @escaping @Sendable (Output) -> Void, hasBegun: Bool) {
        self.receive = receive
        self.hasBegun = Atomic(hasBegun)
    }

    func begin(with values: [Output]) {
        hasBegun.store(true, ordering: .releasing)
        for value in values { apply(value) }
    }

    /// Calls the sink, unless the subscription has ended.
    func apply(_ value: Output) {
        if isActive.load(ordering: .acquiring) { receive(value) }
    }
}
