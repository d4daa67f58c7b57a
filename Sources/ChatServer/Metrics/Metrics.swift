import ChatRoom
import ChatWire
import RoomStore
import Synchronization

/// The server's metrics. Every count is a total since the start.
final class Metrics: Sendable {
    /// A number that only grows.
    final class Counter: Sendable {
        private let value = Atomic<UInt64>(0)

        func add(_ amount: Int) {
            value.add(UInt64(amount), ordering: .relaxed)
        }

        var total: UInt64 {
            value.load(ordering: .relaxed)
        }
    }

    /// A number that grows and shrinks.
    final class Gauge: Sendable {
        private let value = Atomic<Int>(0)

        func add(_ amount: Int) {
            value.add(amount, ordering: .relaxed)
        }

        var now: Int {
            value.load(ordering: .relaxed)
        }
    }

    /// The outcomes of operations that reached the store.
    let operations = Family(["committed", "repeated", "refused"])
    let commitDuration = Histogram(bounds: Histogram.seconds)
    let commitSize = Histogram(bounds: Histogram.powersOfTwo)
    let storeErrors = Counter()
    let commitsRefused = Counter()
    let framesPassedOver = Counter()
    let trimDuration = Histogram(bounds: Histogram.seconds)
    let rowsTrimmed = Counter()
    let bytesFreed = Counter()
    /// The number of times that a room differed from the same room on another server.
    let divergences = Counter()
    let diffs = Counter()
    let diffRows = Counter()
    let revisionsCoalesced = Counter()
    let resumes = Family(["current", "diff", "snapshot"])
    let snapshots = Family(ServerFrame.SnapshotReason.allCases.map(\.rawValue))
    let catchUpDuration = Histogram(bounds: Histogram.seconds)
    let memberDiffs = Counter()
    let inboxDiffs = Counter()
    /// Lists of rooms that are kept up to date.
    let inboxes = Gauge()
    /// Queries to the store about memberships.
    let membershipReads = Counter()
    /// Read marks that were put on disk.
    let marks = Counter()
    /// A person counts once in each room.
    let peopleOnline = Gauge()
    /// The rooms in memory.
    let rooms = Gauge()
    /// A connection counts once for each list.
    let readers = Gauge()
    let commands = Family(ClientFrame.Request.names)
    let errors = Family(WireError.Code.allCases.map(\.rawValue))
    let closes = Family(CloseCode.usual.map { "\($0)" })

    func committed(_ outcomes: [CommitOutcome], in duration: Duration) {
        commitDuration.observe(duration)
        commitSize.observe(Double(outcomes.count))
        for outcome in outcomes {
            switch outcome {
            case .committed: operations.count("committed")
            case .repeated: operations.count("repeated")
            case .conflict, .refused: operations.count("refused")
            }
        }
    }

    /// One diff of so many rows was published, which takes readers so many revisions on.
    func published(rows: Int, revisions: Int) {
        diffs.add(1)
        diffRows.add(rows)
        revisionsCoalesced.add(revisions - 1)
    }

    /// - Parameter resumed: whether the reader resumed, or fell off the log and is brought back.
    func delivered(_ delivery: ListDelivery<Message>, resumed: Bool) {
        switch delivery {
        case .diff(let diff, _):
            if resumed { resumes.count(diff.from == diff.to ? "current" : "diff") }
        case .snapshot(_, let reason, _):
            snapshots.count(reason.rawValue)
            if resumed, reason != .fresh { resumes.count("snapshot") }
        }
    }

    func answered(_ frame: ServerFrame) {
        if case .error(_, let error) = frame { errors.count(error.code.rawValue) }
    }

    /// Counts a close. A code that is neither usual nor ever chosen by this server comes from the peer, and counts as
    /// other.
    func closed(_ code: UInt16) {
        closes.count(closes.has("\(code)") ? "\(code)" : "other")
    }
}
