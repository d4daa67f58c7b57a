package import ChatRoom
package import ChatWire

/// The other servers on one store, as this one knows of them.
///
/// What they say of a room is a hint, which may be late, repeated or lost; a room that is followed is looked after once
/// a second all the same.
package protocol OtherServers: AnyObject, Sendable {
    /// Tells `receive` of what others do, from now on. Once; on a thread of its own.
    func listen(_ receive: @escaping @Sendable (News) -> Void)

    /// The room is live here: each revision that it reaches is to be told, what it has reached already too; and who is
    /// in it elsewhere.
    func follow(_ room: RoomName)

    /// The room is not live here any more.
    func leave(_ room: RoomName)

    /// Tells the others of people in a room; it may take a while, and what is said of somebody later takes the place of
    /// what was not told yet.
    func tell(_ people: [Presence], in room: RoomName)

    /// Whether another server had the same at this revision of a room, as far as any has said so: the first one's is kept.
    func agree(on fingerprint: UInt64, at revision: Revision, of room: RoomName) throws(RoomStoreError) -> Bool

    /// From now on nobody waits for a store that does not answer.
    func hurry()
}

/// What another server did.
package enum News: Equatable, Sendable {
    /// The store holds this revision of a room.
    case reached(RoomName, Revision)
    /// Who is in a room, there.
    case present(ServerID, RoomName, [Presence])
    /// It wants to know who is in these rooms; `nil` for all.
    case asked([RoomName]?)
    /// Nothing was heard of it for as long as a server may be silent.
    case lost(ServerID)
    /// What others told of people may have been missed: they were asked for all of it.
    case missed
    /// They have had time to answer.
    case caughtUp
    /// All write operations in this format from now on. A server that does not know it is not to go on.
    case format(inForce: Int, known: Int)
    /// The store has another epoch: what was known of its rooms is not so.
    case renewed
    /// Nothing can be written, and why; then that it can be again.
    case unwritable(String)
    case writable(after: Duration)
    /// Something that the operator is to know.
    case warned(String, why: String)
}
