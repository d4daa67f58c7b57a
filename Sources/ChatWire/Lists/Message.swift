/// One message of a room: a row of `room/NAME/messages`.
public struct Message: ListRow {
    /// A reader's sections: messages that were there when it joined, and those that have arrived over the socket since.
    public enum Section: String, ListSection {
        case history
        case socket

        public var order: Int {
            switch self {
            case .history: 0
            case .socket: 1
            }
        }
    }

    public typealias Patch = MessagePatch

    /// The fields that change without a new layout.
    public struct Light: Equatable, Sendable {
        public var reactions: [Reaction]
        /// The replies to the message; `nil` for none.
        public var thread: ThreadSummary?

        public init(reactions: [Reaction], thread: ThreadSummary? = nil) {
            self.reactions = reactions
            self.thread = thread
        }

        package var isEmpty: Bool { reactions.isEmpty && thread == nil }

        /// The space that the reactions take in a frame, in bytes: the emoji + 24 for each reaction, the name + 3 for
        /// each user.
        ///
        /// - Complexity: O(names).
        public var size: Int { reactions.size }
    }

    public let id: MessageID
    public var section: Section
    /// The revision that inserted the message.
    public var sort: UInt64
    public var rev: Revision
    /// ``UserName/unknown`` of a damaged message, unless the server knows it.
    public let author: UserName
    /// The time at which the server accepted the message; 0 where the author is not known.
    public let time: Milliseconds
    /// Whether the server's copy is damaged, and cannot be repaired. The content and the reactions are then empty.
    public let isDamaged: Bool
    public var content: MessageContent
    /// The time at which the content was last replaced; `nil` for never.
    public var edited: Milliseconds?
    public var light: Light

    public var text: String { content.text }
    public var replyTo: MessageID? { content.replyTo }
    public var mentions: Mentioned { content.mentions }
    public var reactions: [Reaction] { light.reactions }
    public var thread: ThreadSummary? { light.thread }

    /// Returns whether the message counts as a mention for a member of the room: never for its author.
    public func calls(_ user: UserName) -> Bool { author != user && mentions.includes(user) }

    public init(
        id: MessageID, section: Section, sort: UInt64, rev: Revision, author: UserName, time: Milliseconds,
        content: MessageContent, edited: Milliseconds? = nil, reactions: [Reaction] = [], thread: ThreadSummary? = nil
    ) {
        self.id = id
        self.section = section
        self.sort = sort
        self.rev = rev
        self.author = author
        self.time = time
        self.content = content
        self.edited = edited
        self.light = Light(reactions: reactions, thread: thread)
        isDamaged = false
    }

    /// Makes a row of which the server has no more than the place.
    ///
    /// - Parameter sent: the author and the time of the message; `nil` if they are not known.
    public init(
        damaged id: MessageID, section: Section, sort: UInt64, rev: Revision, sent: (by: UserName, at: Milliseconds)?
    ) {
        (self.id, self.section, self.sort, self.rev) = (id, section, sort, rev)
        (author, time) = (sent?.by ?? .unknown, sent?.at ?? 0)
        (content, light, isDamaged) = ("", Light(reactions: []), true)
    }

    /// Mixes in the 16 bytes, most significant first.
    public static func mix(_ id: MessageID, into hash: inout FNVHash) {
        hash.mix(id.high)
        hash.mix(id.low)
    }

    public func section(joined: Revision) -> Section {
        sort > joined ? .socket : .history
    }
}

/// The people who reacted to one message with one emoji, in the order in which they did.
public struct Reaction: Hashable, Sendable {
    public let emoji: String
    public var users: [UserName]

    public init(emoji: String, users: [UserName]) {
        self.emoji = emoji
        self.users = users
    }
}
