/// A line of a room's audit log: something that a person did to the room, or to another person.
public struct AuditEntry: Equatable, Sendable {
    /// The revision of the room's messages.
    public let revision: Revision
    public let time: Milliseconds
    public let author: UserName
    public let deed: Deed

    public init(revision: Revision, time: Milliseconds, author: UserName, deed: Deed) {
        self.revision = revision
        self.time = time
        self.author = author
        self.deed = deed
    }

    public enum Deed: Equatable, Sendable {
        case moderated(Moderation)
        /// A deletion of another person's message.
        case deleted(MessageID, of: UserName)
        /// The creation of a private or direct room.
        case created(NewRoom)
    }
}

/// A part of a room's audit log.
public struct AuditPage: Equatable, Sendable {
    /// Ascending by revision.
    public let entries: [AuditEntry]
    /// True when there are earlier entries.
    public let more: Bool

    public init(entries: [AuditEntry], more: Bool) {
        self.entries = entries
        self.more = more
    }
}
