import ChatClient
import Dispatch

/// The time without a connection after which to give up. Confined to its queue.
final class Patience {
    private let seconds: Int?
    private let queue: DispatchQueue
    private let lost: (Int) -> Void
    private var item: DispatchWorkItem?
    /// The last reason that was printed.
    private var said: ConnectionLoss?

    /// - Parameters:
    ///   - seconds: `nil` for ever.
    ///   - lost: called once with the seconds when they are over.
    init(_ seconds: Int?, on queue: DispatchQueue, lost: @escaping (Int) -> Void) {
        (self.seconds, self.queue, self.lost) = (seconds, queue, lost)
    }

    /// Starts the time, unless it is running.
    func start() {
        guard let seconds, item == nil else { return }
        let item = DispatchWorkItem { [lost] in lost(seconds) }
        self.item = item
        queue.asyncAfter(deadline: .now() + .seconds(seconds), execute: item)
    }

    /// Starts the time, and prints the reason once.
    func start(_ loss: ConnectionLoss, _ output: Output) {
        if loss != said { output.report("\(loss); trying again") }
        said = loss
        start()
    }

    /// Stops the time.
    func regain() {
        item?.cancel()
        (item, said) = (nil, nil)
    }
}
