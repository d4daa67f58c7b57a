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

/// The rooms that the user is a member of or invited to, as of one revision of their list.
public struct RoomsView: Sendable {
    let replica: Replica<MyRoom>

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }

    /// The rooms that the user is a member of; first the one in which something was said last.
    ///
    /// - Complexity: O(*n*).
    public var rooms: [MyRoom] { rows(in: .rooms) }

    /// The rooms that the user is invited to; first the one in which something was said last.
    ///
    /// - Complexity: O(*n*).
    public var invitations: [MyRoom] { rows(in: .invited) }

    /// ``invitations``, then ``rooms``.
    ///
    /// - Complexity: O(*n*).
    public var all: [MyRoom] { invitations + rooms }

    /// The number of unread messages in ``rooms``.
    ///
    /// - Complexity: O(*n*).
    public var unread: UInt64 { rooms.reduce(0) { $0 &+ $1.light.unread } }

    /// The names of ``invitations`` and of ``rooms``. Both sections are always there.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: Snapshot<MyRoom.Section, RoomName> {
        var snapshot = Snapshot<MyRoom.Section, RoomName>()
        snapshot.appendSections(Array(MyRoom.Section.allCases))
        for section in MyRoom.Section.allCases {
            snapshot.appendItems(rows(in: section).map(\.id), toSection: section)
        }
        return snapshot
    }

    private func rows(in section: MyRoom.Section) -> [MyRoom] {
        replica.rows.reversed().filter { $0.section == section }
    }

    public subscript(name: RoomName) -> MyRoom? { replica[name] }
}
