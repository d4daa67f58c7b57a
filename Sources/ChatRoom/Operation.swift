public import ChatWire

/// One thing that somebody did to a room's messages, or to the room. All that the fold needs comes with it: no clock, no
/// randomness and no locale decide what becomes of it.
public struct Operation: Equatable, Sendable {
    /// Known for one when it is repeated. A send's is its message's id.
    public let command: CommandID
    public let author: UserName
    /// As what its author did it. A repeat may come from somebody who is something else by now.
    public let role: Role
    /// When the server took it.
    public let time: Milliseconds
    public let action: Action
    /// Not kept: who may make rooms is a question of the moment.
    package var founding = Founding.allowed

    public init(command: CommandID, author: UserName, role: Role, time: Milliseconds, action: Action) {
        self.command = command
        self.author = author
        self.role = role
        self.time = time
        self.action = action
    }

    /// Whether it may be a room's first, by which the room is made.
    package enum Founding: Equatable, Sendable {
        case allowed
        /// If it is, it is one of those that its author may make: one was taken.
        case counted
        /// Its author has made as many as are allowed, for that long yet.
        case refused(wait: Milliseconds)
    }

    public enum Action: Equatable, Sendable {
        case send(text: String, replyTo: MessageID?)
        case edit(MessageID, text: String)
        case delete(MessageID)
        case react(MessageID, emoji: String, ClientFrame.Switch)
        case moderate(Moderation)
    }

    /// The message that it is about; `nil` if it is about none.
    public var message: MessageID? {
        switch action {
        case .send: command
        case .edit(let id, _), .delete(let id), .react(let id, _, _): id
        case .moderate: nil
        }
    }

    /// Whether `other` says the same thing again: everything is equal but the time at which it came,
    /// and the role.
    public func repeats(_ other: Operation) -> Bool {
        command == other.command && author == other.author && action.isSame(as: other.action)
    }

    /// What of it belongs into the audit log: what was done to the room, or to somebody else's.
    ///
    /// - Parameter row: the message that it is about, as it stood.
    public func deed(to row: Message?) -> AuditEntry.Deed? {
        switch action {
        case .moderate(let moderation): return .moderated(moderation)
        case .delete(let id):
            guard let row, row.author != author else { return nil }
            return .deleted(id, of: row.author)
        case .send, .edit, .react: return nil
        }
    }
}

extension Operation.Action {
    /// Texts are the same when their bytes are, as every store's.
    fileprivate func isSame(as other: Operation.Action) -> Bool {
        guard self == other else { return false }
        switch (self, other) {
        case (.send(let text, _), .send(let said, _)), (.edit(_, let text), .edit(_, let said)),
            (.react(_, let text, _), .react(_, let said, _)):
            return text.hasBytes(of: said)
        case _: return true
        }
    }
}
