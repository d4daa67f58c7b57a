import ChatRoom
import ChatWire
import Locking
import RoomStore
import Synchronization

/// What the server counts. Every number is a total since the start.
final class Metrics: Sendable {
    /// One number that only grows.
    final class Counter: Sendable {
        private let value = Atomic<UInt64>(0)

        func add(_ amount: Int) {
            value.add(UInt64(amount), ordering: .relaxed)
        }

        var total: UInt64 {
            value.load(ordering: .relaxed)
        }
    }

    /// One number that grows and shrinks.
    final class Gauge: Sendable {
        private let value = Atomic<Int>(0)

        func add(_ amount: Int) {
            value.add(amount, ordering: .relaxed)
        }

        var now: Int {
            value.load(ordering: .relaxed)
        }
    }

    let committed = Counter()
    let repeated = Counter()
    let refused = Counter()
    let commits = Counter()
    let commitDuration = Histogram(bounds: Histogram.seconds)
    let storeErrors = Counter()
    let diffs = Counter()
    let diffRows = Counter()
    let revisionsCoalesced = Counter()
    let joins = Counter()
    let resumesByDiff = Counter()
    let resumesBySnapshot = Counter()
    let catchUps = Counter()
    let memberDiffs = Counter()
    /// A person counts once in each room.
    let peopleOnline = Gauge()
    let badFrames = Counter()
    let commands = Counter()
    let helloTimeouts = Counter()
    let rateLimited = Counter()

    func committed(_ outcomes: [CommitOutcome], in duration: Duration) {
        commits.add(1)
        commitDuration.observe(duration)
        for outcome in outcomes {
            switch outcome {
            case .committed: committed.add(1)
            case .repeated: repeated.add(1)
            case .conflict, .refused: refused.add(1)
            }
        }
    }

    func published(_ diff: ListDiff<Message>) {
        diffs.add(1)
        diffRows.add(diff.changeCount)
        revisionsCoalesced.add(Int(diff.to - diff.from) - 1)
    }

    /// - Parameter resumed: whether the reader asked, or fell off the log and is fetched back.
    func delivered(_ delivery: ListDelivery<Message>, resumed: Bool) {
        guard resumed else { return catchUps.add(1) }
        switch delivery {
        case .diff: resumesByDiff.add(1)
        case .snapshot(_, .fresh, _): joins.add(1)
        case .snapshot: resumesBySnapshot.add(1)
        }
    }
}

/// How often a duration fell into each of a few ranges.
final class Histogram: Sendable {
    /// Upper bounds in seconds, from a tenth of a millisecond to ten seconds.
    static let seconds: [Double] = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 10]

    struct Reading: Sendable {
        /// How many were at most each bound, in the order of the bounds; then all.
        let cumulative: [UInt64]
        /// In seconds.
        let sum: Double
    }

    let bounds: [Double]
    private let state: Guarded<(counts: [UInt64], sum: Double)>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Guarded((Array(repeating: 0, count: bounds.count + 1), 0))
    }

    func observe(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        let place = bounds.firstIndex { seconds <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum += seconds
        }
    }

    var reading: Reading {
        state.withLock { state in
            var total: UInt64 = 0
            let cumulative = state.counts.map { count in
                total += count
                return total
            }
            return Reading(cumulative: cumulative, sum: state.sum)
        }
    }
}
