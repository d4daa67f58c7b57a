package import ChatRoom
package import ChatWire

/// Keeps the rooms: their operations, the rows that these fold to, and the commands that were carried out, in one
/// transaction.
///
/// The store assigns order and revisions. A room applies what the store returned, never its own guess.
///
/// Rows are read into the section `history`. An operation concerns one row, which it finds by its id. A row's sort key
/// is the revision that inserted it. A message's id is the command id of its send. Command ids are remembered for good,
/// or for ``Retention/resumeTime``, and for that time the id of a message names no other, even after its deletion.
///
/// - Errors: ``RoomStoreError``; nothing was written then. `damagedRoom` concerns one room only. The caller goes on
///   without that room: it commits a batch without the room's operations, and a pass skips the room.
package protocol RoomStore: AnyObject, Sendable {
    /// The incarnation of this store's history. It may change in a store that servers share: ``News/renewed``.
    var epoch: Epoch { get }

    /// Folds a batch, in order, in one transaction that is durable when the call returns. However a sequence is cut into
    /// batches, the result is the same.
    ///
    /// A refused or conflicting operation does not affect the others in its batch.
    ///
    /// A read mark only grows, never beyond the room's revision; that of a user who is not a member does nothing, nor
    /// does one that ``RoomSettings/allowMark(_:after:)`` does not allow. The batch may be empty.
    ///
    /// - Returns: one outcome for each operation, in the batch's order; none for a read mark.
    /// - Complexity: one synchronisation of the disk, whatever the size of the batch; O(log rows) for each operation and
    ///   mark, and O(memberships of its author) for each join.
    func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome]

    /// The rooms that a user is a member of, in the order of their names' bytes, as of one moment. One whose data is
    /// damaged is left out.
    ///
    /// - Complexity: O(memberships · (log rows + deletions above the read mark)), but O(rooms) for rooms in memory.
    func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading]

    /// The memberships of a user in some rooms, as of one moment, in any order. Rooms of which the user is not a member are
    /// left out, and so are damaged ones.
    ///
    /// - Complexity: O(rooms · (log rows + deletions above the read mark)).
    func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading]

    /// The places of all rooms that a user is a member of, in any order, as of one moment. Rows that make no sense are left
    /// out.
    ///
    /// - Complexity: O(memberships · log rows), and little for each; but O(rooms) for rooms in memory.
    func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace]

    /// The memberships of some users in one room, as of one moment. Those who are not members are left out.
    ///
    /// - Complexity: O(users · (log rows + deletions above the read mark)).
    func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading]

    /// Returns the newest `limit` messages in some rooms that mention a user and that another user wrote, in the order of
    /// their instants. In a room what was said later is newer. Damaged rooms are left out.
    ///
    /// - Parameter place: only those that are older than it; `nil` for all.
    /// - Complexity: O(rooms · log rows + limit² + the user's own messages to everybody), and with a place O(log² rows) for
    ///   each room with later ones; but O(rows) for rooms in memory.
    func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading]

    /// Returns the newest `limit` messages in some rooms that match a query. Damaged messages match nothing.
    ///
    /// It may search in part only: ``ChatWire/SearchPage/before`` is the place down to which it has searched. Any store
    /// finds the same messages as ``scan(_:in:before:limit:)`` does.
    ///
    /// - Parameter place: only those that are older than it; `nil` for all.
    func search(
        _ query: SearchQuery, in rooms: [RoomName], before place: SearchPlace?, limit: Int
    ) throws(RoomStoreError) -> SearchReading

    /// Returns the first `limit` people, members of a room or invited to it, whose names come after `user` in the order
    /// of the names' bytes; `nil` is before all names. A damaged membership is an error. The followers of a thread are not
    /// listed.
    ///
    /// - Complexity: O(log memberships + limit), but O(members) for rooms in memory.
    func members(of room: RoomName, after user: UserName?, limit: Int) throws(RoomStoreError) -> [RoomMember]

    /// Reads people who belong to a room, and the numbers of all, as of one moment. Damaged memberships are left out, and so
    /// are the followers of a thread.
    ///
    /// - Complexity: O(members) little for each, to count them, and O(names + first) · log memberships.
    func members(_ query: MembersQuery, of room: RoomName) throws(RoomStoreError) -> MembersReading

    /// The profiles of some people. People without a profile are left out, and so are damaged profiles.
    ///
    /// - Complexity: O(users · log profiles).
    func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile]

    /// Changes people's profiles, in order, in one transaction that is durable when the call returns. A change without
    /// an effect is not written.
    ///
    /// - Returns: the people of whom something was written.
    /// - Complexity: O(changes · log profiles).
    func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName>

    /// The drafts of some people, each person's in any order. People without a draft are left out, and so are damaged
    /// drafts.
    ///
    /// - Complexity: O(users · log drafts + drafts of the users).
    func drafts(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredDraft]]

    /// Changes people's drafts, in order, in one transaction that is durable when the call returns.
    ///
    /// - Parameter most: the number of drafts that a person may have. Of more, the oldest go.
    /// - Complexity: O(changes · log drafts + drafts of the people).
    func write(_ changes: [DraftChange], keeping most: Int) throws(RoomStoreError)

    /// The items of some people's `me/later`, each person's in any order. People without an item are left out, and so are
    /// damaged items.
    ///
    /// - Complexity: O(users · log items + items of the users).
    func later(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredLater]]

    /// The messages of `me/later` that are to be sent first, with their authors, in the order of ``StoredLater/due``. Damaged
    /// ones are left out.
    ///
    /// - Complexity: O(limit), whatever the number of items.
    func nextLater(limit: Int) throws(RoomStoreError) -> [(user: UserName, item: StoredLater)]

    /// Changes items of people's `me/later`, in order, in one transaction that is durable when the call returns.
    ///
    /// - Parameter most: the number of items that a person may have.
    /// - Returns: the outcome of each change: the item after it, or as it was before it was removed.
    /// - Complexity: O(changes · log items + items of the people).
    func write(
        _ changes: [LaterChange], most: Int
    ) throws(RoomStoreError) -> [Result<StoredLater, LaterRefusal>]

    /// The users whom some people have blocked, each person's in any order. People without blocks are left out, and
    /// so are damaged blocks.
    ///
    /// Memberships and places say which rooms are hidden by that: see ``MembershipReading/isHidden``. Mentions by blocked users
    /// neither count nor are found.
    ///
    /// - Complexity: O(users · log blocks + blocks of the users).
    func blocks(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredBlock]]

    /// The users who have blocked a person, in the order of their names' bytes.
    ///
    /// - Complexity: O(log blocks + users).
    func blockers(of user: UserName) throws(RoomStoreError) -> [UserName]

    /// Blocks users, or ends that, in order, in one transaction that is durable when the call returns. Every part of the store
    /// has the blocks of all people, because each has rooms of theirs.
    ///
    /// - Parameter most: the number of users whom a person may block.
    /// - Returns: whether each change was accepted.
    /// - Complexity: O(changes · log blocks + blocks of the people).
    func write(_ changes: [BlockChange], most: Int) throws(RoomStoreError) -> [Bool]

    /// Reads the end of a room's list, its changes since a revision, and its rules, all as of one moment.
    ///
    /// A room without operations is empty, at revision 0.
    ///
    /// - Parameters:
    ///   - tail: the greatest number of rows; 0 for a caller that holds them and needs only the changes.
    ///   - since: a revision; `nil` to read no changes.
    ///   - atMost: the greatest number of changes. If there are more, `changes` is `.tooMany`.
    ///   - standings: the users whose standings are read with the rules.
    /// - Complexity: O(log rows + tail + atMost + standings that are read), whatever the room's length.
    func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope
    ) throws(RoomStoreError) -> RoomReading

    /// Reads one person's standing in a room.
    ///
    /// - Complexity: O(log people in the rules).
    func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing

    /// Reads the rows on both sides of a sort key, at most `before` and `after` of them.
    ///
    /// - Complexity: O(log rows + before + after).
    func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours

    /// Finds the sort key of a row; `nil` if the message is not in the room.
    ///
    /// For a time, it is the first sort key from which on all messages have that time or a later one. If there is none,
    /// it is above all others.
    ///
    /// - Complexity: O(log rows), for a time O(log² rows).
    func sort(of anchor: PagePlace.Anchor, in room: RoomName) throws(RoomStoreError) -> UInt64?

    /// Reads the changes of the rows that a returning reader holds, as of one moment.
    ///
    /// - Complexity: O(log rows + rows in the ranges + tombstones in the ranges), within the query's limits.
    func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading

    /// Returns the first `limit` rooms whose names come after `name`, in the order of the names' bytes; `nil` is before
    /// all names. Rooms without operations are left out.
    ///
    /// - Complexity: O(log rooms + limit), but O(rooms) for rooms in memory.
    func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary]

    /// Returns the operations with revisions above `since`, ascending, at most `limit` of them.
    func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation]

    /// Returns the last `limit` entries of a room's audit log with revisions below `before`.
    ///
    /// - Complexity: O(log operations + limit).
    func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage

    /// Makes one step of a pass over a part's rooms, in the order of their names, and removes a little of what
    /// `retention` does not keep.
    ///
    /// Call it again with the place that it returned until that is `done`, and begin again now and then.
    ///
    /// In each room, as of one moment:
    ///
    /// - The list begins later: its first rows are removed, and ``RoomReading/start`` is above their sort keys from
    ///   then on. This takes a revision of its own, and leaves no tombstones.
    /// - Tombstones, operations and their commands that are older than the resume time are forgotten. The send of an
    ///   existing message stays, as do all entries of the audit log. The changes since an earlier revision are `gone`.
    ///
    /// - Complexity: O(``Trimming/rooms`` + ``Trimming/entries`` · log rows), whatever the size of the store.
    func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: StoreMoment
    ) throws(RoomStoreError) -> Trimming

    /// Returns the deliveries of a part; `nil` while another server has them. Only one caller at a time may ask.
    func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)?

    /// Closes the store, and leaves its data ready to be copied. Nothing is read or written afterwards.
    ///
    /// - Errors: the reason why the data is not ready. Nothing is lost then.
    func close() throws(RoomStoreError)

    /// The number of parts. Each room belongs to one of them.
    var parts: Int { get }
    func part(of room: RoomName) -> Int
    /// The part that has a person's profile, drafts and items of `me/later`.
    func part(of user: UserName) -> Int
    /// The stores of the parts, in their order; this one alone if it has no others.
    var divisions: [any RoomStore] { get }

    /// The number of batches of one part, of different rooms, that may be committed at the same time.
    var lanes: Int { get }

    /// The known reason why nothing can be written at present; `nil` while the store takes writes, if only of some parts.
    var trouble: String? { get }
    /// The space that the store uses on a disk of this machine; `nil` if it uses none.
    var diskUse: DiskUse? { get }

    /// The number of faults that reads and commits have found in damaged rooms since the start.
    var faults: Int { get }

    /// The known reasons of the parts that cannot be written at present, one for each.
    var troubles: [String] { get }

    /// The time by which the server's clock is ahead of the store's for certain, or behind if negative. Zero for a store
    /// without a clock of its own.
    var clockOffset: Duration { get }

    /// The clock of a part; `nil` where the time of day decides.
    func clock(ofPart part: Int) -> StoreClock?

    /// The other servers that share the store; `nil` for a store of one server.
    var others: (any OtherServers)? { get }
}

extension RoomStore {
    /// Commits operations after read marks.
    package func commit(
        _ batch: [RoomOperation], marking marks: [ReadMark] = []
    ) throws(RoomStoreError) -> [CommitOutcome] {
        try commit(inOrder: marks.map { .mark($0) } + batch.map { .operation($0) })
    }

    /// Reads as ``read(_:tail:since:atMost:standings:)`` does, with all standings.
    package func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int
    ) throws(RoomStoreError) -> RoomReading {
        try read(room, tail: tail, since: since, atMost: atMost, standings: .all)
    }

    package func search(
        _ query: SearchQuery, in rooms: [RoomName], before place: SearchPlace?, limit: Int
    ) throws(RoomStoreError) -> SearchReading {
        try scan(query, in: rooms, before: place, limit: limit)
    }

    package func close() throws(RoomStoreError) {}
    package var parts: Int { 1 }
    package func part(of room: RoomName) -> Int { 0 }
    package func part(of user: UserName) -> Int { 0 }
    package var divisions: [any RoomStore] { [self] }
    package var lanes: Int { 1 }
    package var trouble: String? { nil }
    package var troubles: [String] { trouble.map { [$0] } ?? [] }
    package var diskUse: DiskUse? { nil }
    package var faults: Int { 0 }
    package var clockOffset: Duration { .zero }
    /// The clock of the part to which a room belongs.
    package func clock(of room: RoomName) -> StoreClock? { clock(ofPart: part(of: room)) }

    /// Trims where the clock has never jumped.
    package func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: Milliseconds
    ) throws(RoomStoreError) -> Trimming {
        try trim(retention, part: part, after: room, at: StoreMoment(now, lead: 0))
    }

    package var others: (any OtherServers)? { nil }
}

extension [DraftChange] {
    /// The last change of each person's draft in each room: the others have no effect.
    package var last: [DraftChange] {
        var indices: [UserName: [RoomName: Int]] = [:]
        for (index, change) in enumerated() { indices[change.user, default: [:]][change.room] = index }
        return indices.values.flatMap(\.values).sorted().map { self[$0] }
    }
}

extension [ProfileChange] {
    /// Returns what is to be written, by the people, when `stored` is.
    package func applied(to stored: [UserName: StoredProfile]) -> [UserName: StoredProfile] {
        var written: [UserName: StoredProfile] = [:]
        for change in self {
            if let profile = change.applied(to: written[change.user] ?? stored[change.user]) {
                written[change.user] = profile
            }
        }
        return written
    }
}

/// A room with operations.
package struct RoomSummary: Equatable, Sendable {
    package let name: RoomName
    package let revision: Revision
    /// The number of rows in its list.
    package let count: Int

    package init(name: RoomName, revision: Revision, count: Int) {
        self.name = name
        self.revision = revision
        self.count = count
    }
}

/// An operation and its room.
package struct RoomOperation: Equatable, Sendable {
    package let room: RoomName
    package let operation: Operation

    package init(room: RoomName, operation: Operation) {
        self.room = room
        self.operation = operation
    }
}

/// An operation or a read mark of a batch, whose entries are carried out in their order.
package enum BatchEntry: Equatable, Sendable {
    case operation(RoomOperation)
    case mark(ReadMark)

    package var room: RoomName {
        switch self {
        case .operation(let entry): entry.room
        case .mark(let mark): mark.room
        }
    }

    package var operation: RoomOperation? {
        if case .operation(let entry) = self { entry } else { nil }
    }
}

/// An operation as the store keeps it.
package struct CommittedOperation: Equatable, Sendable {
    package let revision: Revision
    package let operation: Operation
    /// True for the join of a member, and for the leave of a user who is none.
    ///
    /// Nothing else that is stored tells such a join from one that begins a membership. Other operations that changed
    /// nothing have no such mark: they also change nothing when they are applied again.
    package var changesNothing = false
    /// The people who follow a thread from this reply on.
    package var followers: [UserName] = []

    package init(revision: Revision, operation: Operation) {
        self.revision = revision
        self.operation = operation
    }

    /// - Parameter change: the operation's effect.
    package init(revision: Revision, operation: Operation, change: RowChange) {
        self.init(revision: revision, operation: operation)
        switch operation.action {
        case .join, .leave: changesNothing = change == .nothing
        case .send: if case .inserted(_, _, let followers) = change { self.followers = followers }
        case .edit, .grow, .delete, .react, .summarize, .moderate, .settings, .create: break
        }
    }
}

/// The space that a store uses, in bytes.
package struct DiskUse: Equatable, Sendable {
    /// The log beside the file.
    package var logBytes: Int
    /// The free space for it on its disk.
    package var freeBytes: Int

    package init(logBytes: Int, freeBytes: Int) { (self.logBytes, self.freeBytes) = (logBytes, freeBytes) }
}

extension RoomName {
    /// Compares names byte by byte, as every store sorts them.
    package func follows(_ other: RoomName) -> Bool {
        other.description.utf8.lexicographicallyPrecedes(description.utf8)
    }
}
