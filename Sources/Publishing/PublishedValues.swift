import Locking

/// The values of a publisher as an asynchronous sequence.
///
/// ```swift
/// for await change in publisher.receive(on: .global(), policy: .keepLatest).values { show(change) }
/// ```
///
/// Values that come while the loop's body runs wait by the publisher's policy. The sequence ends when its task is
/// cancelled, and after an overflow.
public struct PublishedValues<Output: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    let publisher: QueuedPublisher<Output>

    /// Subscribes: no value that is sent after the call is missed.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: Pull(publisher)) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pull: Pull<Output>

        /// - Returns: `nil` at the end.
        public mutating func next() async -> Output? { await pull.next() }
    }
}

extension QueuedPublisher {
    /// The values as an asynchronous sequence. Each loop over it is a subscription of its own.
    public var values: PublishedValues<Output> { PublishedValues(publisher: self) }
}

/// A subscription that requests each value by itself.
private final class Pull<Output: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Output?, Never>)
        case ended
    }

    private let state = Guarded(State.idle)
    private let subscription = Guarded<Subscription?>(nil)

    init(_ publisher: QueuedPublisher<Output>) {
        let made = publisher.sink(
            demand: .max(0), ended: { [weak self] _ in self?.end() }, { [weak self] in self?.deliver($0) })
        subscription.withLock { $0 = made }
    }

    func next() async -> Output? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    if case .ended = state { return false }
                    state = .waiting(continuation)
                    return true
                }
                guard isWaiting else { return continuation.resume(returning: nil) }
                subscription.withLock { $0 }?.request(.max(1))
            }
        } onCancel: {
            end()
        }
    }

    private func deliver(_ value: Output) {
        change(to: .idle)?.resume(returning: value)
    }

    private func end() {
        change(to: .ended)?.resume(returning: nil)
        subscription.withLock { $0 }?.cancel()
    }

    /// - Returns: the continuation that was waiting.
    private func change(to next: State) -> CheckedContinuation<Output?, Never>? {
        state.withLock { state in
            defer { if case .ended = state {} else { state = next } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
    }
}
