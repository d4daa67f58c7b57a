package import ChatWire

/// How far what happened in each room of a store, or of a part of it, was told to somebody outside: the store keeps it,
/// and whoever holds this tells.
///
/// A room that is new begins with nothing told; those that were there when somebody first asked for this begin with
/// all of it told.
///
/// - Errors: ``RoomStoreError``.
package protocol Deliveries: AnyObject, Sendable {
    /// The first `limit` rooms whose names come after `name`, as they stand; `nil` for all.
    ///
    /// - Complexity: O(log rooms + limit), but O(rooms) for rooms in memory.
    func states(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState]

    /// `nil` for a room that nobody has written to.
    func state(of room: RoomName) throws(RoomStoreError) -> DeliveryState?

    /// What happened up to a revision was told. After a crash it may be that it was not.
    ///
    /// - Errors: `inUse` when another server tells by now.
    func told(_ room: RoomName, upTo revision: Revision) throws(RoomStoreError)
}

/// One room, and how far it was told.
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
