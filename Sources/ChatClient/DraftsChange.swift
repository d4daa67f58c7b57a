public import ChatWire
public import Diffable
public import Replicas

/// One change of the list of what the user has written and not sent.
///
/// ```swift
/// let subscription = client.draftsDidChange.sink { change in
///     for draft in change.view.drafts { print("\(draft.id): \(draft.light.content.text)") }
/// }
/// client.openDrafts()
/// client.keep("see you th", in: lobby)
/// ```
public struct DraftsChange: Sendable {
    public let cause: RoomChange.Cause
    /// The changed rows. A draft that is written again moves to the end and is reconfigured.
    public let changes: ReplicaChanges<RoomName>
    /// The list after the change.
    public let view: DraftsView

    /// ``DraftsView/snapshot`` with the changed rows marked for reconfigure.
    public var snapshot: Snapshot<Draft.Section, RoomName> {
        var snapshot = view.snapshot
        snapshot.reconfigureItems(changes.reconfigured)
        return snapshot
    }
}

/// The user's drafts, as of one revision of the list.
///
/// ```swift
/// if let draft = view[lobby] { print("you began: \(draft.text)") }
/// ```
public struct DraftsView: Sendable {
    let replica: Replica<Draft>

    /// The server's databases that do not answer now, by their numbers from 1. The drafts are missing then, and come by a
    /// change. Empty for a whole list.
    public var missing: [Int] { replica.missing }

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }

    /// The drafts, one for each room at most, in the order in which they were written.
    public var drafts: [Draft] { replica.rows }

    /// The ids of ``drafts``. Their section is always there.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: Snapshot<Draft.Section, RoomName> {
        var snapshot = Snapshot<Draft.Section, RoomName>()
        snapshot.appendSections([.drafts])
        snapshot.appendItems(drafts.map(\.id), toSection: .drafts)
        return snapshot
    }

    /// Returns the draft in a room; `nil` for none.
    public subscript(room: RoomName) -> MessageContent? { replica[room]?.light.content }
}
