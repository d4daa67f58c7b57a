import Dispatch
import Synchronization

/// A serial queue for slow work, with a limit to the work that waits.
final class BoundedQueue: Sendable {
    private let queue: DispatchQueue
    private let most: Int
    private let waiting = Atomic(0)

    /// - Parameter most: the most pieces of work that may wait.
    init(_ label: String, most: Int, qos: DispatchQoS = .userInitiated) {
        queue = DispatchQueue(label: label, qos: qos)
        self.most = most
    }

    /// Any thread. Does the work, one after the other, unless too much waits already.
    ///
    /// - Returns: whether it will be done.
    func offer(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard waiting.add(1, ordering: .relaxed).newValue <= most else {
            waiting.subtract(1, ordering: .relaxed)
            return false
        }
        queue.async {
            work()
            self.waiting.subtract(1, ordering: .relaxed)
        }
        return true
    }

    /// Any thread. Work of which there is only so much anyway.
    func put(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
