import ChatWire
import RoomStore

/// The deliveries of a ``SQLiteStore``, which reads and writes them over its own connections.
final class SQLiteDeliveries: Deliveries {
    private let store: SQLiteStore

    init(of store: SQLiteStore) throws(RoomStoreError) {
        self.store = store
        try store.beginDeliveries()
    }

    func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        // Take the notes before the file is read, so that a note that is written meanwhile is not missed.
        let notes = store.deliveryNotes
        return try store.deliveryStates(after: name, limit: limit).map { $0.delivered(atLeast: notes[$0.room]) }
    }

    func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState? {
        let notes = store.deliveryNotes
        return try store.deliveryState(of: room)?.delivered(atLeast: notes[room])
    }

    func noteDelivered(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError) {
        try store.noteDelivery(room, upTo: revision)
    }
}

extension DeliveryState {
    fileprivate func delivered(atLeast note: Revision?) -> DeliveryState {
        DeliveryState(room: room, revision: revision, delivered: max(delivered, note ?? 0))
    }
}
