/// One room of a person: a row of `me/rooms`, or of `me/threads` if it is a thread that the person follows.
///
/// - Shape: `sort` grows with the room's last activity: the room of a section in which something was said last has the
///   highest key. In the section `pinned` it is the place that the person has chosen, whatever is said.
public struct MyRoom: ListRow {
    public enum Section: String, ListSection {
        /// The person is invited, and has neither accepted nor declined.
        case invited
        /// The person has given the room a place.
        case pinned
        case rooms
        /// The person has put the room away, also one with a place.
        case archived

        public var order: Int {
            switch self {
            case .invited: 0
            case .pinned: 1
            case .rooms: 2
            case .archived: 3
            }
        }
    }

    /// The state of the room for the person.
    public struct Light: Equatable, Sendable {
        /// The number of the room's messages above ``read``.
        public var unread: UInt64
        /// The number of those that mention the person, and that the person did not write.
        public var mentions: UInt64
        /// The person's read mark, the same on all their devices: the revision of the room's messages up to which they
        /// have read.
        public var read: Revision
        /// The person who invited the user, as long as the user is only invited; `nil` if unknown.
        public var inviter: UserName?
        /// The room's title; `nil` for none.
        public var title: RoomTitle?
        /// The room's picture; `nil` for none.
        public var picture: Picture?
        /// True when the person wants no news of the room but mentions.
        public var isMuted: Bool
        /// True when the person has marked the room as unread, and has not read it since.
        public var isMarked: Bool
        /// The room's newest message; `nil` if it has none.
        public var last: LastMessage?
        /// The message that a thread answers; `nil` if it was deleted, and for a room that is no thread.
        public var root: LastMessage?
        /// True while another person is writing in the room.
        public var isTyping: Bool
        /// True while another person is in the room, if it is a direct one.
        public var isHere: Bool

        public init(
            unread: UInt64 = 0, mentions: UInt64 = 0, read: Revision = 0, inviter: UserName? = nil,
            title: RoomTitle? = nil, picture: Picture? = nil, isMuted: Bool = false, isMarked: Bool = false,
            last: LastMessage? = nil, root: LastMessage? = nil, isTyping: Bool = false, isHere: Bool = false
        ) {
            self.unread = unread
            self.mentions = mentions
            self.read = read
            self.inviter = inviter
            self.title = title
            self.picture = picture
            self.isMuted = isMuted
            self.isMarked = isMarked
            self.last = last
            self.root = root
            self.isTyping = isTyping
            self.isHere = isHere
        }
    }

    public let id: RoomName
    public var section: Section
    public var sort: UInt64
    public var rev: Revision
    public var tag: UniqueID?
    /// The other people of a direct room, in the order of their names' bytes; empty for another room. They never
    /// change.
    public let people: [UserName]
    public var light: Light

    public init(
        id: RoomName, section: Section = .rooms, sort: UInt64, rev: Revision, tag: UniqueID? = nil,
        people: [UserName] = [], light: Light = Light()
    ) {
        self.id = id
        self.section = section
        self.sort = sort
        self.rev = rev
        self.tag = tag
        self.people = people
        self.light = light
    }

    public static func mix(_ id: RoomName, into hash: inout FNVHash) {
        hash.mix(id.description)
    }
}

/// The beginning of a room's newest message, or of the message that a thread answers, as a list of rooms shows it.
public struct LastMessage: Equatable, Sendable {
    /// The most of a text, in bytes of UTF-8.
    public static let textLimit = 200

    public let id: MessageID
    /// ``UserName/unknown`` of a damaged message, unless the server knows it.
    public let author: UserName
    public let time: Milliseconds
    public let text: String
    /// See ``Message/isDamaged``.
    public let isDamaged: Bool

    /// Keeps at most the first ``textLimit`` bytes of the text, and no part of a character (a Unicode scalar).
    public init(id: MessageID, author: UserName, time: Milliseconds, text: String) {
        self.id = id
        self.author = author
        self.time = time
        self.text = Self.beginning(of: text)
        isDamaged = false
    }

    /// Makes the last message of a room where that is damaged.
    ///
    /// - Parameter sent: the author and the time of the message; `nil` if they are not known.
    public init(damaged id: MessageID, sent: (by: UserName, at: Milliseconds)?) {
        (self.id, author, time) = (id, sent?.by ?? .unknown, sent?.at ?? 0)
        (text, isDamaged) = ("", true)
    }

    public init(_ message: Message) {
        if message.isDamaged {
            self.init(damaged: message.id, sent: (message.author, message.time))
        } else {
            self.init(id: message.id, author: message.author, time: message.time, text: message.text)
        }
    }

    private static func beginning(of text: String) -> String {
        let bytes = text.utf8
        guard var end = bytes.index(bytes.startIndex, offsetBy: textLimit, limitedBy: bytes.endIndex) else {
            return text
        }
        while end.samePosition(in: text.unicodeScalars) == nil { end = bytes.index(before: end) }
        return String(text.unicodeScalars[..<end])
    }
}
