/// The space in one shard for frames that were encoded for many readers, in bytes.
///
/// The largest frame has space of its own, however large it is, so that it is encoded once for a thousand readers.
package final class CacheSpace {
    private let limit: Int
    package private(set) var used = 0
    /// The bytes of the largest frame since all frames were forgotten.
    private var largest = 0

    package init(limit: Int) {
        self.limit = limit
    }

    /// True when all frames are to be forgotten.
    package var isOver: Bool { used > limit + largest }

    /// Counts so many bytes more as kept, or fewer.
    ///
    /// - Parameter frame: the bytes of one frame that is kept.
    package func grow(by bytes: Int, with frame: Int = 0) {
        used += bytes
        largest = used == 0 ? 0 : max(largest, frame)
    }
}
