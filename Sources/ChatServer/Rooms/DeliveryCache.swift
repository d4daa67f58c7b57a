package import ChatRoom
package import ChatWire

/// The frames that were encoded to bring readers to one revision. Readers who come from the same place share one.
///
/// - Shape: `Kept` is the form in which an encoded frame is kept.
package struct DeliveryCache<Row: WireRow, Kept> {
    private enum Key: Hashable {
        case diff(since: Revision, [ListRange]?)
        case snapshot(limit: Int, ServerFrame.SnapshotReason, joined: Revision)
    }

    /// The number of distinct deliveries at one revision that are kept: readers who come back together come from few
    /// places.
    private static var limit: Int { 64 }
    /// The number of bytes of them that are kept. The newest is kept in any case.
    private let most: Int

    private var revision: Revision = 0
    private var frames: [Key: (kept: Kept, bytes: Int)] = [:]
    /// The keys of ``frames``, oldest first.
    private var keys: [Key] = []
    /// The bytes of all that is kept.
    package private(set) var bytes = 0

    private let keep: (EncodedFrame) -> Kept

    package init(most: Int = 8 << 20, keeping keep: @escaping (EncodedFrame) -> Kept) {
        self.most = most
        self.keep = keep
    }

    /// - Complexity: one encoding for each distinct delivery at one revision, whatever the number of readers, and
    ///   however large it is as long as they ask for nothing else in between.
    package mutating func frame(for delivery: ListDelivery<Row>, _ list: ListName, _ epoch: Epoch) -> Kept {
        if delivery.revision != revision {
            forget()
            revision = delivery.revision
        }
        guard let key = Self.key(of: delivery) else { return keep(Self.encode(delivery, list, epoch)) }
        if let frame = frames[key] { return frame.kept }
        let encoded = Self.encode(delivery, list, epoch)
        let kept = keep(encoded)
        frames[key] = (kept, encoded.bytes.count)
        keys.append(key)
        bytes += encoded.bytes.count
        while keys.count > Self.limit || bytes > most, keys.count > 1 { forgetOldest() }
        return kept
    }

    package mutating func forget() {
        frames = [:]
        keys = []
        bytes = 0
    }

    private mutating func forgetOldest() {
        bytes -= frames.removeValue(forKey: keys.removeFirst())?.bytes ?? 0
    }

    /// `nil` for a delivery that is one reader's own.
    private static func key(of delivery: ListDelivery<Row>) -> Key? {
        switch delivery {
        case .diff(let diff, _) where diff.kept != nil: nil
        case .diff(let diff, _): .diff(since: diff.from, diff.ranges)
        case .snapshot(let snapshot, let why, let joined):
            .snapshot(limit: snapshot.rows.count, why, joined: joined)
        }
    }

    private static func encode(_ delivery: ListDelivery<Row>, _ list: ListName, _ epoch: Epoch) -> EncodedFrame {
        switch delivery {
        case .diff(let diff, _):
            diff.encoded(list, epoch)
        case .snapshot(let snapshot, let why, let joined):
            ServerFrame.Snapshot(epoch: epoch, joined: joined, why: why, snapshot: snapshot).encoded(list, epoch)
        }
    }
}
