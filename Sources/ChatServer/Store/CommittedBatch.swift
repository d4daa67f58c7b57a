import Synchronization

/// One transaction, and the rule by which its diffs leave together.
///
/// The rule: a reader of several rooms gets a transaction's diffs of all of them in one write.
/// - One shard's diffs are one submission to each event loop, which runs all of it before it writes.
/// - With several shards there are several submissions. Each but the last says that more follow, and the loop corks its
///   output until the last one arrives.
/// - If operations wait for the next transaction already, every submission says that more follow, and readers get the
///   diffs of both transactions in one write.
/// - The submission that ends such a wait ends it on every loop, also on loops for which it has no diffs.
///
/// A loop corks its output for a millisecond, or for four times the duration of its last round of writing, and never for
/// longer than 20 ms, which is the longest delay that a slow shard or disk can cause for the diffs of others.
///
/// Two rules of the loop's own join more diffs in one write, whatever a transaction says (`on_check` in `loop.c`).
/// While each turn brings new frames, the loop puts writing off, for a few turns at most. After it has passed requests
/// on, it corks its output as above, because their diffs may come soon. A single message on a quiet loop leaves at
/// once.
final class CommittedBatch: Sendable {
    /// True when operations wait for the next transaction.
    private let isFollowed: Bool
    /// True when the transaction before this one corked the loops.
    private let follows: Bool
    private let isDivided: Bool
    /// The number of parts that were not submitted yet.
    private let parts: Atomic<Int>

    /// - Parameter shards: the number of shards with a part of the transaction.
    init(shards: Int, isFollowed: Bool, follows: Bool) {
        self.isFollowed = isFollowed
        self.follows = follows
        isDivided = shards > 1
        parts = Atomic(shards)
    }

    /// Submits one shard's part. Each shard calls it once.
    ///
    /// - Parameters:
    ///   - submit: submits the shard's part to the event loops.
    ///   - uncork: tells all event loops that nothing follows.
    func submitPart(_ submit: (Departure) -> Void, uncorking uncork: () -> Void) {
        let isLast = parts.load(ordering: .acquiring) == 1
        submit(departure(ofLast: isLast))
        let isWhole = parts.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
        // The last two parts were submitted at the same time, and neither was known to be the last.
        if isWhole, !isLast, !isFollowed { uncork() }
    }

    private func departure(ofLast isLast: Bool) -> Departure {
        if isFollowed || !isLast { return .withNext }
        return follows || isDivided ? .ending : .atOnce
    }
}

/// The moment at which the diffs of one submission leave an event loop.
enum Departure: Sendable {
    /// As soon as the loop has run the submission.
    case atOnce
    /// With the diffs of the next submission.
    case withNext
    /// As soon as the loop has run the submission, with all diffs that wait. The wait ends on every loop.
    case ending
}
