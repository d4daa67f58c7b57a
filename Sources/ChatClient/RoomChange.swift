public import ChatWire
public import Diffable

/// One change of a room, from one state of the server's list to a later one.
public struct RoomChange: Sendable {
    public let room: RoomName
    public let cause: Cause
    /// The changed messages, by id. A moved row may also have been reloaded or reconfigured.
    public let changes: ReplicaChanges<MessageID>
    /// The messages of `changes.deleted`, as they were.
    public let deleted: [Message]
    /// The room after the change.
    public let view: RoomView

    public enum Cause: Equatable, Sendable {
        /// News.
        case live
        /// The first state, or one that replaced the held rows.
        case snapshot(ServerFrame.SnapshotReason)
        /// The changes during an absence.
        case caughtUp
        /// Older messages that were asked for.
        case older
    }
}

/// The messages held of a room as of one revision: the end of the room, without a gap.
public struct RoomView: Sendable {
    let replica: Replica<Message>

    /// The messages in display order.
    public var messages: [Message] { replica.rows }
    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }
    /// The number of messages in the room, held or not.
    public var count: Int { replica.count }
    /// Whether there are older messages to ask for.
    public var hasOlder: Bool { replica.more }

    /// Finds a held message.
    ///
    /// - Complexity: O(log *n*).
    public subscript(id: MessageID) -> Message? { replica[id] }

    /// The ids of the messages, section by section. Both sections are always there.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: Snapshot<Message.Section, MessageID> {
        var snapshot = Snapshot<Message.Section, MessageID>()
        snapshot.appendSections(Array(Message.Section.allCases))
        for section in Message.Section.allCases {
            snapshot.appendItems(replica.rows.lazy.filter { $0.section == section }.map(\.id), toSection: section)
        }
        return snapshot
    }
}

extension RoomChange {
    /// ``RoomView/snapshot`` with the changed messages marked for reload and reconfigure.
    public var snapshot: Snapshot<Message.Section, MessageID> {
        var snapshot = view.snapshot
        snapshot.reloadItems(changes.reloaded)
        snapshot.reconfigureItems(changes.reconfigured)
        return snapshot
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
        return same != other
    }
}
