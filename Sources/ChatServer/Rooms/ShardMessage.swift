package import ChatRoom
package import ChatWire

/// A message from one shard to another, for the lists of rooms of the other one's people.
package enum ShardMessage: Sendable {
    /// The shard wants to hear of each change of the rooms. The number is in the answer.
    case watch([RoomName], by: Int, number: UInt64)
    case unwatch([RoomName], by: Int)
    /// From now on the shard is told of each change of the rooms.
    case watched([RoomName], number: UInt64)
    /// Changes of a room, in the order of their revisions, in this epoch of the store.
    case changed(RoomName, [RoomNews], of: Epoch)
    /// The store is said to hold this revision of the room.
    case announced(RoomName, Revision)
    /// The people in the room and those who write there, as far as this server knows. Empty, if no such message comes.
    case occupied(RoomName, Occupancy)
    /// Read marks that are on disk, in this epoch of the store.
    case marked([ReadMark], of: Epoch)
}

/// One change of a room.
package struct RoomNews: Sendable {
    package let revision: Revision
    package let change: RowChange

    package init(revision: Revision, change: RowChange) {
        self.revision = revision
        self.change = change
    }
}
