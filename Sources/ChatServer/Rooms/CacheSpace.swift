/// The space in one shard for what was encoded for many readers, in bytes.
///
/// The largest frame comes on top, however large it is: a thousand who want the same get it encoded once.
package final class CacheSpace {
    private let limit: Int
    package private(set) var used = 0
    /// Of those that were kept since all was forgotten.
    private var largest = 0

    package init(limit: Int) {
        self.limit = limit
    }

    /// True when all of it is to be forgotten.
    package var isOver: Bool { used > limit + largest }

    /// Counts so many bytes more as kept, or fewer.
    ///
    /// - Parameter frame: the bytes of one frame that is kept.
    package func grow(by bytes: Int, with frame: Int = 0) {
        used += bytes
        largest = used == 0 ? 0 : max(largest, frame)
    }
}
