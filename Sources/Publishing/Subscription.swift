import Locking

/// Keeps a sink subscribed until it is released or ``cancel()`` is called.
public final class Subscription: Sendable {
    private let onRequest: @Sendable (Demand) -> Void
    private let onCancel: Guarded<(@Sendable () -> Void)?>

    init(request: @escaping @Sendable (Demand) -> Void, cancel: @escaping @Sendable () -> Void) {
        onRequest = request
        onCancel = Guarded(cancel)
    }

    deinit {
        cancel()
    }

    /// Ends the subscription. A later call does nothing.
    ///
    /// On the queue or thread that the sink runs on, no call of the sink begins after this returns. Elsewhere, a call
    /// that has begun may still be running.
    public func cancel() {
        let cancel = onCancel.withLock { cancel in
            defer { cancel = nil }
            return cancel
        }
        cancel?()
    }

    /// Requests more values. It has no effect on a sink without a limit, such as one without a queue.
    public func request(_ demand: Demand) {
        onRequest(demand)
    }
}

/// The number of further values that a subscriber is ready for.
public enum Demand: Equatable, Sendable {
    case unlimited
    /// Must not be negative.
    case max(Int)

    /// Returns the sum of both demands.
    static func + (left: Demand, right: Demand) -> Demand {
        guard case .max(let left) = left, case .max(let right) = right else { return .unlimited }
        precondition(left >= 0 && right >= 0, "a demand of \(left) + \(right) values: it must not be negative")
        let (sum, isTooMany) = left.addingReportingOverflow(right)
        return isTooMany ? .unlimited : .max(sum)
    }

    /// Counts one value. Returns `false`, and counts nothing, if none is wanted.
    mutating func spend() -> Bool {
        switch self {
        case .unlimited: return true
        case .max(0): return false
        case .max(let count):
            self = .max(count - 1)
            return true
        }
    }
}
