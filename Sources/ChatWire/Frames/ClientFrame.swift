/// What a client says: a request, and the number by which it will know the answer.
///
/// Each is answered exactly once, with the same `ref`.
public struct ClientFrame: Equatable, Sendable {
    /// The client's own number for the request, below 2⁵³.
    public let ref: UInt64
    public let request: Request

    public init(ref: UInt64, request: Request) {
        self.ref = ref
        self.request = request
    }

    public enum Request: Equatable, Sendable {
        /// First on each connection, within the server's hello time.
        case hello(Credential)
        case subscribe(ListName, limit: Int, resume: Resume?)
        case unsubscribe(ListName)
        case send(room: RoomName, id: MessageID, text: String, replyTo: MessageID?)
        case edit(room: RoomName, command: CommandID, id: MessageID, text: String)
        case delete(room: RoomName, command: CommandID, id: MessageID)
        case react(room: RoomName, command: CommandID, id: MessageID, emoji: String, Switch)
        /// The rows before the one whose sort key is `before`.
        case page(ListName, before: UInt64, limit: Int)
        /// Whether the person is writing something.
        case typing(RoomName, Switch)
        /// The person has read the room's messages up to a revision.
        case read(RoomName, Revision)
        case moderate(room: RoomName, command: CommandID, Moderation)
        /// The room's audit log before a revision.
        case audit(RoomName, before: Revision, limit: Int)
        /// A fresh token for a connection that has said hello: what it grants holds from the answer on.
        case token(String)
        case ping
    }

    /// Who the client says it is.
    public enum Credential: Equatable, Sendable {
        /// A name that nothing proves.
        case user(UserName)
        case token(String)
        /// Whoever the handshake's `Authorization` header says.
        case handshake
    }

    /// Whether a reaction, that somebody is writing, or that a room is read-only is to stand or to go.
    public enum Switch: Equatable, Sendable {
        case on
        case off
    }
}

/// Where a returning reader stands.
public struct Resume: Equatable, Sendable {
    public var epoch: Epoch
    public var revision: Revision
    /// The revision at which it first joined: rows inserted after it stay in the `socket` section.
    public var joined: Revision

    public init(epoch: Epoch, revision: Revision, joined: Revision) {
        self.epoch = epoch
        self.revision = revision
        self.joined = joined
    }
}
