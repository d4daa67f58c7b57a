public import ChatWire
public import Diffable
public import Replicas

/// One change of the list of the users whom the user has blocked.
///
/// ```swift
/// let subscription = client.blockedDidChange.sink { change in
///     print("blocked: \(change.view.users.map(\.id))")
/// }
/// client.openBlocked()
/// client.block(bob)
/// ```
public struct BlockedChange: Sendable {
    public let cause: RoomChange.Cause
    /// The changed rows.
    public let changes: ReplicaChanges<UserName>
    /// The list after the change.
    public let view: BlockedView

    /// ``BlockedView/snapshot`` with the changed rows marked for reconfigure.
    public var snapshot: Snapshot<BlockedUser.Section, UserName> {
        var snapshot = view.snapshot
        snapshot.reconfigureItems(changes.reconfigured)
        return snapshot
    }
}

/// The users whom the user has blocked, as of one revision of the list.
///
/// In rooms that both are in, the server sends what a blocked user writes: fold it, as here.
///
/// ```swift
/// let text = view[message.author] == nil ? message.text : "a message of a blocked user"
/// ```
public struct BlockedView: Sendable {
    let replica: Replica<BlockedUser>

    /// The server's databases that do not answer now, by their numbers from 1. The users are missing then, and come by a
    /// change. Empty for a whole list.
    public var missing: [Int] { replica.missing }

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }

    /// The blocked users, in the order in which they were blocked.
    public var users: [BlockedUser] { replica.rows }

    /// The ids of ``users``. Their section is always there.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: Snapshot<BlockedUser.Section, UserName> {
        var snapshot = Snapshot<BlockedUser.Section, UserName>()
        snapshot.appendSections([.blocked])
        snapshot.appendItems(users.map(\.id), toSection: .blocked)
        return snapshot
    }

    /// Returns a user's row; `nil` unless the user is blocked.
    public subscript(user: UserName) -> BlockedUser? { replica[user] }
}
