public import ChatWire
import Dispatch
public import Publishing
import WebSocketTransport

/// A client of a chat server: it follows rooms through every loss of the connection, and sees to it that what it is told to
/// say is said once.
///
/// It connects when the first room is opened, and comes back by itself, until it is closed. All that it has to tell
/// comes from its publishers, on one serial queue of its own; so subscribe before opening a room, and hand over to
/// another queue with ``Publishing/Publisher/receive(on:policy:)`` what takes long.
///
/// - Shape: every call returns at once, but ``close()``.
public final class ChatClient: Sendable {
    /// What happened to the rooms that are open, in order. A ``RoomChange`` leads from the one before it: keep all.
    public let didChange: Publisher<RoomChange>
    /// What happened to the lists of members that are open, in order.
    public let membersDidChange: Publisher<MembersChange>
    /// Each state that the connection comes to.
    public let connection: Publisher<ConnectionState>
    /// What became of each command: once for each, in the order of the server's answers.
    public let answers: Publisher<Answer>
    public let notices: Publisher<SessionNotice>

    public struct Answer: Equatable, Sendable {
        public let command: Command
        public let outcome: Command.Outcome
    }

    private let driver: SessionDriver

    /// - Parameters:
    ///   - url: `ws://host:port` or `wss://host:port`, and a path if the server is not at `/ws`.
    ///   - credential: who to say that we are.
    ///   - authorities: a PEM file of those whose certificates are believed besides the system's.
    public init(
        url: String, credential: ClientFrame.Credential, authorities: String? = nil
    ) throws(ChatClientError) {
        driver = try SessionDriver(url: url, credential: credential, authorities: authorities)
        (didChange, membersDidChange, connection) = (driver.didChange, driver.membersDidChange, driver.connection)
        (answers, notices) = (driver.answers, driver.notices)
    }

    /// - Parameter user: a name, which the server may or may not take without proof.
    public convenience init(url: String, user: UserName, authorities: String? = nil) throws(ChatClientError) {
        try self.init(url: url, credential: .user(user), authorities: authorities)
    }

    /// Finds a token to show: for each connection, and when the server says that the one it has ends soon.
    public typealias TokenProvider = @Sendable () async throws -> String

    /// - Parameters:
    ///   - url: as above.
    ///   - tokens: where tokens come from. If it throws, it is asked again after a while.
    ///   - authorities: as above.
    public init(
        url: String, tokens: @escaping TokenProvider, authorities: String? = nil
    ) throws(ChatClientError) {
        driver = try SessionDriver(url: url, credential: nil, tokens: tokens, authorities: authorities)
        (didChange, membersDidChange, connection) = (driver.didChange, driver.membersDidChange, driver.connection)
        (answers, notices) = (driver.answers, driver.notices)
    }

    deinit {
        driver.tell([.stop])
    }

    /// Follows a room from its last `limit` messages on. Opening it again does nothing, unless the server refused it.
    public func open(_ room: RoomName, limit: Int = 50) {
        driver.tell([.open(room, limit: limit), .start])
    }

    /// Follows who is in a room, too. Whoever follows a room's messages is there; this only looks.
    public func openMembers(of room: RoomName) {
        driver.tell([.openMembers(room), .start])
    }

    /// Stops following a room and its members.
    public func leave(_ room: RoomName) {
        driver.tell([.leave(room)])
    }

    /// Asks for `limit` messages that are older than those held; they come as a change.
    public func older(_ room: RoomName, limit: Int = 50) {
        driver.tell([.older(room, limit: limit)])
    }

    /// Says something.
    ///
    /// - Returns: the message's id, under which it will be seen and answered for.
    @discardableResult
    public func send(_ text: String, to room: RoomName, replyTo: MessageID? = nil) -> MessageID {
        command(room, .send(text: text, replyTo: replyTo))
    }

    /// Replaces the text of one's own message.
    ///
    /// - Returns: the command's id, under which it will be answered for.
    @discardableResult
    public func edit(_ message: MessageID, in room: RoomName, text: String) -> CommandID {
        command(room, .edit(message, text: text))
    }

    /// Deletes one's own message, or, as a moderator, anybody's.
    @discardableResult
    public func delete(_ message: MessageID, in room: RoomName) -> CommandID {
        command(room, .delete(message))
    }

    /// Adds one's reaction to a message, or takes it back.
    @discardableResult
    public func react(
        to message: MessageID, in room: RoomName, with emoji: String, _ direction: ClientFrame.Switch = .on
    ) -> CommandID {
        command(room, .react(message, emoji: emoji, direction))
    }

    /// Mutes, kicks, bans …, if the room lets us.
    @discardableResult
    public func moderate(_ room: RoomName, _ moderation: Moderation) -> CommandID {
        command(room, .moderate(moderation))
    }

    /// Asks for the last `limit` entries of a room's audit log; they come as a notice.
    public func audit(_ room: RoomName, limit: Int = 50) {
        driver.tell([.audit(room, limit: limit)])
    }

    /// Shows the others in an open room that we are writing something, or no longer. It ends by itself after some
    /// seconds, and with what is sent.
    public func setTyping(_ direction: ClientFrame.Switch, in room: RoomName) {
        driver.tell([.typing(room, direction)])
    }

    /// Shows the others in an open room up to where we have read: the revision of what was seen. It only grows.
    public func markRead(_ room: RoomName, upTo revision: Revision) {
        driver.tell([.read(room, revision)])
    }

    /// Has a command done whose id is known already, and connects for it if need be. One that was done before is not
    /// done again.
    public func perform(_ command: Command) {
        driver.tell([.command(command), .start])
    }

    /// Closes the connection and stays away; returns when the server has heard of it, after 2 s at most. Not to be called
    /// from within a sink.
    ///
    /// Commands without an answer are kept: opening a room connects again and sends them.
    public func close() {
        driver.close()
    }

    private func command(_ room: RoomName, _ action: Command.Action) -> CommandID {
        let id = UniqueID.random()
        driver.tell([.command(Command(id: id, room: room, action: action))])
        return id
    }
}

/// Why there is no client.
public enum ChatClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The address is none. The text says what is wrong with it.
    case badURL(String)
    /// The machinery could not be started.
    case cannotStart(String)

    public var description: String {
        switch self {
        case .badURL(let what), .cannotStart(let what): what
        }
    }
}
