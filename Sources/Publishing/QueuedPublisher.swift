import Dispatch

/// What becomes of the values that a subscriber has not come to yet.
public enum SlowPolicy<Output: Sendable>: Sendable {
    /// Each is kept, `limit` at most (from 1). One more ends the subscription: those kept are still delivered, as
    /// far as they are asked for, then ``SubscriptionEnd/overflow``.
    case keepAll(upTo: Int)
    /// The newest takes the place of the one that waits. The last value sent always arrives.
    case keepLatest
    /// The one that waits and the new one are made into one: `merge(waiting, new)`. What arrives, merged, is what
    /// was sent, merged. `merge` runs on the sender, under no lock.
    case merge(by: @Sendable (Output, Output) -> Output)
}

/// Why a subscription ended that nobody cancelled.
public enum SubscriptionEnd: Equatable, Sendable {
    /// The subscriber was slower than ``SlowPolicy/keepAll(upTo:)`` allowed. It has missed values.
    case overflow
}

/// A publisher whose sinks run on a queue.
public struct QueuedPublisher<Output: Sendable>: Sendable {
    let upstream: Publisher<Output>
    let queue: DispatchQueue
    let policy: SlowPolicy<Output>

    /// Calls `receive` with values on the queue, one at a time (also if the queue is concurrent) and in order.
    ///
    /// - Parameters:
    ///   - demand: how many are wanted to begin with; ``Subscription/request(_:)`` asks for more.
    ///   - ended: called on the queue if the subscription ends without being cancelled; the last call.
    /// - Returns: the subscription, which ends when it is let go of.
    public func sink(
        demand: Demand = .unlimited, ended: @escaping @Sendable (SubscriptionEnd) -> Void = { _ in },
        _ receive: @escaping @Sendable (Output) -> Void
    ) -> Subscription {
        let mailbox = Mailbox(queue: queue, policy: policy, demand: demand, ended: ended, receive: receive)
        return upstream.attach(
            { mailbox.put($0) }, request: { mailbox.request($0) }, cancel: { mailbox.close() })
    }
}
