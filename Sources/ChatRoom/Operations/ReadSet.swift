package import ChatWire

/// The dependencies of one operation's effect. A store looks up exactly these.
package struct ReadSet: Equatable, Sendable {
    /// The message that the operation changes; `nil` if it changes none.
    package let message: MessageID?
    /// The people whose standings count.
    package let standings: [UserName]
    /// The people whose memberships count, or come or go.
    package let memberships: [UserName]
    /// The person who must wait in slow mode; `nil` for none.
    package let sender: UserName?
    /// The tables to which the operation may add rows, whose sizes count.
    package let tables: [PeopleTable]

    /// Returns the tables to which the operation may add rows in a room. Only one in slow mode has senders.
    package func tables(under configuration: RoomConfiguration) -> [PeopleTable] {
        tables.filter { $0 != .senders || configuration.slowMode > 0 }
    }
}

extension Operation {
    /// Returns what the operation depends on in a room of some kind.
    ///
    /// A send depends on no message: if another one had its id, its command would be known.
    package func readSet(in kind: RoomName.Kind) -> ReadSet {
        switch action {
        case .send:
            ReadSet(message: nil, standings: [author], memberships: [], sender: author, tables: [.senders])
        case .edit(let id, _), .grow(let id, _), .delete(let id), .react(let id, _, _):
            ReadSet(message: id, standings: [author], memberships: [], sender: nil, tables: [])
        case .moderate(let moderation):
            ReadSet(
                message: moderation.pinned, standings: [author] + (moderation.user.map { [$0] } ?? []),
                memberships: moderation.people(in: kind), sender: nil, tables: moderation.tables(in: kind))
        case .join:
            ReadSet(message: nil, standings: [author], memberships: [author], sender: nil, tables: [.members])
        case .leave, .settings:
            ReadSet(message: nil, standings: [author], memberships: [author], sender: nil, tables: [])
        case .create(let new):
            ReadSet(
                message: nil, standings: [author], memberships: [author] + new.people, sender: nil,
                tables: [.members, .standings])
        }
    }

    /// Returns the people of ``readSet(in:)`` who may become a member or be invited.
    package func newcomers(in kind: RoomName.Kind) -> [UserName] {
        switch action {
        case .send, .edit, .grow, .delete, .react, .leave, .settings, .moderate(.ban): []
        case .join: [author]
        case .create(let new): [author] + new.people
        case .moderate(let moderation): moderation.people(in: kind)
        }
    }
}

extension Moderation {
    /// The people whose memberships may come or go. In a private or direct room those come and go with the
    /// appointment; a ban ends them in each room.
    fileprivate func people(in kind: RoomName.Kind) -> [UserName] {
        switch self {
        case .ban(let user): [user]
        case .unban(let user), .appoint(let user, _), .invite(let user): kind == .open ? [] : [user]
        case .mute, .unmute, .kick, .slowMode, .readOnly, .title, .topic, .picture, .pin, .unpin: []
        }
    }

    /// The tables to which it may add rows.
    fileprivate func tables(in kind: RoomName.Kind) -> [PeopleTable] {
        switch self {
        case .mute, .kick, .ban: [.standings]
        case .appoint, .invite, .unban: kind == .open ? [.standings] : [.standings, .members]
        case .unmute, .slowMode, .readOnly, .title, .topic, .picture, .pin, .unpin: []
        }
    }
}
