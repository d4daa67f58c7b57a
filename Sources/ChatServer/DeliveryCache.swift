package import ChatRoom
package import ChatWire

/// What was encoded to bring readers to one revision, so that all who come from the same place share it.
package struct DeliveryCache<Row: WireRow> {
    private enum Key: Hashable {
        case diff(since: Revision)
        case snapshot(limit: Int, ServerFrame.SnapshotReason, joined: Revision)
    }

    /// How many distinct deliveries at one revision are kept; readers who come back together come from few places.
    private static var limit: Int { 64 }
    /// And how many bytes of them.
    private static var most: Int { 8 << 20 }

    private var revision: Revision = 0
    private var frames: [Key: EncodedFrame] = [:]
    /// Of all that is kept.
    package private(set) var bytes = 0

    package init() {}

    /// - Complexity: one encoding for each distinct delivery at one revision, whatever the number of readers.
    package mutating func encoded(_ delivery: ListDelivery<Row>, _ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        if delivery.revision != revision || frames.count == Self.limit {
            forget()
            revision = delivery.revision
        }
        let key = Self.key(of: delivery)
        if let frame = frames[key] { return frame }
        let frame = Self.encode(delivery, list, epoch)
        guard frame.bytes.count <= Self.most / 2 else { return frame }
        if bytes + frame.bytes.count > Self.most { forget() }
        frames[key] = frame
        bytes += frame.bytes.count
        return frame
    }

    package mutating func forget() {
        frames = [:]
        bytes = 0
    }

    private static func key(of delivery: ListDelivery<Row>) -> Key {
        switch delivery {
        case .diff(let diff, _): .diff(since: diff.from)
        case .snapshot(let snapshot, let why, let joined):
            .snapshot(limit: snapshot.rows.count, why, joined: joined)
        }
    }

    private static func encode(_ delivery: ListDelivery<Row>, _ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        switch delivery {
        case .diff(let diff, _):
            ServerFrame.encoded(list, epoch, diff)
        case .snapshot(let snapshot, let why, let joined):
            ServerFrame.encoded(list, .init(epoch: epoch, joined: joined, why: why, snapshot: snapshot))
        }
    }
}
