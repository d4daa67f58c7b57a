/// A client's request, and the number that its answer will carry.
///
/// The server answers each request exactly once, with the same `ref`.
public struct ClientFrame: Equatable, Sendable {
    /// The client's own number for the request, below 2⁵³.
    public let ref: UInt64
    public let request: Request

    public init(ref: UInt64, request: Request) {
        self.ref = ref
        self.request = request
    }

    public enum Request: Equatable, Sendable {
        /// The first request of each connection, due within the server's hello time.
        case hello(Credential)
        case subscribe(ListName, limit: Int, resume: Resume?)
        case unsubscribe(ListName)
        case send(room: RoomName, id: MessageID, MessageContent)
        case edit(room: RoomName, command: CommandID, id: MessageID, ContentEdit)
        /// Goes on with an open message of the person's, or closes it.
        case grow(room: RoomName, command: CommandID, id: MessageID, GrowthStep)
        case delete(room: RoomName, command: CommandID, id: MessageID)
        case react(room: RoomName, command: CommandID, id: MessageID, emoji: String, Switch)
        case page(ListName, PagePlace, limit: Int)
        /// Requests messages that mention the person, from before those that are held.
        case mentionsPage(before: MentionPlace, limit: Int)
        /// Requests people who belong to a room.
        case membersPage(RoomName, MembersSearch)
        /// The person begins or stops writing a message.
        case typing(RoomName, Switch)
        /// The person has read the room's messages up to a revision; `nil` for all that is there.
        case read(RoomName, Revision?)
        /// The person has read all that is there in each of these rooms.
        case readRooms([RoomName])
        /// The person becomes a member of a room: it is in their list of rooms.
        ///
        /// The command's id is missing only in a frame of a client of an earlier version, whose repeat is not recognised.
        case join(RoomName, command: CommandID? = nil)
        case leave(RoomName, command: CommandID? = nil)
        /// The person changes their own settings of a room that they are a member of.
        case settings(RoomName, SettingsChange, command: CommandID? = nil)
        /// The person creates a room. A private one is named after the command.
        case create(CommandID, NewRoom)
        case moderate(room: RoomName, command: CommandID, Moderation)
        /// Requests the room's audit log before a revision.
        case audit(RoomName, before: Revision, limit: Int)
        /// Searches the messages of the rooms that the person may read.
        case search(SearchRequest)
        /// Requests a URL to which a file is uploaded, for a message that is to be sent.
        case upload(UploadRequest)
        /// Requests URLs from which files of messages are downloaded.
        case links(LinksRequest)
        /// Requests the profiles of some people, in `me/people`.
        case people([UserName])
        /// Stores what the person has written in a room and not sent; `nil` for nothing.
        case draft(RoomName, MessageContent?)
        /// Stores a message that is to be sent at a time, or a reminder, in `me/later`; `nil` removes it.
        case later(UniqueID, LaterItem.Plan?)
        /// Blocks a user, or ends that.
        case block(UserName, Switch)
        /// A fresh token for a connection that has said hello. Its grants hold from the answer on.
        case token(String)
        case ping
    }

    /// The identity that the client claims.
    public enum Credential: Equatable, Sendable {
        /// A name without proof.
        case user(UserName)
        case token(String)
        /// The identity in the handshake's `Authorization` header.
        case handshake
    }

    /// The most names of one ``Request/people(_:)``.
    public static let mostPeople = 200

    /// The most rooms of one ``Request/readRooms(_:)``.
    public static let mostRoomsRead = 200

    /// On or off: for a reaction, for a person who is writing, for a block, and for a room that is read-only.
    public enum Switch: Equatable, Sendable {
        case on
        case off
    }
}

/// The place from which a returning reader goes on.
public struct Resume: Equatable, Sendable {
    /// The greatest number of ``ranges``.
    public static let mostRanges = 16
    /// The greatest number of ``rows`` that a client names: their frame is then surely one that a server takes.
    public static let mostRows = 500

    public var epoch: Epoch
    public var revision: Revision
    /// The revision at which the reader first joined. Rows inserted after it stay in the `socket` section.
    public var joined: Revision
    /// The parts of the list that the reader holds; `nil` if it may hold any row that came up to `revision`.
    ///
    /// - Shape: 1 to ``mostRanges``, ascending, disjoint. The last one ends at `revision`.
    public var ranges: [SortKeys]?
    /// The sort key of the row that the user looks at. If the server drops rows, it drops those near this row last.
    public var at: UInt64?
    /// All rows that the reader holds of a list whose rows have tags; `nil` if they are to come anew in another epoch, or if
    /// there are ``sums``.
    public var rows: [HeldRow]?
    /// The sums of more than ``mostRows`` rows.
    public var sums: RowSums?

    /// A row that a reader holds.
    public struct HeldRow: Equatable, Sendable {
        /// The row's id as it stands in frames.
        public let id: String
        public let tag: UniqueID

        public init(id: String, tag: UniqueID) {
            self.id = id
            self.tag = tag
        }
    }

    public init(
        epoch: Epoch, revision: Revision, joined: Revision, ranges: [SortKeys]? = nil, at: UInt64? = nil,
        rows: [HeldRow]? = nil, sums: RowSums? = nil
    ) {
        self.epoch = epoch
        self.revision = revision
        self.joined = joined
        self.ranges = ranges
        self.at = at
        self.rows = rows
        self.sums = sums
    }
}
