public import ChatWire
public import Diffable
public import Replicas

/// One change of the list of the user's rooms.
///
/// ```swift
/// let subscription = client.roomsDidChange.sink { change in
///     for room in change.view.memberships { print("\(room.id): \(room.light.unread) unread") }
/// }
/// client.openRooms()
/// ```
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

/// One change of the list of the threads that the user follows.
///
/// ```swift
/// let subscription = client.threadsDidChange.sink { change in
///     for thread in change.view.rooms { print("\(thread.light.root?.text ?? ""): \(thread.light.unread) unread") }
/// }
/// client.openThreads()
/// ```
public struct ThreadsChange: Sendable {
    public let cause: RoomChange.Cause
    /// The changed threads, by name. A thread in which something was said has moved and is reconfigured.
    public let changes: ReplicaChanges<RoomName>
    /// The list after the change. A thread is a room in it: see ``ChatWire/RoomName/thread(of:)``.
    public let view: RoomsView
}

/// The rooms that the user is a member of or invited to, as of one revision of their list. Of ``rooms`` and ``archived``
/// only the newest may be there: see ``ChatClient/openRooms(limit:)`` and ``more``.
///
/// ```swift
/// print("\(view.unread) unread messages in \(view.memberships.count) rooms")
/// for invitation in view.invitations { client.join(invitation.id) }
/// ```
public struct RoomsView: Sendable {
    let replica: Replica<MyRoom>

    /// The number of the user's rooms of a section, also of those that have no row: the ones in which nothing was said for
    /// longest.
    public func count(of section: MyRoom.Section) -> Int {
        replica.counts.map { $0[section] ?? 0 } ?? replica.rows.count { $0.section == section }
    }

    /// ``count(of:)`` of each section.
    public var counts: [MyRoom.Section: Int] {
        MyRoom.Section.allCases.reduce(into: [:]) { $0[$1] = count(of: $1) }
    }

    /// True when some of the user's rooms have no row.
    public var more: Bool { counts.values.reduce(0, +) > replica.rows.count }

    /// The server's databases that do not answer now, by their numbers from 1. Some rooms are missing then, and come by a
    /// change. Empty for a whole list.
    public var missing: [Int] { replica.missing }

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }

    /// The rooms that the user is a member of and has neither pinned nor archived; first the one in which something was
    /// said last.
    ///
    /// - Complexity: O(*n*).
    public var rooms: [MyRoom] { rows(in: .rooms) }

    /// The rooms that the user has pinned, in the user's order.
    ///
    /// - Complexity: O(*n*).
    public var pinned: [MyRoom] { rows(in: .pinned) }

    /// The rooms that the user has archived; first the one in which something was said last.
    ///
    /// - Complexity: O(*n*).
    public var archived: [MyRoom] { rows(in: .archived) }

    /// The rooms that the user is invited to; first the one in which something was said last.
    ///
    /// - Complexity: O(*n*).
    public var invitations: [MyRoom] { rows(in: .invited) }

    /// The rooms that the user is a member of: ``pinned``, then ``rooms`` and ``archived``.
    ///
    /// - Complexity: O(*n*).
    public var memberships: [MyRoom] { pinned + rooms + archived }

    /// ``invitations``, then ``pinned``, ``rooms`` and ``archived``.
    ///
    /// - Complexity: O(*n*).
    public var all: [MyRoom] { MyRoom.Section.allCases.flatMap(rows) }

    /// The number of unread messages to notify of: all in ``pinned`` and ``rooms``, but only the mentions
    /// in archived rooms and in muted ones. Rooms without a row do not count.
    ///
    /// - Complexity: O(*n*).
    public var unread: UInt64 { replica.rows.reduce(0) { $0 &+ $1.news } }

    /// The names of the rooms of ``all``. Each section is always there.
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
        let rows = replica.rows.filter { $0.section == section }
        return section == .pinned ? rows : rows.reversed()
    }

    public subscript(name: RoomName) -> MyRoom? { replica[name] }
}

extension MyRoom {
    /// The number of unread messages to notify of: only the mentions where the room is muted or archived.
    public var news: UInt64 {
        switch section {
        case .invited: 0
        case .archived: light.mentions
        case .pinned, .rooms: light.isMuted ? light.mentions : light.unread
        }
    }
}
