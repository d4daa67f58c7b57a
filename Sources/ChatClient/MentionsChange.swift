public import ChatWire
public import Diffable
public import Replicas

/// One change of the list of the messages that mention the user.
///
/// ```swift
/// let subscription = client.mentionsDidChange.sink { change in
///     for id in change.changes.inserted { print("mentioned in \(id.room)") }
/// }
/// client.openMentions()
/// ```
public struct MentionsChange: Sendable {
    public let cause: RoomChange.Cause
    /// The changed rows. One that was edited, or read, is reconfigured.
    public let changes: ReplicaChanges<MyMention.ID>
    /// The list after the change.
    public let view: MentionsView

    /// ``MentionsView/snapshot`` with the changed rows marked for reconfigure.
    public var snapshot: Snapshot<MyMention.Section, MyMention.ID> {
        var snapshot = view.snapshot
        snapshot.reconfigureItems(changes.reconfigured)
        return snapshot
    }
}

/// The newest messages that mention the user, as of one revision of their list, and the older ones that were asked for.
///
/// ```swift
/// for mention in view.mentions { print("\(mention.author): \(mention.light.text)") }
/// if view.hasOlder { client.olderMentions() }
/// ```
public struct MentionsView: Sendable {
    private let replica: Replica<MyMention>
    /// In the order of their times, as of the request: later edits, reads and deletions do not change them.
    public let older: [MyMention]
    /// True when there may be messages that are older than all of ``mentions``.
    public let hasOlder: Bool

    init(_ replica: Replica<MyMention>, _ older: OlderMentions) {
        self.replica = replica
        self.older = older.rows
        hasOlder = older.hasOlder(than: replica)
    }

    /// The server's databases that do not answer now, by their numbers from 1. Some messages are missing then, and come by
    /// a change. Empty for a whole list.
    public var missing: [Int] { replica.missing }

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }

    /// In the order of their times.
    public var mentions: [MyMention] { older + replica.rows }

    /// The number of those that the user has not read.
    ///
    /// - Complexity: O(*n*).
    public var unread: Int { mentions.count { !$0.light.isRead } }

    /// The ids of ``mentions``. Their section is always there.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: Snapshot<MyMention.Section, MyMention.ID> {
        var snapshot = Snapshot<MyMention.Section, MyMention.ID>()
        snapshot.appendSections([.mentions])
        snapshot.appendItems(mentions.map(\.id), toSection: .mentions)
        return snapshot
    }

    public subscript(id: MyMention.ID) -> MyMention? { replica[id] ?? older.first { $0.id == id } }
}
