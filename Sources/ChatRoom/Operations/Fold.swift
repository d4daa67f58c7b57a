public import ChatWire

/// A message that came, and the instant of the store's time at which it came.
public struct InsertedMessage: Equatable, Sendable {
    public let row: Message
    public let instant: Milliseconds

    public init(_ row: Message, at instant: Milliseconds) {
        (self.row, self.instant) = (row, instant)
    }

    package var change: RowChange { .inserted(row, at: instant) }
}

/// The effect of one operation on the rows or the rules.
public enum RowChange: Equatable, Sendable {
    /// A message came, at this instant of the store's time. Its author, if they are a member, has read up to it. The
    /// people in `following` follow the thread from this message on, which they have not read.
    case inserted(Message, at: Milliseconds, following: [UserName] = [])
    case reloaded(Message)
    case reconfigured(Message)
    /// The message had this sort key.
    case deleted(MessageID, sort: UInt64)
    /// The rules changed, and the rows did not. A ban also ends the user's membership.
    case ruled(RuleChange)
    /// The user became a member of the room. Everything in it counts as read.
    case joined(UserName)
    case left(UserName)
    /// A member's own settings changed. If there is an `unreadFrom`, their read mark goes back to before that sort key.
    case settings(UserName, RoomSettings, unreadFrom: UInt64? = nil)
    /// In a private or direct room, a person's standing and membership changed.
    case affiliated(Affiliation)
    /// The room was created, with these people.
    case created([Affiliation], title: RoomTitle?)
    /// Nothing changed. The operation still gets a revision, so that a repeat gets the first answer; a join, a leave or a
    /// change of settings gets none, because it is its own repeat.
    case nothing

    /// The user who is not a member any more, if they were one.
    public var leaver: UserName? {
        switch self {
        case .left(let user): user
        case .ruled(.standing(let user, let standing)): standing.isBanned ? user : nil
        case .affiliated(let affiliation): affiliation.membership == nil ? affiliation.user : nil
        case .ruled(.slowMode), .ruled(.readOnly), .ruled(.title), .ruled(.topic),
            .ruled(.picture), .ruled(.pins), .joined, .settings, .created, .inserted, .reloaded, .reconfigured,
            .deleted, .nothing:
            nil
        }
    }

    /// The users who become members of the room, or are invited to it.
    package var comers: [(user: UserName, kind: MembershipKind)] {
        switch self {
        case .joined(let user): [(user, .member)]
        case .affiliated(let affiliation): affiliation.membership.map { [(affiliation.user, $0)] } ?? []
        case .created(let affiliations, _): affiliations.compactMap { one in one.membership.map { (one.user, $0) } }
        case .inserted(_, _, let followers): followers.map { ($0, .member) }
        case .ruled, .left, .settings, .reloaded, .reconfigured, .deleted, .nothing: []
        }
    }

    /// The people whose membership, invitation or role in the room may be another one.
    package var affiliates: [UserName] {
        comers.map(\.user) + (leaver.map { [$0] } ?? []) + standings.map(\.user)
    }

    /// The person who has read up to a revision, because they made the change and looked at the room; `nil` for none. If they are not a
    /// member, that changes nothing.
    ///
    /// The revision is above every mark as unread, so ``RoomSettings/allowMark(_:after:)`` allows it.
    package var mark: (user: UserName, revision: Revision)? {
        if case .inserted(let row, _, _) = self, !row.content.isAway { (row.author, row.sort) } else { nil }
    }

    /// Returns how far the people who become members by the change at a revision have read, before ``mark``.
    package func read(at revision: Revision) -> Revision {
        if case .inserted = self { revision - 1 } else { revision }
    }

    /// Returns a room's activity after the change. A deletion does not lower it.
    ///
    /// - Parameter activity: the room's before.
    package func activity(after activity: ActivityStamp) -> ActivityStamp {
        guard case .inserted(_, let instant, _) = self else { return activity }
        return activity.next(at: instant)
    }

    /// The standings that change.
    package var standings: [(user: UserName, standing: Standing)] {
        switch self {
        case .ruled(.standing(let user, let standing)): [(user, standing)]
        case .affiliated(let affiliation): [(affiliation.user, affiliation.standing)]
        case .created(let affiliations, _): affiliations.map { ($0.user, $0.standing) }
        case .ruled(.slowMode), .ruled(.readOnly), .ruled(.title), .ruled(.topic),
            .ruled(.picture), .ruled(.pins), .joined, .left, .settings, .inserted, .reloaded, .reconfigured, .deleted,
            .nothing:
            []
        }
    }
}

/// The reason why an operation was not accepted. The room is unchanged and no revision was used.
public enum Refusal: Error, Equatable, Sendable {
    /// The message does not exist, or no longer.
    case notFound(MessageID)
    /// The message belongs to another user.
    case notYours(MessageID)
    /// The message's text does not grow, or no longer.
    case notOpen(MessageID)
    /// The append names another size than the text has.
    case otherSize(MessageID, size: Int)
    /// The text would exceed the limit.
    case textTooLong(MessageID, size: Int, most: Int)
    /// The message has reached its limit of reactions.
    case tooManyReactions(MessageID)
    /// The author's role is lower than the required one.
    case notGranted(Role, Role)
    /// The author is banned from the room, which is open, and lacks the required role by that.
    case shutOut(Role)
    /// The message would mention everybody in an open room, where the author has this role.
    case noCallToEveryone(Role)
    /// The author is muted for this much longer.
    case muted(for: Milliseconds)
    case readOnly
    /// The room is in slow mode, and the author sent a message lately.
    case tooSoon(wait: Milliseconds)
    /// The affected user was appointed to a role that is not below the author's.
    case notBelow(UserName, Role)
    /// The author is the affected user, and users cannot moderate themselves.
    case yourself
    /// A server of an earlier version still serves the same rooms and does not know this kind of operation.
    case notYet
    /// The operation would create the room, and its author has created many rooms lately.
    case tooManyRooms(wait: Milliseconds)
    /// The author is not a member of the room.
    case notMember
    /// The author is invited to the room, and has not accepted.
    case onlyInvited
    /// The author has joined or created as many rooms as one may.
    case tooManyMemberships(most: Int)
    /// A person of the new room, or an invited one, has the most rooms from others that one may have.
    case tooManyGiven
    /// As many messages of the room are pinned as may be.
    case tooManyPins(most: Int)
    /// The message is not pinned.
    case notPinned(MessageID)
    /// A table of the room has as many rows as it may have.
    case full(PeopleTable, most: Int)
    /// There is an open room of that name, or the command's private room was created before, by another command.
    case roomTaken
    /// The room is private or direct, and does not exist.
    case noRoom
    /// The author is among the people for whom they create a room.
    case yourselfAmongPeople
    /// The room is open: it has no invitations, because everybody who may read it may become a member.
    case open
    /// The user cannot be invited, or join, because they are banned.
    case banned(UserName)
    /// A service makes a user a member of a private room without an invitation.
    case notInvited(UserName)
    /// The room is direct: it has no title, it is for its people, and none of them leaves it.
    case direct
    /// The room is a thread, which has the people and the rules of its room.
    case thread
    /// The message that the thread answers is not in its room, or no longer.
    case noRoot
}

extension Operation {
    /// Folds the operation into the one row that it concerns.
    ///
    /// Names, texts and emojis are compared byte by byte, because any other equality depends on the Unicode version.
    ///
    /// An operation that is accepted under some limits gives the same result under higher ones.
    ///
    /// - Parameters:
    ///   - base: what the operation depends on, all of it loaded.
    ///   - revision: the revision that the operation gets if it is accepted.
    ///   - limits: the fold reads those of reactions, memberships and tables of people.
    /// - Complexity: O(reactions of the row).
    package func fold(
        onto base: FoldBase, at revision: Revision, limits: WireLimits
    ) throws(Refusal) -> RowChange {
        base.requireLoaded()
        try requireRight(under: base)
        if revision == 1, !base.isThread { try requireFounding(of: base.kind) }
        let change = try change(base, at: revision, limits)
        try requirePlaces(for: change, in: base, limits)
        return change
    }

    private func change(
        _ base: FoldBase, at revision: Revision, _ limits: WireLimits
    ) throws(Refusal) -> RowChange {
        switch action {
        case .send(let content):
            guard base.isRooted else { throw .noRoot }
            let followers = newFollowers(naming: content.mentions.people, under: base, limits)
            return .inserted(message(content, at: revision), at: instant, following: followers)
        case .edit(let id, let edit):
            let row = try own(base.row(id), id)
            if edit.mentions.everyone, !row.mentions.everyone { try requireRightToCallEveryone(under: base) }
            return edited(row, by: edit, at: revision)
        case .grow(let id, .close(.stopped)) where mayStop(base.row(id), under: base):
            return .reloaded(try grown(whole(base.row(id), id), by: .close(.stopped), at: revision, limits))
        case .grow(let id, let step):
            return .reloaded(try grown(own(base.row(id), id), by: step, at: revision, limits))
        case .delete(let id):
            // The audit log names the author of a deleted message.
            guard let row = base.row(id), row.author != .unknown else { throw .notFound(id) }
            guard row.author == author || role(under: base) >= .moderate else { throw .notYours(id) }
            return .deleted(id, sort: row.sort)
        case .react(let id, let emoji, let direction):
            guard var row = base.row(id), !row.isDamaged else { throw .notFound(id) }
            guard try row.light.set(emoji, by: author, direction, limits: limits, of: id) else { return .nothing }
            guard direction == .off || row.light.size <= limits.reactionBytes else { throw .tooManyReactions(id) }
            row.rev = revision
            return .reconfigured(row)
        case .summarize(let id, _):
            guard var row = base.row(id), !row.isDamaged, row.thread != base.thread(of: id) else { return .nothing }
            row.light.thread = base.thread(of: id)
            row.rev = revision
            return .reconfigured(row)
        case .moderate, .join, .leave, .settings, .create:
            return try peopleChange(base, at: revision, limits)
        }
    }

    private func peopleChange(
        _ base: FoldBase, at revision: Revision, _ limits: WireLimits
    ) throws(Refusal) -> RowChange {
        switch action {
        case .moderate(let moderation): try moderated(moderation, base, at: revision, limits)
        case .join: try joined(base, limits)
        case .leave: try left(base)
        case .settings(let change): try set(change, base, at: revision)
        case .create(let new): try created(new, base, at: revision, limits: limits)
        case .send, .edit, .grow, .delete, .react, .summarize: .nothing
        }
    }

    private func message(_ content: MessageContent, at revision: Revision) -> Message {
        Message(
            id: command, section: .socket, sort: revision, rev: revision, author: author, time: time, content: content)
    }

    /// Checks that the operation may be a room's first.
    private func requireFounding(of kind: RoomName.Kind) throws(Refusal) {
        switch (kind, action) {
        case (.open, .leave), (.open, .settings): return
        case (.open, _), (_, .create): break
        case (.private, _), (.direct, _): throw .noRoom
        }
        if case .refused(let wait) = founding { throw .tooManyRooms(wait: wait) }
    }

    private func edited(_ row: Message, by edit: ContentEdit, at revision: Revision) -> RowChange {
        let content = row.content.edited(by: edit)
        guard !row.content.isSame(as: content) else { return .nothing }
        var row = row
        row.content = content
        row.edited = time
        row.rev = revision
        return .reloaded(row)
    }

    private func grown(
        _ row: Message, by step: GrowthStep, at revision: Revision, _ limits: WireLimits
    ) throws(Refusal) -> Message {
        guard row.content.growth == .open else { throw .notOpen(row.id) }
        let size = row.text.utf8.count
        guard let content = row.content.grown(by: step) else { throw .otherSize(row.id, size: size) }
        let whole = size + step.size
        guard whole <= limits.text else { throw .textTooLong(row.id, size: whole, most: limits.text) }
        var row = row
        row.content = content
        row.rev = revision
        return row
    }

    /// Returns whether the author may stop another user's message: a moderator may, and those whom it mentions by name.
    private func mayStop(_ row: Message?, under base: FoldBase) -> Bool {
        role(under: base) >= .moderate || row?.mentions.people.contains(author) == true
    }

    private func own(_ row: Message?, _ id: MessageID) throws(Refusal) -> Message {
        let row = try whole(row, id)
        guard row.author == author else { throw .notYours(id) }
        return row
    }

    private func whole(_ row: Message?, _ id: MessageID) throws(Refusal) -> Message {
        guard let row, !row.isDamaged else { throw .notFound(id) }
        return row
    }
}

extension Message.Light {
    /// Sets or removes a user's reaction, and returns whether that changed anything.
    fileprivate mutating func set(
        _ emoji: String, by user: UserName, _ direction: ClientFrame.Switch, limits: WireLimits, of id: MessageID
    ) throws(Refusal) -> Bool {
        let place = reactions.firstIndex { $0.emoji.hasBytes(of: emoji) }
        let stands = place.map { reactions[$0].users.contains(user) } ?? false
        switch direction {
        case .on:
            guard !stands else { return false }
            guard let place else {
                guard reactions.count < limits.reactions else { throw .tooManyReactions(id) }
                reactions.append(Reaction(emoji: emoji, users: [user]))
                return true
            }
            guard reactions[place].users.count < limits.reactors else { throw .tooManyReactions(id) }
            reactions[place].users.append(user)
        case .off:
            guard let place, stands else { return false }
            reactions[place].users.removeAll { $0 == user }
            if reactions[place].users.isEmpty { reactions.remove(at: place) }
        }
        return true
    }
}
