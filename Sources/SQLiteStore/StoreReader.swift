import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// Reads rooms over a connection of its own, each time as of one moment, without waiting for the writer.
final class StoreReader: @unchecked Sendable {
    // @unchecked: a reader is either in the pool, where no thread uses it, or with the one caller that took it out.

    private let connection: Connection
    private let room: Statement
    private let messagesBefore: Statement
    private let messagesFrom: Statement
    private let ranges: RangeStatements
    private let memberships: MembershipQueries
    private let mentions: MentionQueries
    private let profiles: ProfileStatements
    private let drafts: DraftStatements
    private let later: LaterStatements
    private let blocks: BlockStatements
    private let insertedSince: Statement
    private let touchedSince: Statement
    private let deletedSince: Statement
    private let operations: Statement
    private let roomsAfter: Statement
    private let audited: Statement
    private let standings: Statement
    private let roomsToTrim: Statement
    private let deliveriesAfter: Statement
    private let delivery: Statement
    private let numbers: RowNumbers
    private let reader: MessageReader

    init(path: String) throws(RoomStoreError) {
        var connection = try Connection.open(path, .required)
        try connection.requireSums()
        try connection.execute("PRAGMA query_only = ON")
        room = try Statement(.room, on: connection)
        messagesBefore = try Statement(.messagesBefore, on: connection)
        messagesFrom = try Statement(.messagesFrom, on: connection)
        reader = try MessageReader(connection)
        ranges = try RangeStatements(connection, reader)
        blocks = try BlockStatements(connection)
        memberships = try MembershipQueries(connection, reader, blocks)
        mentions = try MentionQueries(connection)
        profiles = try ProfileStatements(connection)
        drafts = try DraftStatements(connection)
        later = try LaterStatements(connection)
        insertedSince = try Statement(.insertedSince, on: connection)
        touchedSince = try Statement(.touchedSince, on: connection)
        deletedSince = try Statement(.deletedSince, on: connection)
        operations = try Statement(.operations, on: connection)
        roomsAfter = try Statement(.roomsAfter, on: connection)
        audited = try Statement(.audited, on: connection)
        standings = try Statement(.firstStandings, on: connection)
        roomsToTrim = try Statement(.roomsToTrim, on: connection)
        deliveriesAfter = try Statement(.deliveriesAfter, on: connection)
        delivery = try Statement(.delivery, on: connection)
        numbers = try RowNumbers(connection)
        self.connection = connection
    }

    /// Returns the damaged messages that were read since the last call, by their sort keys.
    func removeDamaged() -> [RoomName: Set<UInt64>] { reader.removeDamaged() }

    func read(
        _ name: RoomName, tail: Int, since: Revision?, atMost: Int, standings scope: StandingScope
    ) throws(RoomStoreError) -> RoomReading {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            let room = try room.room(named: name)
            let parent = try name.parent.map { (parent) throws(RoomStoreError) in try self.room.room(named: parent) }
            let rows = try messages(of: room, name, before: .max, limit: tail)
            let rules = try rules(of: parent ?? room, scope)
            return RoomReading(
                revision: room.revision, count: room.count,
                tail: try numbers.messages(of: rows, in: room, start: rows.end(asked: tail), end: .reached),
                changes: try changes(of: room, name, since: since, atMost: atMost),
                rules: parent == nil ? rules : rules.inThreads, ruled: parent?.revision, start: room.start)
        }
    }

    func standing(of user: UserName, in name: RoomName) throws(RoomStoreError) -> Standing {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            let room = try room.room(named: name.ruling)
            guard let id = room.id, room.isRuled else { return Standing() }
            return try memberships.standing(of: user, in: id)
        }
    }

    func neighbours(
        of sort: UInt64, in name: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            let room = try room.room(named: name)
            let below = try messages(of: room, name, before: sort, limit: before)
            let above = try messages(of: room, name, from: sort, limit: after)
            let rows = try numbers.messages(
                of: NumberedRows(rows: below.rows + above.rows), in: room, start: below.end(asked: before),
                end: above.end(asked: after))
            return Neighbours(
                revision: room.revision, before: Array(rows.prefix(below.rows.count)),
                after: Array(rows.dropFirst(below.rows.count)))
        }
    }

    func sort(of anchor: PagePlace.Anchor, in name: RoomName) throws(RoomStoreError) -> UInt64? {
        if case .revision(let revision) = anchor { return revision }
        return try connection.transaction(.reading) { () throws(RoomStoreError) in
            guard let id = try room.room(named: name).id else { return nil }
            return try ranges.sort(of: anchor, in: id)
        }
    }

    func held(_ query: HeldQuery, in name: RoomName) throws(RoomStoreError) -> HeldReading {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            let room = try room.room(named: name)
            return try StoredRanges(room: room, name: name, statements: ranges).held(query)
        }
    }

    func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary] {
        roomsAfter.bind(1, name?.description ?? "")
        return try roomsAfter.sound(limit) { (row) throws(RoomStoreError) in
            try row.requireSum(3)
            return RoomSummary(name: try row.room(0), revision: try row.revision(1), count: try row.count(2))
        }
    }

    func operations(
        _ name: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            let room = try room.room(named: name)
            guard let id = room.id else { return [] }
            bind(operations, id, since, limit)
            let all = try operations.all { (row) throws(RoomStoreError) in try row.committedOperation(in: name) }
            guard all.map(\.revision).isAscending, room.areComplete(all, since: since, limit: limit) else {
                throw RoomStoreError.damaged("operations are missing after revision \(since)")
            }
            return all
        }
    }

    func audit(_ name: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            guard let id = try room.room(named: name).id else { return AuditPage(entries: [], more: false) }
            bind(audited, id, before, limit + 1)
            let entries = try audited.all { (row) throws(RoomStoreError) in try row.auditEntry(in: name) }
            guard entries.reversed().map(\.revision).isAscending else {
                throw RoomStoreError.damaged("entries of the audit log are missing before revision \(before)")
            }
            return AuditPage(entries: entries.prefix(limit).reversed(), more: entries.count > limit)
        }
    }

    func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in try memberships.memberships(of: user) }
    }

    func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            try memberships.memberships(of: user, in: rooms)
        }
    }

    func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] {
        try memberships.places(of: user)
    }

    func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            try memberships.memberships(of: users, in: room)
        }
    }

    func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            try mentions.newest(limit, of: user, in: rooms, before: place)
        }
    }

    func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in try profiles.profiles(of: users) }
    }

    /// See ``RoomStore/drafts(of:)``.
    func drafts(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredDraft]] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in try drafts.drafts(of: users) }
    }

    /// See ``RoomStore/later(of:)``.
    func later(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredLater]] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in try later.items(of: users) }
    }

    /// See ``RoomStore/nextLater(limit:)``.
    func nextLater(limit: Int) throws(RoomStoreError) -> [(user: UserName, item: StoredLater)] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in try later.next(limit) }
    }

    /// See ``RoomStore/blocks(of:)``.
    func blocks(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredBlock]] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in try blocks.blocks(of: users) }
    }

    /// See ``RoomStore/blockers(of:)``.
    func blockers(of user: UserName) throws(RoomStoreError) -> [UserName] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in try blocks.blockers(of: user) }
    }

    func members(of room: RoomName, after user: UserName?, limit: Int) throws(RoomStoreError) -> [RoomMember] {
        try connection.transaction(.reading) { () throws(RoomStoreError) in
            try memberships.members(of: room, after: user, limit: limit)
        }
    }

    func members(_ query: MembersQuery, of room: RoomName) throws(RoomStoreError) -> MembersReading {
        try connection.transaction(.reading) { () throws(RoomStoreError) in try memberships.members(query, of: room) }
    }

    /// Returns the next rooms after one, at most ``Trimming/rooms``, and whether each has anything to trim.
    func rooms(
        after room: RoomName?, _ retention: Retention, at now: StoreMoment
    ) throws(RoomStoreError) -> [(name: RoomName, isDue: Bool)] {
        roomsToTrim.bind(1, room?.description ?? "")
        return try roomsToTrim.sound(Trimming.rooms) { (row) throws(RoomStoreError) in
            let name = try row.room(0)
            let isDue = retention.isDue(
                name, count: try row.count(1),
                oldest: row.isNull(2) ? nil : now.instant(of: try row.time(2), drift: row.integer(3)),
                done: row.isNull(4) ? nil : now.instant(of: try row.time(4), drift: row.integer(5)), at: now.instant)
            return (name, isDue)
        }
    }

    func deliveryStates(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [DeliveryState] {
        deliveriesAfter.bind(1, name?.description ?? "")
        return try deliveriesAfter.sound(limit) { (row) throws(RoomStoreError) in try row.deliveryState() }
    }

    func deliveryState(of room: RoomName) throws(RoomStoreError) -> DeliveryState? {
        delivery.bind(1, room.description)
        return try delivery.first { (row) throws(RoomStoreError) in try row.deliveryState() }
    }

    private func rules(of room: StoredRoom, _ scope: StandingScope) throws(RoomStoreError) -> RoomRules {
        guard let id = room.id, room.isRuled else { return RoomRules(room.configuration, standings: [:]) }
        var most = -1
        if case .upTo(let few, or: _) = scope { most = few }
        standings.bind(1, id)
        standings.bind(2, Int64(most < 0 ? -1 : most + 1))
        let found = try standings.all { (row) throws(RoomStoreError) in try row.standing() }
        guard case .upTo(_, or: let users) = scope, found.count > most else {
            return RoomRules(room.configuration, standings: Dictionary(found) { $1 })
        }
        var some: [UserName: Standing] = [:]
        for user in users {
            let standing = try memberships.standing(of: user, in: id)
            if standing != Standing() { some[user] = standing }
        }
        return RoomRules(room.configuration, standings: some, of: users)
    }

    /// Ascending by sort key.
    private func messages(
        of room: StoredRoom, _ name: RoomName, before: UInt64, limit: Int
    ) throws(RoomStoreError) -> NumberedRows {
        guard let id = room.id else { return NumberedRows(rows: []) }
        bind(messagesBefore, id, before, limit)
        let rows = try messagesBefore.all { (row) throws(RoomStoreError) in
            try numbered(row, in: (id, name, room.revision))
        }
        return NumberedRows(rows: rows.reversed())
    }

    private func messages(
        of room: StoredRoom, _ name: RoomName, from sort: UInt64, limit: Int
    ) throws(RoomStoreError) -> NumberedRows {
        guard let id = room.id else { return NumberedRows(rows: []) }
        bind(messagesFrom, id, sort, limit)
        return NumberedRows(
            rows: try messagesFrom.all { (row) throws(RoomStoreError) in
                try numbered(row, in: (id, name, room.revision))
            })
    }

    private func numbered(
        _ row: Row, in room: StoredPlace
    ) throws(RoomStoreError) -> (message: Message, ordinal: Int) {
        let message = try reader.message(row, in: room).0
        return (message, message.isDamaged ? 0 : try row.count(12))
    }

    private func bind(_ statement: borrowing Statement, _ room: Int64, _ key: UInt64, _ limit: Int) {
        statement.bind(1, room)
        statement.bind(2, key)
        statement.bind(3, Int64(limit))
    }
}

// MARK: - Changes

extension StoreReader {
    private func changes(
        of room: StoredRoom, _ name: RoomName, since: Revision?, atMost: Int
    ) throws(RoomStoreError) -> RoomReading.Changes {
        guard let since else { return .none }
        guard since <= room.revision else { return .future }
        guard since >= room.floor else { return .gone }
        guard let id = room.id, since < room.revision else { return .all([]) }
        // Read one more than allowed, to detect `tooMany`. Inserted rows come first, because the other queries step
        // over them in their index.
        let place = (id, name, room.revision)
        var changes: [RoomChange] = []
        bind(insertedSince, id, since, atMost + 1)
        changes += try insertedSince.all { (row) throws(RoomStoreError) in try reader.change(row, in: place) }
        guard changes.count <= atMost else { return .tooMany }
        bind(touchedSince, id, since, atMost + 1 - changes.count)
        changes += try touchedSince.all { (row) throws(RoomStoreError) in try reader.change(row, in: place) }
            .filter { $0.rev > since }
        guard changes.count <= atMost else { return .tooMany }
        bind(deletedSince, id, since, atMost + 1 - changes.count)
        changes += try deletedSince.all { (row) throws(RoomStoreError) in try row.tombstone() }
        guard changes.count <= atMost else { return .tooMany }
        return .all(changes.sorted { $0.rev < $1.rev })
    }
}

extension [Revision] {
    /// False where a page of a damaged file leads to one row twice, instead of to another one.
    fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}

extension StoredRoom {
    /// Returns whether no operation is missing. Retention leaves gaps; before it, each revision has an operation.
    fileprivate func areComplete(_ operations: [CommittedOperation], since: Revision, limit: Int) -> Bool {
        guard start == 0, floor == 0, since < revision, limit > 0 else { return true }
        guard operations.first?.revision == since + 1, let last = operations.last else { return false }
        return last.revision == since + UInt64(operations.count)
            && (operations.count >= limit || last.revision == revision)
    }
}

extension Row {
    fileprivate func deliveryState() throws(RoomStoreError) -> DeliveryState {
        DeliveryState(room: try room(0), revision: try revision(1), delivered: try revision(2))
    }

    func tombstone() throws(RoomStoreError) -> RoomChange {
        try requireSum(of: 0..<4, in: 4)
        return .tombstone(try id(0), sort: try revision(1), rev: try revision(2))
    }
}
