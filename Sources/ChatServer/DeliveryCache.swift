package import ChatRoom
package import ChatWire

/// What was encoded to bring readers to one revision, so that all who come from the same place share it.
package struct DeliveryCache {
    fileprivate enum Key: Hashable {
        case diff(since: Revision)
        case snapshot(limit: Int, ServerFrame.SnapshotReason, joined: Revision)
    }

    /// How many distinct deliveries at one revision are kept; readers who come back together come from few places.
    private static let limit = 64

    private var revision: Revision = 0
    fileprivate var frames: [Key: EncodedFrame] = [:]

    package init() {}

    /// - Complexity: one encoding for each distinct delivery at one revision, whatever the number of readers.
    package mutating func encoded(_ delivery: RoomState.Delivery, _ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        if delivery.revision != revision || frames.count == Self.limit {
            revision = delivery.revision
            frames = [:]
        }
        let key = Key(delivery)
        if let frame = frames[key] { return frame }
        let frame = EncodedFrame(delivery, list, epoch)
        frames[key] = frame
        return frame
    }
}

extension DeliveryCache.Key {
    fileprivate init(_ delivery: RoomState.Delivery) {
        switch delivery {
        case .diff(let diff, _): self = .diff(since: diff.from)
        case .snapshot(let snapshot, let why, let joined):
            self = .snapshot(limit: snapshot.rows.count, why, joined: joined)
        }
    }
}

extension EncodedFrame {
    fileprivate init(_ delivery: RoomState.Delivery, _ list: ListName, _ epoch: Epoch) {
        switch delivery {
        case .diff(let diff, _):
            self = ServerFrame.encoded(list, epoch, diff)
        case .snapshot(let snapshot, let why, let joined):
            self = ServerFrame.encoded(
                list, .init(epoch: epoch, joined: joined, why: why, snapshot: snapshot))
        }
    }
}
