import Synchronization

/// State that one thread at a time may touch: a `Mutex` that ThreadSanitizer can see.
///
/// On Linux `Mutex` locks inside the standard library, which is not instrumented. The sanitizer would report the
/// accesses that it orders as races. The mark is read and written under the lock, and tells the sanitizer the same
/// order. It costs an ordinary load and store.
package struct Guarded<State: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<State>
    private let mark = Atomic(false)

    package init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Calls `body` under the lock. `body` must not call code that may come back here.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { state throws(Failure) in
            _ = mark.load(ordering: .acquiring)
            defer { mark.store(true, ordering: .releasing) }
            return try body(&state)
        }
    }
}
