package import ChatWire

/// What a session is told.
package enum SessionInput: Sendable {
    /// Connect, and stay connected.
    case start
    /// Close the connection, and stay away. Commands without an answer are kept.
    case stop
    /// The connection that was asked for is open.
    case connected
    case received(ServerFrame)
    /// Bytes came that are no frame of the protocol.
    case unreadable(FrameError)
    /// A token that was asked for with ``SessionEffect/wantToken``; or why there is none.
    case token(Result<String, TokenUnavailable>)
    /// The connection has ended, or could not be made.
    case disconnected(ConnectionLoss)
    /// The session's ``ClientSession/deadline`` has come. At other times it does no harm.
    case tick
    /// Follow a room, from its last `limit` messages on.
    case open(RoomName, limit: Int)
    /// Follow who is in a room.
    case openMembers(RoomName)
    /// Leave a room and its members.
    case leave(RoomName)
    /// Get `limit` messages that are older than those held.
    case older(RoomName, limit: Int)
    case command(Command)
    /// Get the last `limit` entries of a room's audit log.
    case audit(RoomName, limit: Int)
    /// We are writing something there, or no longer.
    case typing(RoomName, ClientFrame.Switch)
    /// We have read all up to there.
    case read(RoomName, Revision)
}

/// What a session wants done, in this order.
package enum SessionEffect: Sendable {
    case connect
    /// Find a token, and say it with ``SessionInput/token(_:)``.
    case wantToken
    case send(ClientFrame)
    /// Close the connection and forget it: nothing that it still brings is to be told to the session.
    case disconnect(code: UInt16, reason: String)
    case state(ConnectionState)
    case changed(RoomChange)
    case membersChanged(MembersChange)
    /// The last that is heard of a command.
    case answered(Command, Command.Outcome)
    case notice(SessionNotice)
}
