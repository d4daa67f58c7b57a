import ChatWire
import Replicas

/// The rows that a session holds of one list, whatever their type.
protocol FollowedRows: Sendable {
    var epoch: Epoch { get }
    var revision: Revision { get }
    /// The number of rows that are held.
    var size: Int { get }
    var held: HeldRanges { get }
    var earliest: UInt64? { get }
    /// A change of nothing.
    var unchanged: any SomeRowsChange { get }
    /// The change that makes the rows of nothing.
    var insertion: any SomeRowsChange { get }

    func resume(at sort: UInt64?) -> Resume
    mutating func apply(diff: any ListContent, epoch: Epoch) throws(ReplicaError) -> any SomeRowsChange
    mutating func insert(page: any ListContent, epoch: Epoch) throws(ReplicaError) -> any SomeRowsChange
}

/// A change of ``FollowedRows``, whatever their type.
protocol SomeRowsChange {
    /// The rows after the change.
    var rows: any FollowedRows { get }

    /// Returns the change for subscribers.
    func change(
        of list: ListName, _ cause: RoomChange.Cause, in session: inout ClientSession
    ) -> (any ListChange)?
}

/// A change of the rows that are held of one list.
struct RowsChange<Row: FollowedRow>: SomeRowsChange {
    var changes = ReplicaChanges<Row.ID>()
    var gaps = GapChanges(from: [], to: [])
    /// The deleted rows, as they were.
    var deleted: [Row] = []
    /// The rows after the change.
    let replica: Replica<Row>

    var rows: any FollowedRows { replica }

    func change(
        of list: ListName, _ cause: RoomChange.Cause, in session: inout ClientSession
    ) -> (any ListChange)? {
        Row.change(self, of: list, cause, in: &session)
    }
}

extension Replica: FollowedRows where Row: FollowedRow {
    var size: Int { rows.count }

    var unchanged: any SomeRowsChange { RowsChange(replica: self) }

    var insertion: any SomeRowsChange {
        var changes = ReplicaChanges<Row.ID>()
        changes.inserted = rows.map(\.id)
        return RowsChange(changes: changes, gaps: GapChanges(from: [], to: held.gaps), replica: self)
    }

    mutating func apply(diff: any ListContent, epoch: Epoch) throws(ReplicaError) -> any SomeRowsChange {
        guard let diff = diff as? ListDiff<Row> else { throw .malformed("a diff has the rows of another list") }
        let deleted = diff.deletions.compactMap { self[$0] }
        let gaps = held.gaps
        let changes = try apply(diff, epoch: epoch)
        return RowsChange(
            changes: changes, gaps: GapChanges(from: gaps, to: held.gaps), deleted: deleted, replica: self)
    }

    mutating func insert(page: any ListContent, epoch: Epoch) throws(ReplicaError) -> any SomeRowsChange {
        guard let page = page as? ListPage<Row> else { throw .malformed("a page has the rows of another list") }
        let gaps = held.gaps
        let changes = try insert(page, epoch: epoch)
        return RowsChange(changes: changes, gaps: GapChanges(from: gaps, to: held.gaps), replica: self)
    }
}

extension FollowedRow {
    /// Returns the change that makes a snapshot's rows of those that were held.
    static func replacing(
        _ held: (any FollowedRows)?, by snapshot: any SnapshotContent
    ) throws(ReplicaError) -> any SomeRowsChange {
        guard let snapshot = snapshot as? ServerFrame.Snapshot<Self> else {
            throw .malformed("a snapshot has the rows of another list")
        }
        let held = held as? Replica<Self>
        let replica = try Replica(snapshot)
        let changes = ReplicaChanges(from: held, to: replica)
        return RowsChange(
            changes: changes, gaps: GapChanges(from: held?.held.gaps ?? [], to: replica.held.gaps),
            deleted: changes.deleted.compactMap { held?[$0] }, replica: replica)
    }
}
