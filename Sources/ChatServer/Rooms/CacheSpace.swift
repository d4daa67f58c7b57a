/// How many bytes may be kept in one shard of what was encoded for many readers. Confined to its queue.
///
/// The largest frame comes on top, however large it is: a thousand who want the same get it encoded once.
package final class CacheSpace {
    private let limit: Int
    private let hold: (Int) -> Void
    private var used = 0
    /// Of those that were kept since all was forgotten.
    private var largest = 0

    /// - Parameter hold: hears how many bytes more are kept, or fewer.
    package init(limit: Int, hold: @escaping (Int) -> Void) {
        self.limit = limit
        self.hold = hold
    }

    /// Whether all of it is to be forgotten.
    package var isOver: Bool { used > limit + largest }

    /// So many bytes more are kept, or fewer.
    ///
    /// - Parameter frame: how many are those of one frame that is kept.
    package func grow(by bytes: Int, with frame: Int = 0) {
        used += bytes
        largest = used == 0 ? 0 : max(largest, frame)
        if bytes != 0 { hold(bytes) }
    }
}
