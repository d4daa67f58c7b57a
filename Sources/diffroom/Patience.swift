import ChatClient
import Dispatch

/// How long to be without a connection before giving up. Confined to its queue.
final class Patience {
    private let seconds: Int?
    private let queue: DispatchQueue
    private let lost: (Int) -> Void
    private var item: DispatchWorkItem?
    /// The last reason that was said.
    private var said: ConnectionLoss?

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

    /// The same, and why, which is said once for each reason.
    func lose(_ loss: ConnectionLoss, _ output: Output) {
        if loss != said { output.say("\(loss); trying again") }
        said = loss
        lose()
    }

    /// There is one.
    func regain() {
        item?.cancel()
        (item, said) = (nil, nil)
    }
}
