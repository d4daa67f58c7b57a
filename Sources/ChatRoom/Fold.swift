public import ChatWire

/// What one operation does to the rows, or to the rules.
public enum RowChange: Equatable, Sendable {
    case inserted(Message)
    case reloaded(Message)
    case reconfigured(Message)
    case deleted(MessageID)
    /// The rows are as they were.
    case ruled(RuleChange)
    /// It was so already. The revision counts all the same, so that a repeat gets the first answer.
    case nothing
}

/// Why an operation was not accepted. The room is as it was, and no revision was used.
public enum Refusal: Error, Equatable, Sendable {
    /// The message is not there, or no longer.
    case notFound(MessageID)
    /// The message is somebody else's.
    case notYours(MessageID)
    /// The message's id names another message already.
    case idTaken(MessageID)
    /// The message has as many reactions as it may have.
    case tooManyReactions(MessageID)
    /// Its author has a lower role than the one that it takes.
    case notGranted(Role, Role)
    /// Its author is muted, for that long yet.
    case muted(for: Milliseconds)
    case readOnly
    /// The room is slow, and its author sent lately.
    case tooSoon(wait: Milliseconds)
    /// Whom it is done to was appointed to a role that is not below its author's.
    case notBelow(UserName, Role)
    /// Nobody moderates themselves.
    case yourself
    /// A server of an earlier version, which does not know of such a thing, is still running on the same rooms.
    case notYet
    /// It would be the room's first, and its author has made many rooms lately.
    case tooManyRooms(wait: Milliseconds)
}

extension Operation {
    /// Folds the operation into the one row that it is about.
    ///
    /// Names, texts and emojis are compared byte by byte: what counts as equal otherwise depends on the Unicode version.
    ///
    /// An operation that was accepted under some limits folds to the same under higher ones.
    ///
    /// - Parameters:
    ///   - row: the message as it stands, or `nil` if there is none.
    ///   - rules: what holds in the room, as far as it is about its author and about whom it is done to.
    ///   - revision: the revision that the operation gets if it is accepted.
    ///   - limits: `reactions`, `reactors` and `reactionBytes` of them.
    /// - Complexity: O(reactions of the row).
    public func fold(
        onto row: Message?, under rules: RoomRules, at revision: Revision, limits: WireLimits
    ) throws(Refusal) -> RowChange {
        try requireRight(under: rules)
        if revision == 1, case .refused(let wait) = founding { throw .tooManyRooms(wait: wait) }
        switch action {
        case .send(let text, let replyTo):
            guard row == nil else { throw .idTaken(command) }
            return .inserted(
                Message(
                    id: command, section: .socket, sort: revision, rev: revision, author: author, time: time,
                    text: text, replyTo: replyTo))
        case .edit(let id, let text):
            var row = try own(row, id)
            guard !row.text.hasBytes(of: text) else { return .nothing }
            row.text = text
            row.edited = time
            row.rev = revision
            return .reloaded(row)
        case .delete(let id):
            guard let row else { throw .notFound(id) }
            guard row.author == author || role(under: rules) >= .moderate else { throw .notYours(id) }
            return .deleted(id)
        case .react(let id, let emoji, let direction):
            guard var row else { throw .notFound(id) }
            guard try row.light.set(emoji, by: author, direction, limits: limits, of: id) else { return .nothing }
            guard direction == .off || row.light.size <= limits.reactionBytes else { throw .tooManyReactions(id) }
            row.rev = revision
            return .reconfigured(row)
        case .moderate(let moderation):
            return rules.change(moderation, at: time, revision).map(RowChange.ruled) ?? .nothing
        }
    }

    private func own(_ row: Message?, _ id: MessageID) throws(Refusal) -> Message {
        guard let row else { throw .notFound(id) }
        guard row.author == author else { throw .notYours(id) }
        return row
    }
}

extension Message.Light {
    /// Returns whether that changed anything.
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
