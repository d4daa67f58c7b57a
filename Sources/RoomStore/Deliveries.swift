package import ChatWire

/// The progress of telling somebody outside what happens in the rooms of a store, or of a part of it.
///
/// The store keeps one revision for each room, and the holder of this value does the telling. A new room begins with
/// nothing told. The rooms that existed when this was first asked for begin with everything told.
///
/// - Errors: ``RoomStoreError``.
package protocol Deliveries: AnyObject, Sendable {
    /// Returns the present states of the first `limit` rooms whose names come after `name`; `nil` is before all names.
    ///
    /// - Complexity: O(log rooms + limit), but O(rooms) for rooms in memory.
    func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState]

    /// Returns a room's state; `nil` if nobody has written to the room.
    func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState?

    /// Notes that everything up to a revision was told. A crash may lose the note.
    ///
    /// - Errors: `inUse` when another server has begun to tell.
    func told(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError)
}

/// One room, and the revision up to which it was told.
package struct DeliveryState: Equatable, Sendable {
    package let room: RoomName
    package let revision: Revision
    package let told: Revision

    package init(room: RoomName, revision: Revision, told: Revision) {
        self.room = room
        self.revision = revision
        self.told = told
    }

    package var isBehind: Bool { told < revision }
}
