public import ChatWire
public import Diffable
public import Replicas

/// One change of the list of the user's rooms.
public struct RoomsChange: Sendable {
    public let cause: RoomChange.Cause
    /// The changed rooms, by name. A room in which something was said has moved and is reconfigured.
    public let changes: ReplicaChanges<RoomName>
    /// The list after the change.
    public let view: RoomsView

    /// ``RoomsView/snapshot`` with the changed rooms marked for reconfigure.
    public var snapshot: Snapshot<MyRoom.Section, RoomName> {
        var snapshot = view.snapshot
        snapshot.reconfigureItems(changes.reconfigured)
        return snapshot
    }
}

/// The rooms that the user is a member of, as of one revision of their list.
public struct RoomsView: Sendable {
    let replica: Replica<MyRoom>

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }

    /// The rooms; first the one in which something was said last.
    ///
    /// - Complexity: O(*n*).
    public var rooms: [MyRoom] { replica.rows.reversed() }

    /// The number of unread messages in all rooms.
    ///
    /// - Complexity: O(*n*).
    public var unread: UInt64 { replica.rows.reduce(0) { $0 &+ $1.light.unread } }

    /// The names of ``rooms``.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: Snapshot<MyRoom.Section, RoomName> {
        var snapshot = Snapshot<MyRoom.Section, RoomName>()
        snapshot.appendSections([.rooms])
        snapshot.appendItems(replica.rows.reversed().map(\.id), toSection: .rooms)
        return snapshot
    }

    public subscript(name: RoomName) -> MyRoom? { replica[name] }
}
