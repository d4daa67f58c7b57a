import Dispatch
import Locking

/// A value that is set once, and that others wait for until then, for parts of the server that need one another.
///
/// Its name is that of Rust's standard library. The wait is for the end of an `init`, so an event loop may wait, too.
final class OnceLock<Value: Sendable>: Sendable {
    private let stored = Guarded<Value?>(nil)
    private let isSet = DispatchGroup()

    init() {
        isSet.enter()
    }

    /// Must be called once.
    func set(_ value: Value) {
        stored.withLock { $0 = value }
        isSet.leave()
    }

    /// Returns the value, as soon as there is one.
    func wait() -> Value {
        if let value = stored.withLock({ $0 }) { return value }
        isSet.wait()
        return wait()
    }
}
