import Testing

@testable import ChatServer

/// The rule by which the diffs of one transaction leave in one write.
struct CommittedBatchTests {
    /// When each shard's part leaves, and how often all loops were uncorked besides.
    private func submitPart(_ batch: CommittedBatch, shards: Int) -> (departures: [Departure], uncorked: Int) {
        var departures: [Departure] = []
        var uncorked = 0
        for _ in 0..<shards {
            batch.submitPart({ departures.append($0) }, uncorking: { uncorked += 1 })
        }
        return (departures, uncorked)
    }

    @Test
    func aTransactionOfOneShardLeavesAtOnce() {
        let batch = CommittedBatch(shards: 1, isFollowed: false, follows: false)

        #expect(submitPart(batch, shards: 1) == ([.atOnce], 0))
    }

    /// A loop with readers of the first part's rooms only must not wait either.
    @Test
    func theLastOfSeveralPartsEndsTheWaitOnEveryLoop() {
        let batch = CommittedBatch(shards: 3, isFollowed: false, follows: false)

        #expect(submitPart(batch, shards: 3) == ([.withNext, .withNext, .ending], 0))
    }

    @Test
    func aTransactionThatIsFollowedLeavesWithTheNext() {
        let first = CommittedBatch(shards: 2, isFollowed: true, follows: false)
        let second = CommittedBatch(shards: 1, isFollowed: false, follows: true)

        #expect(submitPart(first, shards: 2) == ([.withNext, .withNext], 0))
        #expect(submitPart(second, shards: 1) == ([.ending], 0))
    }

    /// Two shards that submit at the same time both say that more follow. The one that ends last takes that back.
    @Test
    func partsAtTheSameTimeAreUncorked() {
        let batch = CommittedBatch(shards: 2, isFollowed: false, follows: false)
        var departures: [Departure] = []
        var uncorked = 0

        batch.submitPart(
            { departure in
                departures.append(departure)
                batch.submitPart({ departures.append($0) }, uncorking: { uncorked += 1 })
            }, uncorking: { uncorked += 1 })

        #expect(departures == [.withNext, .withNext] && uncorked == 1)
    }
}
