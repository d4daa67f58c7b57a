package import ChatWire
import Locking
package import RoomStore

extension InMemoryStore: Deliveries {
    package func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? {
        let revisions = revisions
        delivered.withLock { delivered in
            if delivered == nil { delivered = revisions }
        }
        return self
    }

    package func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        let later = revisions.filter { room, _ in name.map(room.follows) ?? true }
        let first = later.sorted { $1.key.follows($0.key) }.prefix(limit)
        return delivered.withLock { delivered in
            first.map { DeliveryState(room: $0.key, revision: $0.value, delivered: delivered?[$0.key] ?? 0) }
        }
    }

    package func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState? {
        guard let revision = revisions[room] else { return nil }
        return DeliveryState(room: room, revision: revision, delivered: delivered.withLock { $0?[room] ?? 0 })
    }

    package func noteDelivered(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError) {
        delivered.withLock { $0?[room] = revision }
    }
}
