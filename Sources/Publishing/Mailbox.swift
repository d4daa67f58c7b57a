import Dispatch
import Locking

/// The values on their way from a publisher to a queue.
///
/// Only one thread at a time calls ``put(_:)``, because a publisher hands out one value after the other.
final class Mailbox<Output: Sendable>: Sendable {
    private enum Phase {
        /// Accepts values. Next: `overflowed` or `closed`.
        case open
        /// Accepts no more values; delivers those it has, then the end. Next: `closed`.
        case overflowed
        /// Delivers nothing more.
        case closed
    }

    private struct State {
        var phase = Phase.open
        var demand: Demand
        var backlog = Backlog<Output>()
        /// True when a turn is on the queue, or running.
        var isScheduled = false
    }

    private enum Delivery {
        case value(Output)
        case end(SubscriptionEnd)
    }

    /// The number of deliveries in one turn. After these the queue's other work comes first.
    private static var turnLength: Int { 64 }

    private let queue: DispatchQueue
    private let policy: SlowPolicy<Output>
    private let ended: @Sendable (SubscriptionEnd) -> Void
    private let receive: @Sendable (Output) -> Void
    private let state: Guarded<State>
    /// The number of values for which there is room, where the sender waits for it.
    private let room = DispatchSemaphore(value: 0)

    init(
        queue: DispatchQueue, policy: SlowPolicy<Output>, demand: Demand,
        ended: @escaping @Sendable (SubscriptionEnd) -> Void, receive: @escaping @Sendable (Output) -> Void
    ) {
        switch policy {
        case .keepAll(let limit): precondition(limit > 0, "keepAll(upTo: \(limit)): at least 1")
        case .wait(let limit):
            precondition(limit > 0, "wait(beyond: \(limit)): at least 1")
            for _ in 0..<limit { room.signal() }
        case .keepLatest, .merge: break
        }
        self.queue = queue
        self.policy = policy
        self.ended = ended
        self.receive = receive
        state = Guarded(State(demand: .max(0) + demand))
    }

    func put(_ value: Output) {
        switch policy {
        case .keepAll(let limit):
            change { if $0.backlog.count < limit { $0.backlog.append(value) } else { $0.phase = .overflowed } }
        case .wait:
            guard state.withLock({ $0.phase == .open }) else { return }
            room.wait()
            change { $0.backlog.append(value) }
        case .keepLatest:
            change { $0.backlog = Backlog(value) }
        case .merge(let merge):
            // Take the waiting value out while merging, so that it is not delivered meanwhile.
            let waiting = state.withLock { $0.backlog.popFirst() }
            let merged = waiting.map { merge($0, value) } ?? value
            change { $0.backlog = Backlog(merged) }
        }
    }

    func request(_ demand: Demand) {
        change(in: [.open, .overflowed]) { $0.demand = $0.demand + demand }
    }

    func close() {
        state.withLock { state in
            state.phase = .closed
            state.backlog = Backlog()
        }
        room.signal()  // a publisher does not wait for a subscriber that has gone
    }

    /// Changes the state if it is in one of `phases`, and schedules a turn.
    private func change(in phases: [Phase] = [.open], _ body: (inout State) -> Void) {
        let isDue = state.withLock { state in
            guard phases.contains(state.phase) else { return false }
            body(&state)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isDue { queue.async { self.turn() } }
    }

    private func turn() {
        for _ in 0..<Self.turnLength {
            switch next() {
            case .value(let value):
                room.signal()
                receive(value)
            case .end(let end): ended(end)
            case nil: return
            }
        }
        queue.async { self.turn() }
    }

    /// Returns the next delivery; `nil`, which ends the turn, when there is none.
    private func next() -> Delivery? {
        state.withLock { state in
            if !state.backlog.isEmpty, state.demand.spend(), let value = state.backlog.popFirst() {
                return .value(value)
            }
            if state.phase == .overflowed, state.backlog.isEmpty {
                state.phase = .closed
                return .end(.overflow)
            }
            state.isScheduled = false
            return nil
        }
    }
}

/// A queue of values.
///
/// - Complexity: O(1), amortised, to append and to pop.
struct Backlog<Element> {
    private var coming: [Element] = []
    /// In reverse: the next value is the last element.
    private var going: [Element] = []

    init() {}

    init(_ element: Element) {
        coming = [element]
    }

    var count: Int { coming.count + going.count }
    var isEmpty: Bool { coming.isEmpty && going.isEmpty }

    mutating func append(_ element: Element) {
        coming.append(element)
    }

    mutating func popFirst() -> Element? {
        if going.isEmpty {
            going = coming.reversed()
            coming = []
        }
        return going.popLast()
    }
}
