package import ChatWire

/// The dependencies of one operation's effect. A store looks up exactly these.
package struct ReadSet: Equatable, Sendable {
    /// The message that the operation changes; `nil` if it changes none.
    package let message: MessageID?
    /// The message whose thread counts; `nil` for none.
    package let thread: MessageID?
    /// True if the message that a thread answers must be in its room.
    package let needsRoot: Bool
    /// The people whose standings count.
    package let standings: [UserName]
    /// The people whose memberships count, or come or go.
    package let memberships: [UserName]
    /// The person who must wait in slow mode; `nil` for none.
    package let sender: UserName?
    /// The tables to which the operation may add rows, whose sizes count.
    package let tables: [PeopleTable]

    init(
        message: MessageID? = nil, thread: MessageID? = nil, needsRoot: Bool = false, standings: [UserName],
        memberships: [UserName] = [], sender: UserName? = nil, tables: [PeopleTable] = []
    ) {
        (self.message, self.thread, self.needsRoot) = (message, thread, needsRoot)
        (self.standings, self.memberships, self.sender, self.tables) = (standings, memberships, sender, tables)
    }

    /// Returns the tables to which the operation may add rows in a room. Only one in slow mode has senders.
    package func tables(under configuration: RoomConfiguration) -> [PeopleTable] {
        tables.filter { $0 != .senders || configuration.slowMode > 0 }
    }
}

extension Operation {
    /// Returns what the operation depends on in a room of some kind, or in a thread of one.
    ///
    /// A send depends on no message: if another one had its id, its command would be known.
    package func readSet(in kind: RoomName.Kind, isThread: Bool = false) -> ReadSet {
        switch action {
        case .send(let content) where isThread: followerReadSet(of: content.mentions.people)
        case .send: ReadSet(standings: [author], sender: author, tables: [.senders])
        case .edit(let id, _), .grow(let id, _), .delete(let id), .react(let id, _, _):
            ReadSet(message: id, standings: [author])
        case .summarize(let id, _): ReadSet(message: id, thread: id, standings: [])
        // A thread has no rules of its own.
        case .moderate where isThread, .create where isThread: ReadSet(standings: [author])
        case .join where isThread: followerReadSet(of: [])
        case .moderate, .join, .leave, .settings, .create: peopleReadSet(in: kind)
        }
    }

    /// - Parameter named: people who may become followers with the author.
    private func followerReadSet(of named: [UserName]) -> ReadSet {
        let people = [author] + named.filter { $0 != author }
        return ReadSet(needsRoot: true, standings: people, memberships: people, tables: [.members])
    }

    private func peopleReadSet(in kind: RoomName.Kind) -> ReadSet {
        switch action {
        case .moderate(let moderation):
            ReadSet(
                message: moderation.pinned, standings: [author] + (moderation.user.map { [$0] } ?? []),
                memberships: moderation.people(in: kind), tables: moderation.tables(in: kind))
        case .join: ReadSet(standings: [author], memberships: [author], tables: [.members])
        case .create(let new):
            ReadSet(standings: [author], memberships: [author] + new.people, tables: [.members, .standings])
        case .leave, .settings, .send, .edit, .grow, .delete, .react, .summarize:
            ReadSet(standings: [author], memberships: [author])
        }
    }

    /// Returns the people of ``readSet(in:isThread:)`` who may become a member of a room or be invited. The followers of a
    /// thread are not among them: it does no harm when someone follows a few threads more than the limit.
    package func newcomers(in room: RoomName) -> [UserName] {
        guard !room.isThread else { return [] }
        switch action {
        case .send, .edit, .grow, .delete, .react, .summarize, .leave, .settings, .moderate(.ban): return []
        case .join: return [author]
        case .create(let new): return [author] + new.people
        case .moderate(let moderation): return moderation.people(in: room.kind)
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
