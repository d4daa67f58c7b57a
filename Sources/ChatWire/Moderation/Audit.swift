/// What somebody did to a room, or to others in it: a line of its audit log.
public struct AuditEntry: Equatable, Sendable {
    /// Of the room's messages.
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
        /// A message of somebody else's.
        case deleted(MessageID, of: UserName)
    }
}

/// A part of a room's audit log.
public struct AuditPage: Equatable, Sendable {
    /// Ascending by revision.
    public let entries: [AuditEntry]
    /// Whether there are earlier ones.
    public let more: Bool

    public init(entries: [AuditEntry], more: Bool) {
        self.entries = entries
        self.more = more
    }
}
