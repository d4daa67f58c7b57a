import Synchronization

/// A `Mutex` that ThreadSanitizer can see.
///
/// On Linux `Mutex` locks inside the standard library, which is not instrumented, so the sanitizer takes each access that it
/// orders for a race. The mark is read and written under the lock and says the same in terms that it knows. It
/// costs an ordinary load and store.
package struct Guarded<State>: ~Copyable, Sendable {
    private let mutex: Mutex<State>
    private let mark = Atomic(false)

    package init(_ state: sending State) {
        mutex = Mutex(state)
    }

    package borrowing func withLock<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try mutex.withLock { state in
            _ = mark.load(ordering: .acquiring)
            defer { mark.store(true, ordering: .releasing) }
            return try body(&state)
        }
    }
}
