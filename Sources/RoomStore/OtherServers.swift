package import ChatRoom
package import ChatWire

/// The other servers that share the store.
///
/// Their messages about a room are hints, which may be late, repeated or lost. The store is therefore asked about each
/// followed room once a second as well.
package protocol OtherServers: AnyObject, Sendable {
    /// Begins to call `handler` with the news of other servers, on a thread of its own. It may be called once.
    func listen(_ handler: @escaping @Sendable (News) -> Void)

    /// Begins to follow a room that is live here: `handler` gets its present revision and each later one.
    ///
    /// - Parameter withPeople: whether the other servers are asked who is in the room, unless they were.
    func follow(_ room: RoomName, withPeople: Bool)

    /// Ends following a room, which is no longer live here.
    func leave(_ room: RoomName)

    /// Notifies the other servers of people in a room.
    ///
    /// It may take a while. Later news about a person replaces news that was not sent yet.
    func announce(_ people: [Presence], in room: RoomName)

    /// Compares this server's fingerprint of a room at a revision with that of the first server that gave one.
    ///
    /// - Returns: `true` also if this server is the first.
    func agree(on fingerprint: UInt64, at revision: Revision, of room: RoomName) throws(RoomStoreError) -> Bool

    /// True if ``News/invalidated`` follows wherever news of memberships, read marks or profiles was lost. The shards need
    /// not look for it themselves then.
    var detectsLostNews: Bool { get }

    /// Ends all waiting for a store that does not answer, from now on.
    func cancelWaiting()
}

extension OtherServers {
    package var detectsLostNews: Bool { false }
}

/// News of other servers, and of the store that they share.
package enum News: Equatable, Sendable {
    /// The store holds this revision of a room.
    case reached(RoomName, Revision)
    /// Messages that another server has sent to a room, in the order of their revisions, in this epoch of the store. Those
    /// that are left out are to be read.
    case sent(RoomName, [InsertedMessage], of: Epoch)
    /// The people in a room on another server.
    case present(ServerID, RoomName, [Presence])
    /// Another server asks who is in these rooms; `nil` for all rooms.
    case presenceRequested([RoomName]?)
    /// A server was silent for longer than allowed.
    case lost(ServerID)
    /// News of people may have been missed. The other servers were asked for all of it.
    case missed
    /// The other servers have had time to answer.
    case caughtUp
    /// All servers write operations in this format from now on. A server that does not know it must stop.
    case format(inForce: Int, known: Int)
    /// These people's profiles may have changed.
    case rewritten([UserName])
    /// These people's memberships or read marks may have changed.
    case membershipsChanged([UserName])
    /// The memberships, invitations or roles of these people in a room may have changed.
    case affiliatesChanged(RoomName, [UserName])
    /// News of memberships, read marks and profiles may be lost: all that is held of them is to be read again.
    case invalidated
    /// The rooms were moved to other databases. The server must stop.
    case misplaced(String)
    /// The store has a new epoch, so all knowledge of its rooms is void.
    case renewed
    /// Nothing can be written, for this reason. ``writable`` follows when it can be again.
    case unwritable(String)
    /// Everything can be written again, after this time.
    case writable(after: Duration)
    /// The server's clock is ahead of a database's, or behind if negative. ``clockIsRight(at:)`` follows when it no longer is.
    case clockIsWrong(by: Duration, at: String)
    /// The server's clock agrees with a database's again.
    case clockIsRight(at: String)
    /// A warning for the operator.
    case warned(String, why: String)
}
