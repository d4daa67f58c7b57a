public import ChatWire
import Dispatch
public import Publishing
import WebSocketTransport

/// A client of a chat server. It follows rooms through every loss of the connection, and delivers each command once.
///
/// ```swift
/// let client = try ChatClient(url: "ws://127.0.0.1:8080", user: UserName("ann")!)
/// let subscription = client.didChange.sink { change in
///     for message in change.view.messages { print("\(message.author): \(message.text)") }
/// }
/// client.open(lobby)
/// client.send("hello", to: lobby)
/// ```
///
/// It connects when the first room is opened, and reconnects by itself until it is closed. Its publishers deliver all
/// news on one serial queue of its own. A subscriber begins with the current state of each followed list, as a
/// change that inserts all of its rows, the rights in each room, and the state of the connection. Move slow work to another
/// queue with ``Publishing/Publisher/receive(on:policy:)``. Under the policy `wait(beyond:)` a view that stands still holds up the
/// client: later changes wait at the server, which sends one diff for them in the end. Under `keepAll(upTo:)` all
/// changes gather here, each with its view of the room.
///
/// - Shape: every call returns at once, except ``close()``.
public final class ChatClient: Sendable {
    /// The changes of the open rooms, in order. Each ``RoomChange`` continues the one before it, so skip none. The first one of
    /// a room that is open already has the cause ``RoomChange/Cause/subscribed``.
    public var didChange: Publisher<RoomChange> { driver.didChange }
    /// The changes of the open lists of members, in order.
    public var membersDidChange: Publisher<MembersChange> { driver.membersDidChange }
    /// The changes of the open lists of pinned messages, in order.
    public var pinsDidChange: Publisher<PinsChange> { driver.pinsDidChange }
    /// The changes of the list of the user's rooms, in order.
    public var roomsDidChange: Publisher<RoomsChange> { driver.roomsDidChange }
    /// The changes of the list of the threads that the user follows, in order.
    public var threadsDidChange: Publisher<ThreadsChange> { driver.threadsDidChange }
    /// The changes of the list of the messages that mention the user, in order.
    public var mentionsDidChange: Publisher<MentionsChange> { driver.mentionsDidChange }
    /// The changes of the profiles that were asked for, in order.
    public var peopleDidChange: Publisher<PeopleChange> { driver.peopleDidChange }
    /// The changes of the list of what the user has written and not sent, in order.
    public var draftsDidChange: Publisher<DraftsChange> { driver.draftsDidChange }
    /// The changes of the list of the user's messages and reminders for later, in order.
    public var laterDidChange: Publisher<LaterItemsChange> { driver.laterDidChange }
    /// The changes of the list of the users whom the user has blocked, in order.
    public var blockedDidChange: Publisher<BlockedChange> { driver.blockedDidChange }
    /// Each state of the connection.
    public var connection: Publisher<ConnectionState> { driver.connection }
    /// The outcome of each command, once for each, in the order of the server's answers.
    public var answers: Publisher<Answer> { driver.answers }
    public var notices: Publisher<SessionNotice> { driver.notices }

    public struct Answer: Equatable, Sendable {
        public let command: Command
        public let outcome: Command.Outcome

        /// The room that the command was about, or that it has created; `nil` for a direct room that was refused.
        public var room: RoomName? {
            guard case .done(let effect?) = outcome else { return command.room }
            return command.room ?? effect.list.room
        }
    }

    private let driver: SessionDriver

    /// - Parameters:
    ///   - url: `ws://host:port` or `wss://host:port`, and a path if the server is not at `/ws`.
    ///   - credential: the identity to log in with.
    ///   - authorities: a PEM file of certificate authorities to trust besides the system's.
    public init(
        url: String, credential: ClientFrame.Credential, authorities: String? = nil
    ) throws(ChatClientError) {
        driver = try SessionDriver(url: url, credential: credential, authorities: authorities)
    }

    /// - Parameter user: a name, which the server may or may not accept without proof.
    public convenience init(url: String, user: UserName, authorities: String? = nil) throws(ChatClientError) {
        try self.init(url: url, credential: .user(user), authorities: authorities)
    }

    /// Provides a token, for each connection and when the server warns that the current one ends soon.
    public typealias TokenProvider = @Sendable () async throws -> String

    /// - Parameters:
    ///   - url: as above.
    ///   - tokens: the source of tokens. If it throws, it is asked again after a while.
    ///   - authorities: as above.
    public init(
        url: String, tokens: @escaping TokenProvider, authorities: String? = nil
    ) throws(ChatClientError) {
        driver = try SessionDriver(url: url, credential: nil, tokens: tokens, authorities: authorities)
    }

    deinit {
        driver.enqueue([.stop])
    }

    /// Follows a room from its last `limit` messages on. Opening it again does nothing, unless the server refused it.
    public func open(_ room: RoomName, limit: Int = 50) {
        driver.enqueue([.open(room, limit: limit), .start])
    }

    /// Follows the list of a room's members too.
    ///
    /// This only watches the list. A client that follows a room's messages counts as online there.
    public func openMembers(of room: RoomName) {
        driver.enqueue([.follow(.members(room)), .start])
    }

    /// Follows the list of a room's pinned messages too.
    public func openPins(of room: RoomName) {
        driver.enqueue([.follow(.pins(room)), .start])
    }

    /// Follows the list of the rooms that the user is a member of or invited to, with the unread counts of each.
    ///
    /// - Parameter limit: the number of rows of ``RoomsView/rooms`` and of ``RoomsView/archived``, each, of which the newest
    ///   have one. Call it again with a larger one for more; `Int.max` for all.
    public func openRooms(limit: Int = 100) {
        driver.enqueue([.openRooms(limit: limit), .start])
    }

    /// Follows the list of the threads that the user follows, with the unread counts of each. The user follows a thread by a
    /// reply of theirs, when a reply names them, when their own message is answered, or by ``join(_:)``, until ``leave(_:)``.
    ///
    /// - Parameter limit: the number of rows of ``RoomsView/rooms`` and of ``RoomsView/archived``, each, of which the newest
    ///   have one. Call it again with a larger one for more.
    public func openThreads(limit: Int = 100) {
        driver.enqueue([.openThreads(limit: limit), .start])
    }

    /// Follows the list of the messages that mention the user: the newest 100 in the rooms that they are a member of and in
    /// the threads that they follow.
    public func openMentions() {
        driver.enqueue([.follow(.myMentions), .start])
    }

    /// Requests `limit` messages that mention the user and that are older than those held. They arrive as a change of the
    /// list of mentions, which must be followed, before the messages of ``MentionsView/mentions``.
    ///
    /// One page is asked for at a time: this does nothing while another is awaited.
    public func olderMentions(limit: Int = 100) {
        driver.enqueue([.olderMentions(limit: limit)])
    }

    /// Stops following the list of the messages that mention the user, and lets go of the older ones.
    public func closeMentions() {
        driver.enqueue([.closeMentions])
    }

    /// Follows the list of what the user has written and not sent, on any device.
    public func openDrafts() {
        driver.enqueue([.follow(.myDrafts), .start])
    }

    /// Stores what the user has written in a room and not sent, for all their devices. The last one is stored also after a
    /// loss of the connection. Call it when the user pauses, and not for each key.
    ///
    /// - Parameter draft: without files; `nil` to remove the draft, as after the message was sent.
    public func keep(_ draft: MessageContent?, in room: RoomName) {
        driver.enqueue([.keep(draft?.entered, room)])
    }

    /// Follows the list of the messages that the server sends later for the user, and of their reminders.
    public func openLater() {
        driver.enqueue([.follow(.myLater), .start])
    }

    /// Lets the server send a message at a time, with the rights that the user has in the room then. The request is kept until
    /// the server has answered, by ``SessionNotice/laterStored(_:_:)`` or ``SessionNotice/laterRefused(_:_:_:)``.
    ///
    /// - Parameters:
    ///   - content: without files.
    ///   - time: milliseconds since 1970-01-01T00:00:00Z by the server's clock, which ``ChatWire/Welcome/time`` tells; at most
    ///     366 days ahead.
    ///   - id: of an item that is changed, or of a new one.
    /// - Returns: the id of the item, which the message will have.
    @discardableResult
    public func schedule(
        _ content: MessageContent, to room: RoomName, at time: Milliseconds, id: UniqueID = .random()
    ) -> UniqueID {
        driver.enqueue([.later(id, LaterItem.Plan(.send(content.entered), in: room, at: time))])
        return id
    }

    /// Reminds the user of a message at a time: the item becomes ``LaterItemsView/due`` then, and stays until it is cancelled
    /// or gets another time. See ``schedule(_:to:at:id:)``.
    @discardableResult
    public func remind(
        of message: MessageID, in room: RoomName, at time: Milliseconds, id: UniqueID = .random()
    ) -> UniqueID {
        driver.enqueue([.later(id, LaterItem.Plan(.remind(message), in: room, at: time))])
        return id
    }

    /// Removes a message or reminder for later. After ``SessionNotice/laterStored(_:_:)`` the server does not send it.
    public func cancelLater(_ id: UniqueID) {
        driver.enqueue([.later(id, nil)])
    }

    /// Follows the list of the users whom the user has blocked.
    public func openBlocked() {
        driver.enqueue([.follow(.myBlocked), .start])
    }

    /// Blocks a user, on all devices: the user's direct rooms, invitations and mentions do not reach this one any more, and they
    /// cannot notice. The request is kept until the server has answered, by ``SessionNotice/blockStored(_:_:)`` or
    /// ``SessionNotice/blockRefused(_:_:_:)``.
    ///
    /// In rooms that both are in their messages still come: see ``BlockedView``.
    public func block(_ user: UserName) {
        driver.enqueue([.block(user, .on)])
    }

    /// Ends a block. The messages that the user has written meanwhile are there then, unread. See ``block(_:)``.
    public func unblock(_ user: UserName) {
        driver.enqueue([.block(user, .off)])
    }

    /// Follows the profiles of these people, too: what they are called, and look like.
    ///
    /// Ask for people as they come to be shown; to ask again does no harm. At most ``ChatWire/WireLimits/people`` are
    /// followed, those who were asked for last.
    public func know(_ people: [UserName]) {
        if !people.isEmpty { driver.enqueue([.people(people), .start]) }
    }

    /// Stops following a room, its members and its pinned messages. The user's membership stays as it is.
    public func close(_ room: RoomName) {
        driver.enqueue([.close(room)])
    }

    /// Makes the user a member of a room: it is in the list of their rooms, on all their devices.
    ///
    /// It neither opens the room nor needs an open one.
    ///
    /// - Returns: the command's id, which its answer carries.
    @discardableResult
    public func join(_ room: RoomName) -> CommandID {
        command(room, .join)
    }

    /// Ends the user's membership of a room. An open room can still be read; of a private one it ends the invitation, too.
    ///
    /// - Returns: the command's id, which its answer carries.
    @discardableResult
    public func leave(_ room: RoomName) -> CommandID {
        command(room, .leave)
    }

    /// Changes the user's own settings of a room that they are a member of: on all their devices, and for no other user.
    ///
    /// It neither opens the room nor needs an open one.
    ///
    /// - Returns: the command's id, which its answer carries.
    @discardableResult
    public func set(_ change: SettingsChange, of room: RoomName) -> CommandID {
        command(room, .settings(change))
    }

    /// Creates a private room, which the user owns, and invites people to it.
    ///
    /// ``Answer/room`` of the answer is the room. It can be opened then, and not before. Commands to it may be given at
    /// once: they wait until it is there.
    ///
    /// - Returns: the command's id, which its answer carries, and after which the room is named.
    @discardableResult
    public func create(people: [UserName] = [], title: RoomTitle? = nil) -> CommandID {
        create(.private(people: people, title: title))
    }

    /// Creates an open room, which the user owns. Refused with `conflict` if there is one of that name.
    ///
    /// - Parameter room: an open room's name.
    /// - Returns: the command's id, which its answer carries.
    @discardableResult
    public func create(_ room: RoomName, title: RoomTitle? = nil) -> CommandID {
        create(.open(room, title: title))
    }

    /// Creates the direct room of some people and the user, of which all of them are members, or finds it.
    ///
    /// ``Answer/room`` of the answer is the room.
    ///
    /// - Returns: the command's id, which its answer carries.
    @discardableResult
    public func direct(with people: [UserName]) -> CommandID {
        create(.direct(people: people))
    }

    /// Invites a user to a private room that this user owns. ``join(_:)`` accepts that, and ``leave(_:)`` declines it.
    ///
    /// The user has the role `write` there then, or keeps a higher one.
    @discardableResult
    public func invite(_ user: UserName, to room: RoomName) -> CommandID {
        moderate(room, .invite(user))
    }

    /// Withdraws an invitation to a private room that the user owns, also one that was accepted.
    @discardableResult
    public func uninvite(_ user: UserName, from room: RoomName) -> CommandID {
        moderate(room, .appoint(user, .none))
    }

    /// Requests `limit` messages older than those held. They arrive as a change.
    ///
    /// One page of a room is asked for at a time: this does nothing while another is awaited.
    public func older(_ room: RoomName, limit: Int = 50) {
        driver.enqueue([.page(room, .older, limit: limit)])
    }

    /// Requests `limit` messages of a gap, those nearest to one of its sides. They arrive as a change.
    ///
    /// Does nothing while another page is awaited. If the gap is no longer there, the change is empty.
    public func fill(_ gap: Int, of room: RoomName, from side: RoomPage.Side, limit: Int = 50) {
        driver.enqueue([.page(room, .gap(gap, from: side), limit: limit)])
    }

    /// Requests about `limit` messages around one. They arrive as a change, whose cause names the anchor.
    ///
    /// A place that was asked for before, and has not been asked the server for yet, is forgotten.
    public func go(to anchor: PagePlace.Anchor, in room: RoomName, limit: Int = 50) {
        driver.enqueue([.page(room, .around(anchor), limit: limit)])
    }

    /// Names the message that the user looks at; `nil` for the end of the room, where each user begins.
    ///
    /// After an absence with more changes than the server sends, the rows near it are kept the longest.
    public func look(at message: MessageID?, in room: RoomName) {
        driver.enqueue([.look(room, at: message)])
    }

    /// Sends a message. Its text is sent in the form in which it is stored: see ``ChatWire/EnteredText``.
    ///
    /// - Parameter mentions: whom the text calls, such as ``Mentions/found(in:among:mayCallEveryone:most:)`` finds. For each
    ///   of them who is a member of the room it counts in ``ChatWire/MyRoom/Light/mentions``.
    /// - Returns: the message's id, which the message and its answer carry.
    @discardableResult
    public func send(
        _ text: String, to room: RoomName, replyTo: MessageID? = nil, mentions: Mentioned = []
    ) -> MessageID {
        send(MessageContent(text, replyTo: replyTo, mentions: mentions), to: room)
    }

    /// Replaces the text of one of the user's own messages, and whom it mentions.
    ///
    /// - Returns: the command's id, which its answer carries.
    @discardableResult
    public func edit(
        _ message: MessageID, in room: RoomName, text: String, mentions: Mentioned = []
    ) -> CommandID {
        edit(message, in: room, ContentEdit(text, mentions: mentions))
    }

    /// Sends a message with all that its content may have.
    ///
    /// - Parameter id: the message's id, which its files were uploaded for; a new one by default.
    @discardableResult
    public func send(_ content: MessageContent, to room: RoomName, as id: MessageID = .random()) -> MessageID {
        driver.enqueue([.command(Command(id: id, room: room, action: .send(content.entered)))])
        return id
    }

    /// Changes the content of one of the user's own messages.
    @discardableResult
    public func edit(_ message: MessageID, in room: RoomName, _ edit: ContentEdit) -> CommandID {
        command(room, .edit(message, edit.entered))
    }

    /// Deletes one of the user's own messages, or, as a moderator, any message.
    @discardableResult
    public func delete(_ message: MessageID, in room: RoomName) -> CommandID {
        command(room, .delete(message))
    }

    /// Ends a message that grows: one's own, or another user's that mentions the user by name, or, as a moderator, any.
    @discardableResult
    public func stop(_ message: MessageID, in room: RoomName) -> CommandID {
        command(room, .grow(message, .close(.stopped)))
    }

    /// Adds the user's reaction to a message, or takes it back.
    @discardableResult
    public func react(
        to message: MessageID, in room: RoomName, with emoji: String, _ direction: ClientFrame.Switch = .on
    ) -> CommandID {
        command(room, .react(message, emoji: emoji, direction))
    }

    /// Mutes, kicks or bans a user, or takes another moderator's action.
    @discardableResult
    public func moderate(_ room: RoomName, _ moderation: Moderation) -> CommandID {
        command(room, .moderate(moderation))
    }

    /// Requests the last `limit` entries of a room's audit log. They arrive as a notice.
    public func audit(_ room: RoomName, limit: Int = 50) {
        driver.enqueue([.audit(room, limit: limit)])
    }

    /// Searches messages. The answer is a notice with the id. See ``search(_:)``, which waits for it.
    package func search(_ request: SearchRequest, id: UniqueID) {
        driver.enqueue([.search(request, id: id), .start])
    }

    /// Asks where a file is to be uploaded. The answer is a notice with the id. See ``ClientRoom/permit(_:for:)``.
    package func upload(_ request: UploadRequest, id: UniqueID) {
        driver.enqueue([.upload(request, id: id), .start])
    }

    /// Requests links to files. The answer is a notice with the id. See ``ClientRoom/links(to:)``.
    package func links(_ request: LinksRequest, id: UniqueID) {
        driver.enqueue([.links(request, id: id), .start])
    }

    /// Requests people who belong to a room. The answer is a notice with the id. See ``ClientRoom/members(_:)``.
    package func members(of room: RoomName, _ search: MembersSearch, id: UniqueID) {
        driver.enqueue([.members(room, search, id: id), .start])
    }

    /// Shows the others in an open room that the user begins or stops writing.
    ///
    /// The sign ends by itself after some seconds, and when a message is sent.
    public func setTyping(_ direction: ClientFrame.Switch, in room: RoomName) {
        driver.enqueue([.typing(room, direction)])
    }

    /// Reports the revision up to which the user has read an open room. It only grows.
    ///
    /// The others in the room see it, and for a member it is ``ChatWire/MyRoom/Light/read`` on all their devices.
    public func markRead(_ room: RoomName, upTo revision: Revision) {
        driver.enqueue([.read(room, revision)])
    }

    /// Marks all as read that is in a room now, which need not be open. The user must be a member of it.
    ///
    /// It is done now or not at all: without a connection this does nothing, as what comes later was not meant.
    public func markAllRead(_ room: RoomName) {
        driver.enqueue([.readAll(room)])
    }

    /// Marks all as read that is in these rooms now, with one request, under the conditions of ``markAllRead(_:)-(RoomName)``.
    ///
    /// - Parameter rooms: each once.
    public func markAllRead(_ rooms: [RoomName]) {
        driver.enqueue([.readRooms(rooms)])
    }

    /// Performs a command whose id is known already, and connects if necessary. A repeated command takes effect once.
    public func perform(_ command: Command) {
        driver.enqueue([.command(command), .start])
    }

    /// Closes the connection and stays offline. Returns when the server has confirmed it, after 2 s at most.
    ///
    /// Do not call this from within a sink, nor on a queue that the client waits for: cancel such subscriptions first.
    /// Commands without an answer are kept: opening a room connects again and sends them.
    public func close() {
        driver.close()
    }

    private func create(_ new: NewRoom) -> CommandID {
        let id = UniqueID.random()
        driver.enqueue([.command(Command(id: id, creating: new))])
        return id
    }

    private func command(_ room: RoomName, _ action: RoomAction) -> CommandID {
        let id = UniqueID.random()
        driver.enqueue([.command(Command(id: id, room: room, action: action))])
        return id
    }
}

/// The reason why a client could not be made.
///
/// ```swift
/// do throws(ChatClientError) {
///     let client = try ChatClient(url: "http://127.0.0.1", user: UserName("ann")!)
///     client.open(RoomName("lobby")!)
/// } catch {
///     print("no client: \(error)")  // the address must begin with ws:// or wss://
/// }
/// ```
public enum ChatClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The address is invalid. The text says why.
    case badURL(String)
    /// The transport could not be started.
    case cannotStart(String)

    public var description: String {
        switch self {
        case .badURL(let what), .cannotStart(let what): what
        }
    }
}
