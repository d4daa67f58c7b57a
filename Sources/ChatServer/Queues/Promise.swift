import Dispatch
import Locking

/// A value that two things need of each other: whoever asks before it is there waits for it.
final class Promise<Value: Sendable>: Sendable {
    private let stored = Guarded<Value?>(nil)
    private let isSet = DispatchGroup()

    init() {
        isSet.enter()
    }

    /// Once.
    func set(_ value: Value) {
        stored.withLock { $0 = value }
        isSet.leave()
    }

    var value: Value {
        if let value = stored.withLock({ $0 }) { return value }
        isSet.wait()
        return self.value
    }
}
