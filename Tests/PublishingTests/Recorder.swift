import Dispatch
import Locking
import TestSupport
import Testing

/// Records a sink's values, for a test to inspect and to wait for.
final class Recorder<Value: Sendable>: Sendable {
    private let seen = Guarded<[Value]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    var values: [Value] { seen.withLock { $0 } }

    func record(_ value: Value) {
        seen.withLock { $0.append(value) }
        arrivals.signal()
    }

    /// Returns when `count` more values have been recorded.
    func wait(for count: Int) {
        for _ in 0..<count { arrivals.waitForEvent() }
    }
}

/// Blocks a queue until it is opened, so that a test can get ahead of the queue.
final class Gate: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)

    func open() { isOpen.signal() }
    func pass() { isOpen.wait() }
}

extension DispatchQueue {
    /// A queue of its own that does not start before the gate is opened.
    static func held() -> (DispatchQueue, Gate) {
        let queue = DispatchQueue(label: "held")
        let gate = Gate()
        queue.async { gate.pass() }
        return (queue, gate)
    }
}
