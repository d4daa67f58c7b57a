public import ChatWire
public import Diffable
public import Replicas

/// One change of the list of the messages that the server sends later for the user, and of their reminders.
///
/// ```swift
/// let subscription = client.laterDidChange.sink { change in
///     for item in change.view.due { print("\(item.id) is due in \(item.light.plan.room)") }
/// }
/// client.openLater()
/// client.schedule("good morning", to: lobby, at: tomorrow)
/// ```
public struct LaterItemsChange: Sendable {
    public let cause: RoomChange.Cause
    /// The changed rows. A row that becomes due is moved.
    public let changes: ReplicaChanges<UniqueID>
    /// The list after the change.
    public let view: LaterItemsView

    /// ``LaterItemsView/snapshot`` with the changed rows marked for reconfigure.
    public var snapshot: Snapshot<LaterItem.Section, UniqueID> {
        var snapshot = view.snapshot
        snapshot.reconfigureItems(changes.reconfigured)
        return snapshot
    }
}

/// The user's messages and reminders for later, as of one revision of the list.
///
/// ```swift
/// if let refusal = view[id]?.light.refusal { print("not sent: \(refusal.message)") }
/// ```
public struct LaterItemsView: Sendable {
    let replica: Replica<LaterItem>

    /// The server's databases that do not answer now, by their numbers from 1. The items are missing then, and come by a
    /// change. Empty for a whole list.
    public var missing: [Int] { replica.missing }

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }

    /// The reminders whose time has come, and the messages that the server could not send; the first one first.
    public var due: [LaterItem] { replica.rows.filter { $0.section == .due } }
    /// The others, the next one first.
    public var waiting: [LaterItem] { replica.rows.filter { $0.section == .waiting } }

    /// The ids of ``due`` and ``waiting``. Both sections are always there.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: Snapshot<LaterItem.Section, UniqueID> {
        var snapshot = Snapshot<LaterItem.Section, UniqueID>()
        snapshot.appendSections([.due, .waiting])
        snapshot.appendItems(due.map(\.id), toSection: .due)
        snapshot.appendItems(waiting.map(\.id), toSection: .waiting)
        return snapshot
    }

    /// Returns the item; `nil` if it is not there.
    public subscript(id: UniqueID) -> LaterItem? { replica[id] }
}
