/// One message of a room: a row of `room/NAME/messages`.
public struct Message: ListRow {
    /// Where a reader has it: what was there when it joined, or what has arrived over the socket since.
    public enum Section: String, ListSection {
        case history
        case socket
    }

    /// What changes without a new layout.
    public struct Light: Equatable, Sendable {
        public var reactions: [Reaction]

        public init(reactions: [Reaction]) {
            self.reactions = reactions
        }

        /// What it takes in a frame, in bytes: of each reaction its emoji and 24, of each name behind it the name and 3.
        ///
        /// - Complexity: O(names).
        public var size: Int {
            reactions.reduce(0) { size, reaction in
                reaction.users.reduce(size + 24 + reaction.emoji.utf8.count) { $0 + 3 + $1.description.utf8.count }
            }
        }
    }

    public let id: MessageID
    public var section: Section
    /// The revision that inserted the message.
    public var sort: UInt64
    public var rev: Revision
    public let author: UserName
    /// When the server took it.
    public let time: Milliseconds
    public var text: String
    /// When its text was last replaced; `nil` for never.
    public var edited: Milliseconds?
    /// The message that this one answers. It may have been deleted since.
    public let replyTo: MessageID?
    public var light: Light

    public var reactions: [Reaction] { light.reactions }

    public init(
        id: MessageID, section: Section, sort: UInt64, rev: Revision, author: UserName, time: Milliseconds,
        text: String, edited: Milliseconds? = nil, replyTo: MessageID? = nil, reactions: [Reaction] = []
    ) {
        self.id = id
        self.section = section
        self.sort = sort
        self.rev = rev
        self.author = author
        self.time = time
        self.text = text
        self.edited = edited
        self.replyTo = replyTo
        self.light = Light(reactions: reactions)
    }

    /// The 16 bytes, most significant first.
    public static func mix(_ id: MessageID, into hash: inout FNVHash) {
        hash.mix(id.high)
        hash.mix(id.low)
    }

    public func section(joined: Revision) -> Section {
        sort > joined ? .socket : .history
    }
}

/// Everybody who reacted to one message with one emoji, in the order in which they did.
public struct Reaction: Hashable, Sendable {
    public let emoji: String
    public var users: [UserName]

    public init(emoji: String, users: [UserName]) {
        self.emoji = emoji
        self.users = users
    }
}
