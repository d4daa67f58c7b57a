package import ChatWire

/// An input of a session.
package enum SessionInput: Sendable {
    /// Connect, and stay connected.
    case start
    /// Close the connection, and stay offline. Commands without an answer are kept.
    case stop
    /// The requested connection is open.
    case connected
    case received(ServerFrame)
    /// Bytes arrived that are not a frame of the protocol.
    case unreadable(FrameError)
    /// The token that ``SessionEffect/wantToken`` asked for, or the reason why there is none.
    case token(Result<String, TokenUnavailable>)
    /// The connection has ended, or could not be made.
    case disconnected(ConnectionLoss)
    /// The session's ``ClientSession/deadline`` has come. At other times a tick does no harm.
    case tick
    /// Follow a room, from its last `limit` messages on.
    case open(RoomName, limit: Int)
    /// Follow a list of which the session holds all rows.
    case follow(ListName)
    /// Follow the list of the user's rooms: the newest `limit` of each section that grows long. Again with more, show more.
    case openRooms(limit: Int)
    case openThreads(limit: Int)
    /// Get a page of messages that mention the user and that are older than those held.
    case olderMentions(limit: Int)
    /// Stop following the list of the messages that mention the user.
    case closeMentions
    /// Store a message or reminder for later; `nil` to remove it.
    case later(UniqueID, LaterItem.Plan?)
    /// Block a user, or end that.
    case block(UserName, ClientFrame.Switch)
    /// Store the user's draft in a room; `nil` to remove it.
    case keep(MessageContent?, RoomName)
    /// Follow the profiles of these people, too.
    case people([UserName])
    /// Stop following a room, its members and its pinned messages.
    case close(RoomName)
    /// Get a page of about `limit` messages.
    case page(RoomName, RoomPage, limit: Int)
    /// The user looks at a message; `nil` for the end of the room.
    case look(RoomName, at: MessageID?)
    case command(Command)
    /// Get the last `limit` entries of a room's audit log.
    case audit(RoomName, limit: Int)
    /// Search. The answer has the id.
    case search(SearchRequest, id: UniqueID)
    /// Ask where a file is to be uploaded. The answer has the id.
    case upload(UploadRequest, id: UniqueID)
    /// Get links to files. The answer has the id.
    case links(LinksRequest, id: UniqueID)
    /// Get people who belong to a room. The answer has the id.
    case members(RoomName, MembersSearch, id: UniqueID)
    /// The user begins or stops writing in the room.
    case typing(RoomName, ClientFrame.Switch)
    /// The user has read the room up to the revision.
    case read(RoomName, Revision)
    /// The user calls all read that is in the room now.
    case readAll(RoomName)
    case readRooms([RoomName])
}

/// An effect that the driver performs for a session, in order.
package enum SessionEffect: Sendable {
    case connect
    /// Get a token, and pass it with ``SessionInput/token(_:)``.
    case wantToken
    case send(ClientFrame)
    /// Close the connection and forget it: pass none of its later events to the session.
    case disconnect(code: UInt16, reason: String)
    case state(ConnectionState)
    /// A list has changed. The type of the change is that of the list.
    case changed(any ListChange)
    /// The final outcome of a command.
    case answered(Command, Command.Outcome)
    case notice(SessionNotice)
}
