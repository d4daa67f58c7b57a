import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// One room of an ``InMemoryStore``.
///
/// - Shape: `operations` and `audit` ascending by revision; `rows` ascending by sort key.
struct InMemoryRoom: Sendable {
    private(set) var revision: Revision = 0
    private(set) var operations: [CommittedOperation] = []
    private(set) var rows: [Entry] = []
    /// The number of messages that ever came.
    private var inserted = 0
    private(set) var audit: [AuditEntry] = []
    /// See ``RowChange/activity(after:)``.
    private var activity = ActivityStamp.none
    private(set) var start: UInt64 = 0
    /// Operations up to this revision may be forgotten.
    private(set) var floor: Revision = 0
    private(set) var rules: RoomRules
    /// The person who created the room; `nil` for a room without a creator.
    private var creator: UserName?
    private var lastSends = LastSends()
    private var commands: [CommandID: Revision] = [:]
    private(set) var members: [UserName: Member] = [:]
    /// The deleted messages, by the revision of the deletion.
    private var tombstones: [Revision: (id: MessageID, sort: UInt64)] = [:]

    struct Entry: Sendable {
        var row: Message
        /// The revision that last replaced the row's content.
        var reloaded: Revision
    }

    private let isThread: Bool

    init(_ name: RoomName) {
        (isThread, rules) = (name.isThread, RoomRules(of: name.kind))
    }

    struct Member: Sendable {
        /// 0 for a user who is only invited.
        let joined: Revision
        let time: Milliseconds
        let inviter: UserName?
        var read: Revision
        var settings = RoomSettings()

        mutating func unread(from sort: UInt64, isThread: Bool) {
            read = min(read, max(joined - (isThread ? 1 : 0), max(sort, 1) - 1))
        }
    }

    private var sizes: RoomSizes {
        RoomSizes(members: members.count, standings: rules.standings.count, senders: lastSends.count)
    }

    /// Removes stale rows from a full table to which an operation may add one.
    mutating func makePlaces(for operation: Operation, _ limits: WireLimits) {
        let tables = operation.readSet(in: rules.kind, isThread: isThread).tables(under: rules.configuration)
        let stale = StaleRows(at: operation.instant, revision, rules.configuration, limits: limits)
        for table in tables where table.size(in: sizes) >= table.limit(limits) {
            switch table {
            case .members: break
            case .standings: rules.standings = rules.standings.filter { !stale.contains($0.value) }
            case .senders: lastSends.remove { stale.contains(lastSend: $0) }
            }
        }
    }

    /// - Parameters:
    ///   - others: the other rooms: the one of this thread, and the threads of this one.
    ///   - membership: returns a user's membership of this room.
    func base(
        of operation: Operation, in name: RoomName, among others: [RoomName: InMemoryRoom],
        _ membership: (UserName) -> Membership
    ) -> (CommitBase, row: Message?) {
        let earlier = commands[operation.command].map { operations[place(ofOperation: $0)] }
        let parent = name.parent.map { others[$0] ?? InMemoryRoom($0) }
        let rules = parent?.rules.inThreads ?? rules
        var configuration = rules.configuration
        // A message that retention trims is not pinned any more.
        configuration.pins = configuration.pins.since(start)
        var fold = FoldBase(operation.readSet(in: rules.kind, isThread: name.isThread), of: configuration)
        let row = fold.loadMessage { entry($0)?.row }
        fold.loadThread { others[name.thread(of: $0)]?.summary }
        fold.loadRoot {
            guard let root = name.root.flatMap({ parent?.entry($0) }) else { return nil }
            guard inserted == 0 else { return [] }
            return name.kind == .direct ? rules.people : [root.row.author]
        }
        fold.loadStandings(rules.standing)
        fold.loadMemberships(membership)
        fold.loadLastSend { lastSends[$0] }
        fold.loadSizes { _ in sizes }
        return (CommitBase(revision: revision, earlier: earlier, fold: fold), row)
    }

    private var summary: ThreadSummary? {
        ThreadSummary(
            count: rows.count, last: rows.suffix(ThreadSummary.window).reversed().map { ($0.row.author, $0.row.time) })
    }

    /// - Parameter row: the message that the operation concerns.
    mutating func apply(_ outcome: CommitOutcome, of operation: Operation, about row: Message?) {
        if case .committed(let next, let change) = outcome { write(change, of: operation, about: row, at: next) }
    }

    private mutating func write(
        _ change: RowChange, of operation: Operation, about row: Message?, at next: Revision
    ) {
        apply(change, at: next)
        activity = change.activity(after: activity)
        lastSends.apply(change, under: rules.configuration)
        rules.apply(change)
        if case .created = change { creator = operation.author }
        if let leaver = change.leaver { members[leaver] = nil }
        for (user, kind) in change.comers {
            let joined = kind == .member ? next : 0
            members[user] = Member(
                joined: joined, time: operation.instant, inviter: operation.inviter(to: kind),
                read: kind == .member ? change.read(at: next) : 0)
        }
        if case .settings(let user, let settings, let unreadFrom) = change {
            members[user]?.settings = settings
            if let unreadFrom { members[user]?.unread(from: unreadFrom, isThread: isThread) }
        }
        if let deed = operation.deed(to: row) {
            let (time, author) = (operation.time, operation.author)
            audit.append(AuditEntry(revision: next, time: time, author: author, deed: deed))
        }
        revision = next
        if let (user, revision) = change.mark { mark(user, upTo: revision) }
        operations.append(
            CommittedOperation(revision: next, operation: operation.whole(about: row, change), change: change))
        commands[operation.command] = next
    }

    private mutating func apply(_ change: RowChange, at next: Revision) {
        switch change {
        case .inserted(var row, _, _):
            row.section = .history
            inserted += 1
            rows.append(Entry(row: row, reloaded: next))
        case .reloaded(let row):
            rows[place(of: row.sort)] = Entry(row: row, reloaded: next)
        case .reconfigured(let row):
            rows[place(of: row.sort)].row = row
        case .deleted(let id, let sort):
            tombstones[next] = (id, sort)
            rows.remove(at: place(of: sort))
        case .ruled, .joined, .left, .settings, .affiliated, .created, .nothing:
            break
        }
    }

    /// Finds a message by the revision of its send.
    private func entry(_ id: MessageID) -> Entry? {
        guard let sort = commands[id] else { return nil }
        let place = place(of: sort)
        return place < rows.count && rows[place].row.id == id ? rows[place] : nil
    }

    /// Returns the index of the first row with the sort key `sort` or a larger one.
    func place(of sort: UInt64) -> Int {
        rows.place { $0.row.sort >= sort }
    }

    /// Returns the index of the first operation with this revision or a later one.
    private func place(ofOperation revision: Revision) -> Int {
        operations.place { $0.revision >= revision }
    }

    func changes(since: Revision?, atMost: Int) -> RoomReading.Changes {
        guard let since else { return .none }
        guard since <= revision else { return .future }
        guard since >= floor else { return .gone }
        let done = operations[place(ofOperation: since + 1)...]
        let rows = Set(done.compactMap(\.operation.message)).compactMap(entry).filter { $0.row.rev > since }
        let changes =
            rows.map { RoomChange.row($0.row, reloaded: $0.reloaded) }
            + done.compactMap { done in
                tombstones[done.revision].map { .tombstone($0.id, sort: $0.sort, rev: done.revision) }
            }
        return changes.count > atMost ? .tooMany : .all(changes.sorted { $0.rev < $1.rev })
    }
}

// MARK: - Members

extension InMemoryRoom {
    mutating func mark(_ user: UserName, upTo revision: Revision) {
        guard let member = members[user], member.joined != 0, member.settings.allowMark(revision, after: member.read)
        else { return }
        members[user]?.read = max(member.read, min(revision, self.revision))
    }

    /// - Parameter counts: returns the person's rooms.
    func membership(of user: UserName, _ counts: () -> RoomCounts) -> Membership {
        guard let member = members[user] else { return .guest(counts()) }
        return member.joined == 0 ? .invited(counts()) : .member(member.settings)
    }

    /// `nil` for a user who is neither a member nor invited.
    func share(of user: UserName) -> RoomShare? {
        members[user].map { member in
            RoomShare(
                isOwn: member.joined > 0 && (rules.kind != .direct || creator == user),
                isArchived: member.settings.isArchived)
        }
    }

    /// Returns whether the user has the room from one of some users: see ``Blocks``.
    func isGiven(to user: UserName, by others: Set<UserName>) -> Bool {
        guard let member = members[user] else { return false }
        if member.joined == 0 { return member.inviter.map(others.contains) ?? false }
        return rules.kind == .direct && member.read <= member.joined && creator.map(others.contains) ?? false
    }

    /// - Parameter parent: the room of a thread.
    /// - Returns: `nil` for a user who is neither a member nor invited.
    func place(of user: UserName, in name: RoomName, of parent: InMemoryRoom?, _ blocks: Blocks) -> MembershipPlace? {
        guard let member = members[user] else { return nil }
        return MembershipPlace(
            room: name, kind: member.joined == 0 ? .invited : .member, time: member.time,
            pinned: member.settings.pinned, isArchived: member.settings.isArchived,
            standing: (parent ?? self).rules.standing(of: user), activity: activity,
            isHidden: blocks.hides(name))
    }

    /// - Parameter parent: the room of a thread.
    /// - Returns: `nil` for a user who is neither a member nor invited.
    func membership(
        of user: UserName, in name: RoomName, of parent: InMemoryRoom?, _ blocks: Blocks
    ) -> MembershipReading? {
        guard let member = members[user] else { return nil }
        let unread = rows[place(of: member.read + 1)...]
        return MembershipReading(
            room: name, user: user, revision: revision, joined: member.joined, time: member.time,
            inviter: member.inviter, read: member.read, settings: member.settings, unread: unread.count,
            mentions: unread.count { $0.row.calls(user) && !blocks.contains($0.row.author) },
            last: rows.last?.row, activity: activity, ruled: parent?.revision,
            standing: (parent ?? self).rules.standing(of: user), title: (parent ?? self).rules.title,
            picture: (parent ?? self).rules.picture, people: (parent ?? self).rules.people,
            root: name.root.flatMap { parent?.entry($0)?.row }, blocks: blocks)
    }
}

extension InMemoryRoom {
    private func member(_ name: UserName) -> RoomMember? {
        members[name].map { member in
            RoomMember(
                name, member.joined == 0 ? .invited : .member, at: member.time, by: member.inviter,
                read: member.read, role: rules.standing(of: name).role)
        }
    }

    func members(after user: UserName?, limit: Int) -> [RoomMember] {
        members.keys.filter { name in user.map { $0 < name } ?? true }.sorted().prefix(limit).compactMap(member)
    }

    func members(_ query: MembersQuery) -> MembersReading {
        let found = (query.names + members.keys.sorted().prefix(query.first)).compactMap(member)
        let invited = members.values.count { $0.joined == 0 }
        return MembersReading(
            MemberCounts(members: members.count - invited, invited: invited),
            Dictionary(found.map { ($0.user, $0) }) { $1 })
    }

    func mentions(
        of user: UserName, in name: RoomName, before place: MentionSpot?, _ blocks: Blocks
    ) -> [MentionReading] {
        let read = members[user].flatMap { $0.joined == 0 ? nil : $0.read }
        var rows = rows[...]
        if let place, let end = self.end(of: name, before: place) { rows = rows.prefix(self.place(of: end)) }
        return rows.map(\.row).filter { $0.calls(user) && !blocks.contains($0.author) }.map {
            MentionReading($0, in: name, at: instant(of: $0), read: read)
        }
    }

    /// The instant at which a message came.
    private func instant(of row: Message) -> Milliseconds {
        operations[self.place(ofOperation: row.sort)].operation.instant
    }

    /// Returns the sort key from which on messages are not older than the place.
    private func end(of name: RoomName, before place: MentionSpot) -> UInt64? {
        let message = place.id.room == name ? commands[place.id.message] : nil
        return message ?? rows.first { instant(of: $0.row) >= place.end(in: name) }?.row.sort ?? revision + 1
    }
}

// MARK: - Places

extension InMemoryRoom: RangeReader {
    func sort(of anchor: PagePlace.Anchor) -> UInt64? {
        switch anchor {
        case .id(let id): entry(id)?.row.sort
        case .revision(let revision): revision
        case .time(let time): rows.first { $0.row.time >= time }?.row.sort ?? revision + 1
        }
    }

    func read(_ part: HeldQuery.Part, since: Revision, rows: Int, changes: Int) -> PartReading {
        let held = self.rows[place(of: part.keys.lowerBound)...].prefix { $0.row.sort <= part.keys.upperBound }
        let gone = tombstones.filter { $0.key > since && part.keys.contains($0.value.sort) }
            .sorted { $0.value.sort < $1.value.sort }
        return PartReading(
            rows: part.first(rows, of: held.map { RowStamp($0.row) }),
            changed: part.first(
                changes, of: held.filter { $0.row.rev > since }.map { .row($0.row, reloaded: $0.reloaded) }),
            deleted: part.first(
                changes, of: gone.map { .tombstone($0.value.id, sort: $0.value.sort, rev: $0.key) }))
    }
}

extension HeldQuery.Part {
    /// Returns the first elements in the part's direction, of ascending ones.
    fileprivate func first<Element>(_ limit: Int, of ascending: [Element]) -> [Element] {
        direction == .up ? Array(ascending.prefix(limit)) : ascending.suffix(limit).reversed()
    }
}

// MARK: - Trimming

extension InMemoryRoom {
    /// See ``RoomStore/trim(_:part:after:at:)``.
    mutating func trim(_ rule: Retention.Rule, _ retention: Retention, at now: StoreMoment) -> Trimming.Trimmed {
        let trimmed = shorten(rule, at: now)
        let looked = forget(retention, at: now)
        return Trimming.Trimmed(revision: trimmed > 0 ? revision : nil, rows: trimmed, operations: looked)
    }

    private mutating func shorten(_ rule: Retention.Rule, at now: StoreMoment) -> Int {
        let times = rows.prefix(Trimming.entries).map { entry in
            let place = place(ofOperation: entry.row.sort)
            let sent =
                place < operations.count && operations[place].revision == entry.row.sort ? operations[place] : nil
            return now.instant(of: entry.row.time, drift: sent?.operation.drift ?? 0)
        }
        let excess = rule.excess(count: rows.count, times: times, at: now.instant)
        guard excess > 0 else { return 0 }
        let sorts = rows.prefix(excess).map(\.row.sort)
        revision += 1
        start = sorts[excess - 1] + 1
        rows.removeFirst(excess)
        for sort in sorts where sort <= floor { forget(operation: sort) }
        return excess
    }

    private mutating func forget(_ retention: Retention, at now: StoreMoment) -> Int {
        let old = operations[place(ofOperation: floor + 1)...].prefix(Trimming.entries)
            .prefix { done in
                let operation = done.operation
                return now.instant(of: operation.time, drift: operation.drift) < now.instant - retention.resumeTime
            }
        guard let last = old.last else { return 0 }
        floor = last.revision
        for old in old where !isKept(old) { forget(operation: old.revision) }
        // Forget the sends of these messages too. A send stays as long as its message.
        for (_, sort) in tombstones.filter({ $0.key <= floor }).values { forget(operation: sort) }
        tombstones = tombstones.filter { $0.key > floor }
        return old.count
    }

    /// Returns whether the operation is in the audit log, or is the send of an existing message.
    private func isKept(_ operation: CommittedOperation) -> Bool {
        let place = place(of: operation.revision)
        if place < rows.count, rows[place].row.sort == operation.revision { return true }
        let entry = audit.place { $0.revision >= operation.revision }
        return entry < audit.count && audit[entry].revision == operation.revision
    }

    private mutating func forget(operation revision: Revision) {
        let place = place(ofOperation: revision)
        guard place < operations.count, operations[place].revision == revision else { return }
        commands[operations.remove(at: place).operation.command] = nil
    }
}

extension Array {
    /// Returns the first index whose element fulfils `belongs`. All such elements must stand after the others.
    fileprivate func place(where belongs: (Element) -> Bool) -> Int {
        var places = indices
        while !places.isEmpty {
            let middle = places.lowerBound + places.count / 2
            places = belongs(self[middle]) ? places.lowerBound..<middle : middle + 1..<places.upperBound
        }
        return places.lowerBound
    }
}
