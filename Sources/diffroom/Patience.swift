import Dispatch

/// How long to be without a connection before giving up. Confined to its queue.
final class Patience {
    private let seconds: Int?
    private let queue: DispatchQueue
    private let lost: (Int) -> Void
    private var item: DispatchWorkItem?

    /// - Parameters:
    ///   - seconds: `nil` for ever.
    ///   - lost: called once with the seconds when they are over.
    init(_ seconds: Int?, on queue: DispatchQueue, lost: @escaping (Int) -> Void) {
        (self.seconds, self.queue, self.lost) = (seconds, queue, lost)
    }

    /// There is no connection; since when counts.
    func lose() {
        guard let seconds, item == nil else { return }
        let item = DispatchWorkItem { [lost] in lost(seconds) }
        self.item = item
        queue.asyncAfter(deadline: .now() + .seconds(seconds), execute: item)
    }

    /// There is one.
    func regain() {
        item?.cancel()
        item = nil
    }
}
