import ChatWire
import Synchronization
import WebSocketTransport

/// What was made durable together, and is to reach the sockets together: each reader gets what its rooms have of it in
/// one write, and what the next batch has if that is as good as there.
final class CommittedBatch: Sendable {
    /// Whether its diffs wait for each other.
    let leavesTogether: Bool
    /// When it had become durable.
    let time = Moment.now
    /// The store's when it was asked: if it is another by the time that a room hears of this, some of it may be lost.
    let epoch: Epoch
    private let isFollowed: Bool
    private let parts: Atomic<Int>

    /// - Parameters:
    ///   - rooms: how many have a part in it.
    ///   - shards: how many publish it.
    ///   - isFollowed: another batch is ready to be committed.
    init(rooms: Int, shards: Int, isFollowed: Bool, epoch: Epoch) {
        self.epoch = epoch
        leavesTogether = rooms > 1 || isFollowed
        self.isFollowed = isFollowed
        parts = Atomic(shards)
    }

    /// To be asked once by each shard, when it has published its part: whether that was the last one, and nothing is to
    /// be waited for.
    func isPublishedWithThisPart() -> Bool {
        parts.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 && leavesTogether && !isFollowed
    }
}
