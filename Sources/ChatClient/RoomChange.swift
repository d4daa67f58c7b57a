public import ChatWire
public import Replicas

/// One change of a room, from one state of the server's list to a later one.
///
/// ```swift
/// let subscription = client.didChange.sink { change in
///     for id in change.changes.inserted { print("+ \(change.view[id]?.text ?? "")") }
///     for message in change.deleted { print("- \(message.text)") }
/// }
/// ```
public struct RoomChange: Sendable {
    public let room: RoomName
    public let cause: Cause
    /// The changed messages, by id. A moved row may also have been reloaded or reconfigured.
    public let changes: ReplicaChanges<MessageID>
    public let gaps: GapChanges
    /// The deleted messages, as they were.
    ///
    /// In `changes.deleted` are also those that are only not held any more: the room begins after them now, or they are
    /// in a gap.
    public let deleted: [Message]
    /// The room after the change.
    public let view: RoomView

    public enum Cause: Equatable, Sendable {
        /// The state when the subscriber came: all that is held, as insertions.
        case subscribed
        /// News.
        case live
        /// The first state, or one that replaced the held rows.
        case snapshot(ServerFrame.SnapshotReason)
        /// The changes during an absence.
        case caughtUp
        /// Messages that were asked for.
        case page(RoomPage)
    }
}

/// The messages held of a room as of one revision: its end, and other parts that were loaded.
///
/// ```swift
/// let view = change.view
/// print("\(view.messages.count) of \(view.count) messages, \(view.gaps.count) gaps")
/// if view.hasOlder { client.older(change.room) }
/// ```
///
/// Between two parts is a gap. Inside a part nothing is missing.
public struct RoomView: Sendable {
    let replica: Replica<Message>

    /// The messages in display order.
    public var messages: [Message] { replica.rows }
    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }
    /// The number of messages in the room, held or not.
    public var count: Int { replica.count }
    /// The parts of the room that ``messages`` are.
    public var held: HeldRanges { replica.held }
    /// The gaps between the first message and the last, ascending.
    public var gaps: [ListGap] { held.gaps }
    /// The number of messages in the only gap; `nil` if there are several, or older messages too.
    public var missing: Int? {
        gaps.count == 1 && !hasOlder ? max(0, count - messages.count) : nil
    }
    /// The room has messages before those that are held.
    public var hasOlder: Bool { replica.more }

    /// Finds a held message.
    ///
    /// - Complexity: O(log *n*).
    public subscript(id: MessageID) -> Message? { replica[id] }

    /// Returns the held message that an anchor names; `nil` if that is not held.
    ///
    /// - Complexity: O(log *n*) for an id, else O(*n*).
    public func message(at anchor: PagePlace.Anchor) -> Message? {
        switch anchor {
        case .id(let id): self[id]
        case .revision(let revision): messages.first { $0.sort >= revision } ?? messages.last
        case .time(let time): messages.first { $0.time >= time } ?? messages.last
        }
    }
}

extension ReplicaChanges {
    /// Computes the changes that turn `old` into `new`.
    ///
    /// - Complexity: O(rows of both).
    init<Row: ListRow>(from old: Replica<Row>?, to new: Replica<Row>) where Row.ID == ID {
        self.init()
        deleted = old?.rows.lazy.map(\.id).filter { new[$0] == nil } ?? []
        for row in new.rows {
            guard let before = old?[row.id] else {
                inserted.append(row.id)
                continue
            }
            if (before.section, before.sort) != (row.section, row.sort) { moved.append(row.id) }
            if before.isHeavilyOther(than: row) {
                reloaded.append(row.id)
            } else if before.light != row.light {
                reconfigured.append(row.id)
            }
        }
    }
}

extension ListRow {
    /// Returns whether more than place and light fields differ.
    fileprivate func isHeavilyOther(than other: Self) -> Bool {
        var same = self
        (same.section, same.sort, same.rev, same.light) = (other.section, other.sort, other.rev, other.light)
        same.tag = other.tag
        return same != other
    }
}
