public import ChatWire

/// One change that a person makes to a room or its messages.
///
/// The operation carries everything that the fold needs: the result depends on no clock, randomness or locale.
public struct Operation: Equatable, Sendable {
    /// The id by which a repeat is recognised. A send uses its message's id.
    public let command: CommandID
    public let author: UserName
    /// The author's role at the time. The author of a repeat may have another role by then.
    public let role: Role
    /// The time of day at which the server accepted the operation, for people to read.
    public let time: Milliseconds
    /// The store's time at which the operation is committed, by a ``StoreTime``: it decides what follows from time, and
    /// does not jump with the clock.
    package var instant: Milliseconds
    public let action: RoomAction
    /// The author's right to create the room. It is not stored, because it changes with time.
    package var founding = Founding.allowed
    /// It is not stored, because it only decides whether the operation is accepted.
    package var requester = Requester.user

    public init(command: CommandID, author: UserName, role: Role, time: Milliseconds, action: RoomAction) {
        self.command = command
        self.author = author
        self.role = role
        self.time = time
        instant = time
        self.action = action
    }

    /// The time by which the store's time was ahead of the time of day; negative if it was behind.
    package var drift: Milliseconds { instant.since(time) }

    /// On whose account an operation is made.
    package enum Requester: Equatable, Sendable {
        /// The author's. The room's rules decide what they may.
        case user
        /// The operator's: a service has an owner's rights in every room.
        case service
    }

    /// The right of an operation to be a room's first, which creates the room.
    package enum Founding: Equatable, Sendable {
        case allowed
        /// Allowed, and counted toward the rooms that its author may create.
        case counted
        /// Refused, because the author has reached the limit. `wait` is the time until the author may create a room
        /// again.
        case refused(wait: Milliseconds)
    }

    /// The message that the operation concerns; `nil` if it concerns none.
    public var message: MessageID? {
        switch action {
        case .send: command
        case .edit(let id, _), .grow(let id, _), .delete(let id), .react(let id, _, _), .summarize(let id, _): id
        case .moderate, .join, .leave, .settings, .create: nil
        }
    }

    /// Returns whether `other` is a repeat: all is equal but the time and the role.
    public func repeats(_ other: Operation) -> Bool {
        command == other.command && author == other.author && action.isSame(as: other.action)
    }

    /// Returns the operation as stores keep it: an edit with what it leaves as it was, too, and a summary with its values.
    ///
    /// - Parameters:
    ///   - row: the message that the operation concerns, as it stood before.
    ///   - change: the operation's effect.
    package func whole(about row: Message?, _ change: RowChange) -> Operation {
        switch (action, row, change) {
        case (.edit(let id, let edit), let row?, _):
            var whole = ContentEdit(to: row.content.edited(by: edit))
            if edit.data?.isEmpty == true { whole.data = .empty }
            return replacing(.edit(id, whole))
        case (.summarize(let id, _), _, .reconfigured(let row)): return replacing(.summarize(id, row.thread))
        case (_, _, _): return self
        }
    }

    private func replacing(_ action: RoomAction) -> Operation {
        var operation = Operation(command: command, author: author, role: role, time: time, action: action)
        (operation.instant, operation.founding, operation.requester) = (instant, founding, requester)
        return operation
    }

    /// Returns the operation's entry in the audit log: an action on the room or on another person's message.
    ///
    /// - Parameter row: the message that the operation concerns, as it stood before.
    public func deed(to row: Message?) -> AuditEntry.Deed? {
        switch action {
        case .moderate(let moderation): return .moderated(moderation)
        case .delete(let id):
            guard let row, row.author != author else { return nil }
            return .deleted(id, of: row.author)
        case .create(let new): return .created(new)
        case .send, .edit, .grow, .react, .summarize, .join, .leave, .settings: return nil
        }
    }
}

extension RoomAction {
    /// Texts are equal when their bytes are, as in every store.
    ///
    /// - Parameter other: the action of an earlier operation. An earlier version stored its text as it was sent, also with
    ///   the line ends that are converted now.
    fileprivate func isSame(as other: RoomAction) -> Bool {
        switch (self, other) {
        case (.send(let content), .send(let before)): content.isEntered(as: before)
        case (.edit(let id, let edit), .edit(let edited, let before)): id == edited && edit.isMade(by: before)
        case (.grow(let id, let step), .grow(let grown, let before)): id == grown && step.isSame(as: before)
        case (.react(_, let emoji, _), .react(_, let before, _)): self == other && emoji.hasBytes(of: before)
        case (.summarize(let id, _), .summarize(let before, _)): id == before
        case _: self == other
        }
    }
}

extension ContentEdit {
    /// Returns whether a content that the other edit has made stays the same.
    fileprivate func isMade(by other: ContentEdit) -> Bool {
        let content = MessageContent("").edited(by: other)
        return content.edited(by: self).isEntered(as: content)
    }
}

extension MessageContent {
    fileprivate func isEntered(as stored: MessageContent) -> Bool {
        isSame(as: stored) || isSame(as: stored.entered)
    }
}
