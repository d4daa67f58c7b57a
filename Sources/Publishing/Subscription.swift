import Locking

/// Keeps a sink subscribed: letting go of it, or ``cancel()``, ends that.
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

    /// Ends the subscription; the second time, and after its end, it does nothing.
    ///
    /// Called on the queue or thread that the sink runs on, no call of the sink begins after it returns; called elsewhere,
    /// one that has begun may still be under way.
    public func cancel() {
        let cancel = onCancel.withLock { cancel in
            defer { cancel = nil }
            return cancel
        }
        cancel?()
    }

    /// Asks for more values. Without effect on a sink that asked for all, as those without a queue do.
    public func request(_ demand: Demand) {
        onRequest(demand)
    }
}

/// How many values more a subscriber is ready for.
public enum Demand: Equatable, Sendable {
    case unlimited
    /// Must not be negative.
    case max(Int)

    /// Both together.
    static func + (left: Demand, right: Demand) -> Demand {
        guard case .max(let left) = left, case .max(let right) = right else { return .unlimited }
        precondition(left >= 0 && right >= 0, "a demand of \(left) + \(right) values: it must not be negative")
        let (sum, isTooMany) = left.addingReportingOverflow(right)
        return isTooMany ? .unlimited : .max(sum)
    }

    /// Counts one value; `false`, and nothing counted, if none is wanted.
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
