package import ChatRoom
package import ChatWire

/// Keeps the rooms: the operations, the rows that they fold to, and which commands were carried out, in one
/// transaction.
///
/// The store gives order and revision. A room applies what the store returned, never its own guess.
///
/// Rows that are read stand in the section `history`. An operation is about one row, which it finds by its id; a row's
/// sort key is the revision that inserted it. A message's id is the command id of its send, and command ids are
/// remembered, so an id that once named a message, also a deleted one, names no other while that is remembered: for good,
/// or for ``Retention/resumeTime``.
///
/// - Errors: ``RoomStoreError``; nothing was written then. What is wrong with one room's data is `damagedRoom`, and
///   whoever asked goes on without that room: a batch is committed without its operations, a pass spares it.
package protocol RoomStore: AnyObject, Sendable {
    /// The incarnation of this store's history. Where servers share it, it may change: ``News/renewed``.
    var epoch: Epoch { get }

    /// Folds a batch, in order, in one transaction that is durable when the call returns.
    ///
    /// An operation that was refused or that conflicts takes nothing else of its batch with it.
    ///
    /// Moves read marks in the same transaction, after the operations. A mark only grows, never beyond the room's
    /// revision; that of somebody who is not a member does nothing. The batch may be empty.
    ///
    /// - Returns: one outcome for each operation, in the batch's order.
    /// - Complexity: one synchronisation of the disk, whatever the size of the batch; O(log rows) for each operation and
    ///   mark, and O(memberships of its author) for each join.
    func commit(_ batch: [RoomOperation], marking marks: [ReadMark]) throws(RoomStoreError) -> [CommitOutcome]

    /// The rooms that a user is a member of, in the order of their names' bytes, as of one moment. One whose data is
    /// damaged is left out.
    ///
    /// - Complexity: O(memberships · (log rows + deletions above the read mark)), but O(rooms) for rooms in memory.
    func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading]

    /// The memberships of some users in one room, as of one moment. Those who are not members are left out.
    ///
    /// - Complexity: O(users · (log rows + deletions above the read mark)).
    func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading]

    /// The end of a room's list, what changed in it since a revision, and its rules, all as of one moment.
    ///
    /// A room that nobody has written to is empty, at revision 0.
    ///
    /// - Parameters:
    ///   - tail: how many rows of the end, at most.
    ///   - since: a revision, or `nil` when no changes are asked for.
    ///   - atMost: how many changes are worth it; with more, `changes` is `.tooMany`.
    /// - Complexity: O(log rows + tail + atMost + people whom the rules name), whatever the room's length.
    func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int
    ) throws(RoomStoreError) -> RoomReading

    /// The rows on both sides of a sort key: at most `before` and `after` of them.
    ///
    /// - Complexity: O(log rows + before + after).
    func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours

    /// The sort key of a row; `nil` if the message is not in the room. Of a time it is the first one from which on
    /// messages were said then or later, or one above all others.
    ///
    /// - Complexity: O(log rows), for a time O(log² rows).
    func sort(of anchor: PagePlace.Anchor, in room: RoomName) throws(RoomStoreError) -> UInt64?

    /// The changes of the rows that a returning reader holds, as of one moment.
    ///
    /// - Complexity: O(log rows + rows in the ranges + tombstones in the ranges), within the query's limits.
    func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading

    /// The first `limit` rooms whose names come after `name`, in the order of their names' bytes; `nil` for all. Those
    /// that nobody has written to are none.
    ///
    /// - Complexity: O(log rooms + limit), but O(rooms) for rooms in memory.
    func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary]

    /// The operations with revisions above `since`, ascending, at most `limit` of them.
    func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation]

    /// The last `limit` entries of a room's audit log whose revisions are below `before`.
    ///
    /// - Complexity: O(log operations + limit).
    func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage

    /// Lets go of a little of what `retention` does not keep: one step of a pass over a part's rooms, in the order of their
    /// names. To be called with what it returned until that is `done`, and again now and then.
    ///
    /// In each room, as of one moment:
    ///
    /// - Its list begins later: its first rows go, and ``RoomReading/start`` is above their sort keys from then on. That
    ///   takes a revision, which no operation has, and leaves no tombstones.
    /// - What happened longer ago than the resume time is forgotten: tombstones, operations, and which commands they
    ///   were. Of a message that is still there its send stays, and so does all that is in the audit log. Whoever asks
    ///   for the changes since an earlier revision is told `gone`.
    ///
    /// - Complexity: O(``Trimming/rooms`` + ``Trimming/entries`` · log rows), whatever there is.
    func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: Milliseconds
    ) throws(RoomStoreError) -> Trimming

    /// How far the rooms of a part were told to somebody outside, for whoever tells; `nil` while another server does. To be
    /// asked for by one at a time.
    func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)?

    /// Leaves the data as one who takes it away wants to find it. Nothing is read or written afterwards.
    ///
    /// - Errors: what kept it from that. Nothing is lost then.
    func close() throws(RoomStoreError)

    /// How many parts there are, each with rooms of its own, and which of them a room belongs to.
    var parts: Int { get }
    func part(of room: RoomName) -> Int

    /// How many batches may be committed at the same time, and which of those a room's operations go into.
    var writers: Int { get }
    func writer(of room: RoomName) -> Int

    /// Why nothing can be written at present, as far as is known; `nil` while it can.
    var trouble: String? { get }

    /// The other servers that share the store; `nil` for one that a single server has to itself, in its own process.
    var others: (any OtherServers)? { get }
}

extension RoomStore {
    package func commit(_ batch: [RoomOperation]) throws(RoomStoreError) -> [CommitOutcome] {
        try commit(batch, marking: [])
    }

    package func close() throws(RoomStoreError) {}
    package var parts: Int { 1 }
    package func part(of room: RoomName) -> Int { 0 }
    package var writers: Int { parts }
    package func writer(of room: RoomName) -> Int { part(of: room) }
    package var trouble: String? { nil }
    package var others: (any OtherServers)? { nil }
}

/// A room that somebody has written to.
package struct RoomSummary: Equatable, Sendable {
    package let name: RoomName
    package let revision: Revision
    /// How many rows its list has.
    package let count: Int

    package init(name: RoomName, revision: Revision, count: Int) {
        self.name = name
        self.revision = revision
        self.count = count
    }
}

/// An operation and the room that it is for.
package struct RoomOperation: Equatable, Sendable {
    package let room: RoomName
    package let operation: Operation

    package init(room: RoomName, operation: Operation) {
        self.room = room
        self.operation = operation
    }
}

/// An operation as the store keeps it.
package struct CommittedOperation: Equatable, Sendable {
    package let revision: Revision
    package let operation: Operation

    package init(revision: Revision, operation: Operation) {
        self.revision = revision
        self.operation = operation
    }
}
