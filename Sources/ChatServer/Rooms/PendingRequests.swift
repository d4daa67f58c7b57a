import Locking
import Synchronization

/// Requests of one event loop's connections to rooms. They are gathered while the loop reads, and each shard gets its
/// own at once, so that requests that came together get into one commit.
final class PendingRequests: Sendable {
    private let gathered: Guarded<[[ShardInput]]>

    init(shards: Int) {
        gathered = Guarded(Array(repeating: [], count: shards))
    }

    /// Gathers a request. ``drain()`` follows when the loop's turn ends.
    func add(_ request: ShardInput, toShard shard: Int) {
        gathered.withLock { $0[shard].append(request) }
    }

    /// Removes and returns the requests for each shard, in order.
    func drain() -> [(shard: Int, requests: [ShardInput])] {
        gathered.withLock { gathered in
            gathered.indices.compactMap { shard in
                if gathered[shard].isEmpty { return nil }
                defer { gathered[shard] = [] }
                return (shard, gathered[shard])
            }
        }
    }
}

/// The requests that one event loop handed over at once, in one part for each shard.
final class Round: Sendable {
    private let parts: Atomic<Int>

    init(parts: Int) {
        self.parts = Atomic(parts)
    }

    /// Returns true to the last shard that has done its part. Each shard asks once, then.
    func isOverWithThisPart() -> Bool {
        parts.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}
