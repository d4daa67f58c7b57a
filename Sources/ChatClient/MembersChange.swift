public import ChatWire
public import Replicas

/// One change of a room's list of members.
///
/// ```swift
/// let subscription = client.membersDidChange.sink { change in
///     for name in change.changes.inserted { print("\(name) is in \(change.room)") }
/// }
/// client.openMembers(of: lobby)
/// ```
public struct MembersChange: Sendable {
    public let room: RoomName
    /// The changed people, by name.
    public let changes: ReplicaChanges<UserName>
    /// The list after the change.
    public let view: MembersView
}

/// The people of a room, as of one revision: its members, those who are invited, and guests who are there or left lately.
///
/// ```swift
/// let typing = view.members.filter(\.light.isTyping).map(\.id.description)
/// print("\(view.count(of: .online)) online; typing: \(typing.joined(separator: ", "))")
/// ```
public struct MembersView: Sendable {
    let replica: Replica<Member>

    public var epoch: Epoch { replica.epoch }
    public var revision: Revision { replica.revision }
    /// The listed people: those online, then those offline, then those who are invited, each by name. Of many people only some are
    /// listed; ``ClientRoom/members(_:)`` finds the others.
    public var members: [Member] { replica.rows }
    /// The number of people in a section, including those without a row.
    public func count(of section: Member.Section) -> Int {
        replica.counts?[section] ?? members.count { $0.section == section }
    }

    public subscript(name: UserName) -> Member? { replica[name] }
}
