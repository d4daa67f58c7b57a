import ChatWire

/// Virtual time: what is to happen, and when. What is to happen at one moment happens in the order in which it was said.
final class Clock {
    /// A moment with more steps has no end. A campaign tells how many its busiest moment has, which are some hundreds.
    static let mostSteps = 1_000_000

    private struct Entry {
        let time: Milliseconds
        let order: UInt64
        let body: () -> Void

        func isBefore(_ other: Entry) -> Bool {
            (time, order) < (other.time, other.order)
        }
    }

    private(set) var now: Milliseconds = 0
    /// A heap: no entry is before the one at half its index.
    private var entries: [Entry] = []
    private var said: UInt64 = 0
    /// The number of steps at this moment, and at the busiest one.
    private var steps = 0
    private(set) var busiest = 0

    func after(_ delay: Milliseconds, _ body: @escaping () -> Void) {
        said += 1
        entries.append(Entry(time: now + max(0, delay), order: said, body: body))
        var child = entries.count - 1
        while child > 0, entries[child].isBefore(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Nothing happens any more.
    func stop() {
        entries = []
    }

    /// Lets the next thing happen.
    func step() throws(Standstill) {
        guard !entries.isEmpty else { return }
        entries.swapAt(0, entries.count - 1)
        let first = entries.removeLast()
        sink()
        steps = first.time > now ? 1 : steps + 1
        busiest = max(busiest, steps)
        guard steps <= Self.mostSteps else { throw Standstill() }
        now = first.time
        first.body()
    }

    /// The first entry to where it belongs.
    private func sink() {
        var parent = 0
        while 2 * parent + 1 < entries.count {
            var child = 2 * parent + 1
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(entries[parent]) else { return }
            entries.swapAt(parent, child)
            parent = child
        }
    }
}

/// A moment without an end: whatever happens in it makes more happen at once.
struct Standstill: Error, CustomStringConvertible {
    var description: String { "time stands still: more than \(Clock.mostSteps) steps at one moment" }
}

/// Something that runs, may be stopped for a while, and may end for good.
final class Process {
    let clock: Clock
    private(set) var isAlive = true
    private var wakes: Milliseconds = 0

    init(_ clock: Clock) {
        self.clock = clock
    }

    func kill() {
        isAlive = false
    }

    /// SIGSTOP, and SIGCONT after a while.
    func stop(for time: Milliseconds) {
        wakes = max(wakes, clock.now + time)
    }

    func after(_ delay: Milliseconds, _ body: @escaping () -> Void) {
        clock.after(delay) { [self] in run(body) }
    }

    private func run(_ body: @escaping () -> Void) {
        guard isAlive else { return }
        guard clock.now >= wakes else { return after(wakes - clock.now, body) }
        body()
    }
}

/// A queue that delivers each element to its reader after its time, and never in another order.
final class Pipe<Item> {
    private let reader: Process
    private let deliver: (Item) -> Void
    private var items: [Item] = []
    private var isHeld = false
    private var late = 0

    init(to reader: Process, _ deliver: @escaping (Item) -> Void) {
        self.reader = reader
        self.deliver = deliver
    }

    func put(_ item: Item, after delay: Milliseconds) {
        items.append(item)
        reader.after(delay) { self.take() }
    }

    /// Loses what is in it.
    func spill() {
        items = []
    }

    func hold() {
        isHeld = true
    }

    func release() {
        isHeld = false
        for _ in 0..<late { reader.after(0) { self.take() } }
        late = 0
    }

    private func take() {
        if isHeld {
            late += 1
        } else if !items.isEmpty {
            deliver(items.removeFirst())
        }
    }
}
