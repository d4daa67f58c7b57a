package import ChatRoom
package import ChatWire
import Locking
package import RoomStore
import StoreEngine

/// A store in memory, for tests and for trying things out.
///
/// It loses everything when the process ends, so each one has an epoch of its own.
///
/// - Complexity: a read costs O(tail + operations since the revision asked for), a page O(log rows + limit).
package final class InMemoryStore: RoomStore {
    package let epoch: Epoch
    private let limits: WireLimits
    /// The revision up to which each room was delivered; `nil` until deliveries are requested.
    let delivered = Guarded<[RoomName: Revision]?>(nil)
    private let rooms = Guarded<[RoomName: InMemoryRoom]>([:])
    private let people = Guarded<[UserName: StoredProfile]>([:])
    private let kept = Guarded<[UserName: [StoredDraft]]>([:])
    private let items = Guarded<[UserName: [StoredLater]]>([:])
    private let blocked = Guarded<[UserName: [StoredBlock]]>([:])

    /// - Parameter limits: the limits that operations are checked against.
    package init(limits: WireLimits = WireLimits()) {
        guard let epoch = Epoch(UniqueID.random().description) else { preconditionFailure("an id is an epoch") }
        self.epoch = epoch
        self.limits = limits
    }

    package func clock(ofPart part: Int) -> StoreClock? { nil }

    package func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        rooms.withLock { rooms in
            batch.compactMap { entry in
                switch entry {
                case .operation(let entry):
                    return rooms.commit(entry, limits: limits)
                case .mark(let mark):
                    rooms[mark.room]?.mark(mark.user, upTo: mark.revision)
                    return nil
                }
            }
        }
    }

    package func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        let blocks = blocks(of: user)
        return rooms.withLock { rooms in rooms.keys.compactMap { rooms.reading(of: user, in: $0, blocks) } }
            .sorted { $1.room.follows($0.room) }
    }

    package func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        let blocks = blocks(of: user)
        return self.rooms.withLock { all in rooms.compactMap { all.reading(of: user, in: $0, blocks) } }
    }

    package func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] {
        let blocks = blocks(of: user)
        return rooms.withLock { rooms in
            rooms.compactMap { name, room in
                room.place(of: user, in: name, of: name.parent.flatMap { rooms[$0] }, blocks)
            }
        }.sorted { $1.room.follows($0.room) }
    }

    package func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        let blocks = users.map { (user: $0, blocks: self.blocks(of: $0)) }
        let readings = rooms.withLock { rooms in
            blocks.compactMap { user, blocks in rooms.reading(of: user, in: room, blocks).map { (user, $0) } }
        }
        return Dictionary(readings) { first, _ in first }
    }

    package func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading] {
        let readable = rooms.filter { !$0.isThread || find($0.ruling).rules.standing(of: user).mayRead($0.kind) }
        let blocks = blocks(of: user)
        return readable.flatMap { find($0).mentions(of: user, in: $0, before: place, blocks) }.newest(limit)
    }

    package func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile] {
        people.withLock { people in
            Dictionary(users.compactMap { user in people[user].map { (user, $0) } }) { first, _ in first }
        }
    }

    package func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName> {
        people.withLock { people in
            let written = changes.applied(to: people)
            people.merge(written) { _, new in new }
            return Set(written.keys)
        }
    }

    package func drafts(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredDraft]] {
        kept.withLock { kept in kept.filter { users.contains($0.key) } }
    }

    package func write(_ changes: [DraftChange], keeping most: Int) throws(RoomStoreError) {
        kept.withLock { kept in
            for change in changes {
                var drafts = kept[change.user] ?? []
                drafts.removeAll { $0.room == change.room }
                if let content = change.content {
                    drafts.append(StoredDraft(room: change.room, content: content, time: change.time))
                }
                drafts = Array(drafts.sorted { $0.isOlder(than: $1) }.suffix(most))
                kept[change.user] = drafts.isEmpty ? nil : drafts
            }
        }
    }

    package func blocks(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredBlock]] {
        blocked.withLock { blocked in blocked.filter { users.contains($0.key) } }
    }

    private func blocks(of user: UserName) -> Blocks {
        let blocks = blocked.withLock { $0[user] ?? [] }
        let users = Set(blocks.map(\.user))
        return rooms.withLock { rooms in
            Blocks(
                blocks, besides: rooms.filter { !$0.key.isThread && $0.value.isGiven(to: user, by: users) }.map(\.key))
        }
    }

    package func blockers(of user: UserName) throws(RoomStoreError) -> [UserName] {
        blocked.withLock { blocked in blocked.filter { $0.value.contains { $0.user == user } }.keys.sorted() }
    }

    package func write(_ changes: [BlockChange], most: Int) throws(RoomStoreError) -> [Bool] {
        blocked.withLock { blocked in
            let (accepted, changes) = changes.applied(to: blocked, most: most)
            for change in changes {
                blocked[change.user, default: []].removeAll { $0.user == change.block.user }
                if change.isOn { blocked[change.user]?.append(change.block) }
                if blocked[change.user]?.isEmpty == true { blocked[change.user] = nil }
            }
            return accepted
        }
    }

    package func later(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredLater]] {
        items.withLock { items in items.filter { users.contains($0.key) } }
    }

    package func nextLater(limit: Int) throws(RoomStoreError) -> [(user: UserName, item: StoredLater)] {
        let all = items.withLock { items in items.flatMap { user, items in items.map { (user: user, item: $0) } } }
        let sent = all.filter { $0.item.due != nil }
        return Array(sent.sorted { ($0.item.due ?? 0) < ($1.item.due ?? 0) }.prefix(limit))
    }

    package func write(
        _ changes: [LaterChange], most: Int
    ) throws(RoomStoreError) -> [Result<StoredLater, LaterRefusal>] {
        items.withLock { items in
            let (outcomes, people) = changes.applied(to: items, most: most)
            for (user, own) in people { items[user] = own.items.isEmpty ? nil : Array(own.items.values) }
            return outcomes
        }
    }

    package func members(
        of room: RoomName, after user: UserName?, limit: Int
    ) throws(RoomStoreError) -> [RoomMember] {
        room.isThread ? [] : find(room).members(after: user, limit: limit)
    }

    package func members(_ query: MembersQuery, of room: RoomName) throws(RoomStoreError) -> MembersReading {
        room.isThread ? MembersReading(MemberCounts(), [:]) : find(room).members(query)
    }

    package func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope
    ) throws(RoomStoreError) -> RoomReading {
        let (name, room, ruling) = (room, find(room), find(room.ruling))
        let rules = ruling.rules.confined(to: standings)
        return RoomReading(
            revision: room.revision, count: room.rows.count, tail: room.rows.suffix(tail).map(\.row),
            changes: room.changes(since: since, atMost: atMost), rules: name.isThread ? rules.inThreads : rules,
            ruled: ruling.revision, start: room.start)
    }

    package func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing {
        find(room.ruling).rules.standing(of: user)
    }

    package func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        let room = find(room)
        let place = room.place(of: sort)
        return Neighbours(
            revision: room.revision, before: room.rows[..<place].suffix(before).map(\.row),
            after: room.rows[place...].prefix(after).map(\.row))
    }

    package func sort(of anchor: PagePlace.Anchor, in room: RoomName) throws(RoomStoreError) -> UInt64? {
        find(room).sort(of: anchor)
    }

    package func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading {
        find(room).held(query)
    }

    package func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary] {
        let found = rooms.withLock { rooms in
            rooms.filter { $0.value.revision > 0 && (name.map($0.key.follows) ?? true) }
        }
        return found.map { RoomSummary(name: $0.key, revision: $0.value.revision, count: $0.value.rows.count) }
            .sorted { $1.name.follows($0.name) }.prefix(limit).map(\.self)
    }

    package func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        Array(find(room).operations.drop { $0.revision <= since }.prefix(limit))
    }

    package func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        let entries = find(room).audit.prefix { $0.revision < before }
        return AuditPage(entries: entries.suffix(limit), more: entries.count > limit)
    }

    package func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: StoreMoment
    ) throws(RoomStoreError) -> Trimming {
        rooms.withLock { rooms in
            let names = rooms.keys.filter { $0.description > room?.description ?? "" }
                .sorted().prefix(Trimming.rooms)
            var trimming = Trimming(after: room)
            for name in names where !trimming.isEnough && !retention.spared.contains(name) {
                guard let trimmed = rooms[name]?.trim(retention.rule(for: name), retention, at: now) else { continue }
                trimming.add(trimmed, of: name)
            }
            trimming.finish(visited: names.last, of: names.count)
            return trimming
        }
    }

    /// The present revision of each room.
    var revisions: [RoomName: Revision] {
        rooms.withLock { $0.mapValues(\.revision).filter { $0.value > 0 } }
    }

    private func find(_ room: RoomName) -> InMemoryRoom {
        rooms.withLock { $0[room] ?? InMemoryRoom(room) }
    }
}

extension [RoomName: InMemoryRoom] {
    fileprivate mutating func commit(_ entry: RoomOperation, limits: WireLimits) -> CommitOutcome {
        self[entry.room]?.makePlaces(for: entry.operation, limits)
        let (base, row) = (self[entry.room] ?? InMemoryRoom(entry.room))
            .base(of: entry.operation, in: entry.room, among: self) { membership(of: $0, in: entry.room) }
        let outcome = entry.operation.outcome(onto: base, limits: limits)
        self[entry.room, default: InMemoryRoom(entry.room)]
            .apply(outcome, of: entry.operation, about: row)
        return outcome
    }

    /// Counts the user's rooms, or the threads that they follow.
    private func membership(of user: UserName, in room: RoomName) -> Membership {
        (self[room] ?? InMemoryRoom(room)).membership(of: user) {
            reduce(into: RoomCounts.none) { counts, other in
                guard other.key.isThread == room.isThread, let share = other.value.share(of: user) else { return }
                counts += room.isThread ? .own : share
            }
        }
    }

    fileprivate func reading(of user: UserName, in name: RoomName, _ blocks: Blocks) -> MembershipReading? {
        self[name]?.membership(of: user, in: name, of: name.parent.flatMap { self[$0] }, blocks)
    }
}

extension RoomRules {
    fileprivate func confined(to scope: StandingScope) -> RoomRules {
        guard case .upTo(let few, or: let users) = scope, standings.count > few else { return self }
        return RoomRules(configuration, standings: standings.filter { users.contains($0.key) }, of: users)
    }
}
