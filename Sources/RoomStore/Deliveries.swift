package import ChatWire

/// The progress of the delivery of a store's operations, or of those of a part of the store, to a receiver outside.
///
/// The store keeps one revision for each room, and the holder of this value delivers. A new room begins with nothing
/// delivered. The rooms that existed when this was first asked for begin with everything delivered.
///
/// - Errors: ``RoomStoreError``.
package protocol Deliveries: AnyObject, Sendable {
    /// Returns the present states of the first `limit` rooms whose names come after `name`; `nil` is before all names.
    ///
    /// - Complexity: O(log rooms + limit), but O(rooms) for rooms in memory.
    func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState]

    /// Returns a room's state; `nil` for a room without operations.
    func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState?

    /// Notes that everything up to a revision was delivered. A crash may lose the note.
    ///
    /// - Errors: `inUse` when another server has begun to deliver.
    func noteDelivered(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError)
}

/// One room, and the revision up to which it was delivered.
package struct DeliveryState: Equatable, Sendable {
    package let room: RoomName
    package let revision: Revision
    package let delivered: Revision

    package init(room: RoomName, revision: Revision, delivered: Revision) {
        self.room = room
        self.revision = revision
        self.delivered = delivered
    }

    package var isBehind: Bool { delivered < revision }
}
