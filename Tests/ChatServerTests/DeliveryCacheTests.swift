import ChatRoom
import ChatWire
import TestSupport
import Testing

@testable import ChatServer

/// A frame that was encoded for one reader serves the next, within bounds.
struct DeliveryCacheTests {
    private static let epoch = Epoch("e")!
    private static let most = 10_000

    private func cache() -> DeliveryCache<Message, EncodedFrame> {
        DeliveryCache(most: Self.most) { $0 }
    }

    private func delivery(rows: Int, revision: Revision = 1) -> ListDelivery<Message> {
        let messages = (0..<rows).map {
            Message(
                id: UniqueID(high: 0, low: UInt64($0)), section: .history, sort: UInt64($0), rev: revision,
                author: UserName("ann")!, time: 0, content: "message \($0) of \(rows)")
        }
        let proof = ListProof(count: rows, digest: 0)
        let snapshot = ListSnapshot(revision: revision, rows: messages, more: false, proof: proof)
        return .snapshot(snapshot, .fresh, joined: 0)
    }

    @Test(arguments: UInt64(0)..<20)
    func noMoreIsKeptThanItsLimitOrTheNewest(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var cache = cache()
        for _ in 0..<30 {
            let rows = [1, 10, 40, 200].randomElement(using: &random) ?? 1
            let delivery = delivery(rows: rows, revision: .random(in: 1...2, using: &random))
            var another = self.cache()

            let frame = cache.frame(for: delivery, lobby, Self.epoch)

            let isRight = frame == another.frame(for: delivery, lobby, Self.epoch)
            #expect(isRight)
            #expect(cache.bytes <= max(Self.most, frame.bytes.count))
        }
    }

    /// A list of the longest messages is encoded once for all readers, though it is larger than the cache.
    @Test
    func theNewestIsKeptHoweverLargeItIs() {
        var encodings = 0
        var cache = DeliveryCache<Message, EncodedFrame>(most: Self.most) {
            encodings += 1
            return $0
        }

        for _ in 0..<10 { _ = cache.frame(for: delivery(rows: 200), lobby, Self.epoch) }

        #expect(encodings == 1 && cache.bytes > Self.most)
    }

    /// A small budget still has room for the one frame that every reader wants.
    @Test
    func theLargestComesOnTopOfAShardsSpace() {
        let space = CacheSpace(limit: 1_000)

        space.grow(by: 1 << 20, with: 1 << 20)
        #expect(!space.isOver && space.used == 1 << 20)

        space.grow(by: 1_001, with: 1_001)
        #expect(space.isOver)

        space.grow(by: -space.used)
        space.grow(by: 1_001)
        #expect(space.isOver && space.used == 1_001)
    }
}
