import Dispatch

/// The policy for values that a slow subscriber has not taken yet.
public enum SlowPolicy<Output: Sendable>: Sendable {
    /// Keeps every value, at most `limit` of them (from 1).
    ///
    /// One more ends the subscription: the kept values are still delivered as far as there is demand, then
    /// ``SubscriptionEnd/overflow``.
    case keepAll(upTo: Int)
    /// Keeps every value, at most `limit` of them (from 1). One more makes the sender wait until the subscriber has taken
    /// one, or has cancelled.
    ///
    /// The subscriber's queue must not wait for the sender.
    case wait(beyond: Int)
    /// Keeps the newest value only. The last value sent always arrives.
    case keepLatest
    /// Merges the waiting value and the new one: `merge(waiting, new)`.
    ///
    /// The merged values that arrive equal the merge of all values sent. `merge` runs on the sender, under no lock.
    case merge(by: @Sendable (Output, Output) -> Output)
}

/// The reason for the end of a subscription that was not cancelled.
public enum SubscriptionEnd: Equatable, Sendable {
    /// The subscriber was slower than ``SlowPolicy/keepAll(upTo:)`` allows. It has missed values.
    case overflow
}

/// A publisher whose sinks run on a queue.
public struct QueuedPublisher<Output: Sendable>: Sendable {
    let upstream: Publisher<Output>
    let queue: DispatchQueue
    let policy: SlowPolicy<Output>
    var isIncluded: @Sendable (Output) -> Bool = { _ in true }

    /// Returns a publisher of those values alone. The others do not wait, and are not merged.
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> QueuedPublisher<Output> {
        var filtered = self
        filtered.isIncluded = { [before = self.isIncluded] in before($0) && isIncluded($0) }
        return filtered
    }

    /// Calls `receive` with values on the queue, one at a time (also if the queue is concurrent) and in order.
    ///
    /// - Parameters:
    ///   - demand: the number of values wanted at first; ``Subscription/request(_:)`` asks for more.
    ///   - ended: called on the queue if the subscription ends without being cancelled; the last call.
    /// - Returns: the subscription, which ends when it is released.
    public func sink(
        demand: Demand = .unlimited, ended: @escaping @Sendable (SubscriptionEnd) -> Void = { _ in },
        _ receive: @escaping @Sendable (Output) -> Void
    ) -> Subscription {
        let mailbox = Mailbox(queue: queue, policy: policy, demand: demand, ended: ended, receive: receive)
        return upstream.attach(
            { [isIncluded] in if isIncluded($0) { mailbox.put($0) } }, request: { mailbox.request($0) },
            cancel: { mailbox.close() })
    }
}
