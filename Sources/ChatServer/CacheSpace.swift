/// How many bytes may be kept in one shard of what was encoded for many readers. Confined to its queue.
final class CacheSpace {
    private let limit: Int
    private let hold: (Int) -> Void
    private var used = 0

    /// - Parameter hold: hears how many bytes more are kept, or fewer.
    init(limit: Int, hold: @escaping (Int) -> Void) {
        self.limit = limit
        self.hold = hold
    }

    /// Whether all of it is to be forgotten.
    var isOver: Bool { used > limit }

    func grow(by bytes: Int) {
        guard bytes != 0 else { return }
        used += bytes
        hold(bytes)
    }
}
