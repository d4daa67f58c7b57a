import ChatRoom
import ChatWire
import RoomStore

/// A list of what the store keeps of some people, such as their profiles: a new kind is a conforming type, its row and its
/// name. Readers are served alike.
protocol StoredList: PeopleList {
    static var name: ListName { get }

    /// Returns the people who are in a user's list from the beginning.
    static func people(of user: UserName) -> [UserName]

    /// The store's query for what it keeps of some people.
    static func query(_ people: [UserName]) -> InboxQuery

    /// About the bytes of what is stored of one person.
    static func bytes(_ value: Value) -> Int
}

extension ListName {
    /// True for a list whose rows come from tables of people, which ``StoredListsState`` serves.
    var isStored: Bool { [.myPeople, .myDrafts, .myLater, .myBlocked].contains(self) }
}

extension ProfileList: StoredList {
    static var name: ListName { .myPeople }

    static func people(of user: UserName) -> [UserName] { [] }

    static func query(_ people: [UserName]) -> InboxQuery { .profiles(people) }

    static func bytes(_ profile: Profile) -> Int {
        (profile.name?.description.utf8.count ?? 0) + (profile.picture?.description.utf8.count ?? 0)
    }
}

extension DraftList: StoredList {
    static var name: ListName { .myDrafts }

    static func people(of user: UserName) -> [UserName] { [user] }

    static func query(_ people: [UserName]) -> InboxQuery { .drafts(people) }

    static func bytes(_ drafts: [StoredDraft]) -> Int { drafts.reduce(0) { $0 + 512 + 2 * $1.content.size } }
}

extension LaterList: StoredList {
    static var name: ListName { .myLater }

    static func people(of user: UserName) -> [UserName] { [user] }

    static func query(_ people: [UserName]) -> InboxQuery { .later(people) }

    static func bytes(_ items: [StoredLater]) -> Int { items.reduce(0) { $0 + 512 + 2 * $1.light.plan.size } }
}

extension BlockedList: StoredList {
    static var name: ListName { .myBlocked }

    static func people(of user: UserName) -> [UserName] { [user] }

    static func query(_ people: [UserName]) -> InboxQuery { .blocks(people) }

    static func bytes(_ blocks: [StoredBlock]) -> Int { blocks.count * 512 }
}

/// The lists of one kind of one shard's people, and what the store keeps of the people in them: see ``StoredList``.
///
/// Every shard hears of a person of whom something else is stored, and reads it again, with one query at a time. Nothing
/// depends on the order of the news, and with several servers a refresh finds the news that were lost.
struct StoredListsState<Kind: StoredList>: ~Copyable {
    /// One user's list.
    private struct List {
        /// The number of lists that were opened before.
        let number: UInt64
        var published: PublishedList<Kind>
        /// The readers who wait until all of it was read.
        var waiting: [Waiting] = []
        /// The number of the last time that its last reader left; `nil` while it has readers.
        var rest: UInt64?
    }

    private struct Waiting {
        let reader: Reader
        let visit: UInt64
        let ref: UInt64
        let resume: Resume?
    }

    /// A person who is in a list here.
    private struct Requested {
        /// The users whose lists have the person.
        var users: Set<UserName> = []
        var value: Kind.Value?
        /// True once the store was asked.
        var isRead = false
    }

    private let settings: ShardSettings
    private let topics: Topics
    private let space: CacheSpace
    private var lists: [UserName: List] = [:]
    private var opened: UInt64 = 0
    private var requested: [UserName: Requested] = [:]
    private var readers: [Reader: UserName] = [:]
    /// The lists in which something may have changed.
    private var changed: Set<UserName> = []
    /// The people of whom the store is to be read.
    private var stale: Set<UserName> = []
    /// The people of whom the store could not be read, with the parts that did not answer.
    private var missing: [UserName: Int] = [:]
    /// The users whose readers wait for an allowance.
    private var unserved: Set<UserName> = []
    var isServing: Bool { !unserved.isEmpty }
    /// About the bytes of all lists: of a list, of a name in one, and of what is stored.
    var bytes: Int { lists.count * 8_192 + names * 1_024 + valueBytes }
    /// The number of names in all lists.
    private var names = 0
    /// The bytes of what is stored.
    private var valueBytes = 0
    /// True while the store is asked.
    private var isLoading = false
    /// The earliest time of the next question.
    private var soonest = Duration.zero
    private var resting = RestingLists<UserName>()
    /// The time of the next refresh, where other servers share the profiles.
    private var nextRefresh = Duration.zero
    private var refreshTurn = 0
    /// The number of turns until everybody was reviewed once.
    private var turnsLeft = 0
    /// The alarm that was last asked for.
    private var promised: Duration?

    /// The most names of one question.
    private static var most: Int { 1_000 }
    /// The pause after the store did not answer.
    private static var pause: Duration { .seconds(1) }
    private static var refreshTurns: Int { 10 }

    init(_ settings: ShardSettings, topics: Topics, caching space: CacheSpace) {
        self.settings = settings
        self.topics = topics
        self.space = space
    }

    mutating func forgetDeliveries() {
        for user in lists.keys { lists[user]?.published.forgetDeliveries() }
    }

    /// Memory is short: what is kept for people who are away goes.
    mutating func releaseMemory(_ turn: inout ShardTurn) {
        while let user = resting.oldest { close(user, &turn) }
    }

    /// The alarm went off.
    mutating func wake() {
        promised = nil
    }
}

// MARK: - Requests

extension StoredListsState {
    mutating func handle(_ request: StoredListRequest, from reader: Reader, of user: UserName, _ turn: inout ShardTurn)
    {
        switch request {
        case .subscribe(let visit, let ref, let resume):
            leave(reader, of: user, &turn)
            open(user, &turn)
            wake(user)
            lists[user]?.waiting.append(Waiting(reader: reader, visit: visit, ref: ref, resume: resume))
            serve(user, &turn)
        case .unsubscribe:
            leave(reader, of: user, &turn)
        case .request(_, let ref) where turn.conditions.isShort:
            turn.decision.answer(reader, .error(ref: ref, .short))
        case .request(let names, let ref):
            open(user, &turn)
            add(names, to: user)
            serve(user, &turn)
            turn.decision.answer(reader, .ok(ref: ref, nil))
        }
    }

    /// The reader fell off the outgoing log. It holds this revision.
    mutating func fellBehind(_ reader: Reader, of user: UserName, at revision: Revision, _ turn: inout ShardTurn) {
        lists[user]?.published.fellBehind(reader, at: revision, &turn.decision)
    }

    private mutating func add(_ names: [UserName], to user: UserName) {
        guard let (new, fallen) = lists[user]?.published.state.request(names) else { return }
        for name in new {
            if requested[name] == nil { stale.insert(name) }
            requested[name, default: Requested()].users.insert(user)
        }
        for name in fallen { drop(name, of: user) }
        self.names += new.count - fallen.count
        if let rest = lists[user]?.rest { resting.resize(rest, by: new.count - fallen.count) }
        changed.insert(user)
    }

    private mutating func drop(_ name: UserName, of user: UserName) {
        requested[name]?.users.remove(user)
        guard requested[name]?.users.isEmpty == true else { return }
        valueBytes -= requested[name]?.value.map(Kind.bytes) ?? 0
        requested[name] = nil
        missing[name] = nil
        stale.remove(name)
    }

    private mutating func leave(_ reader: Reader, of user: UserName, _ turn: inout ShardTurn) {
        let unserved = lists[user]?.waiting.filter { $0.reader == reader } ?? []
        lists[user]?.waiting.removeAll { $0.reader == reader }
        for one in unserved { turn.decision.answer(reader, .error(ref: one.ref, .left)) }
        if readers.removeValue(forKey: reader) != nil {
            lists[user]?.published.unsubscribe(reader, &turn.decision)
        }
        restUnattended(user, &turn)
    }
}

// MARK: - Lists

extension StoredListsState {
    /// Opens the user's list, unless it is open. Until it has a reader, it rests.
    private mutating func open(_ user: UserName, _ turn: inout ShardTurn) {
        guard lists[user] == nil else { return }
        let list = Kind(epoch: topics.nextEpoch(), tick: settings.members.tick, settings.limits, tagging: \.contentTag)
        lists[user] = List(
            number: opened,
            published: PublishedList(
                list, of: .stored(Kind.name, user), loops: settings.loops, topics: topics, caching: space))
        opened += 1
        add(Kind.people(of: user), to: user)
        restUnattended(user, &turn)
    }

    private mutating func close(_ user: UserName, _ turn: inout ShardTurn) {
        wake(user)
        guard let list = lists.removeValue(forKey: user) else { return }
        list.published.close(&turn.decision)
        changed.remove(user)
        names -= list.published.state.count
        for name in list.published.state.names { drop(name, of: user) }
    }

    /// Keeps a list without readers for a while, so that a cut is resumed by a diff. When there are too many, the oldest
    /// goes.
    private mutating func restUnattended(_ user: UserName, _ turn: inout ShardTurn) {
        guard let list = lists[user], list.rest == nil, list.waiting.isEmpty, !list.published.state.isFollowed else {
            return
        }
        let end = turn.conditions.now + settings.inboxMemory
        lists[user]?.rest = resting.add(user, rows: list.published.state.count, until: end)
        while resting.exceeds(lists: settings.restingRooms, rows: settings.restingInboxRows),
            let oldest = resting.oldest
        {
            close(oldest, &turn)
        }
    }

    private mutating func wake(_ user: UserName) {
        guard let rest = lists[user]?.rest else { return }
        lists[user]?.rest = nil
        resting.remove(rest)
    }

    /// Brings the readers who wait to the list, once all of it was read.
    private mutating func serve(_ user: UserName, _ turn: inout ShardTurn) {
        guard let list = lists[user], !list.waiting.isEmpty,
            list.published.state.names.allSatisfy({ requested[$0]?.isRead == true })
        else { return }
        guard turn.allowance > 0 else {
            unserved.insert(user)
            return
        }
        lists[user]?.waiting = []
        // The first reader gets all changes. A further one gets the state that the others hold.
        if !list.published.state.isFollowed { _ = commit(user, &turn) }
        for one in list.waiting {
            guard turn.allowance > 0 else {
                lists[user]?.waiting.append(one)
                unserved.insert(user)
                continue
            }
            readers[one.reader] = user
            lists[user]?.published.subscribe(one.reader, ref: one.ref, one.resume, &turn.decision)
        }
        // Now that it has a reader, it may change by time.
        changed.insert(user)
    }

    private mutating func commit(_ user: UserName, _ turn: inout ShardTurn) -> ListDiff<Kind.Row>? {
        lists[user]?.published.state.missing = Set(
            missing.filter { requested[$0.key]?.users.contains(user) == true }.map(\.value))
        return lists[user]?.published.state.commit(at: turn.conditions.now, time: turn.conditions.time) { [requested] in
            requested[$0]?.value
        }
    }

    /// In the order in which the lists were opened. It does not depend on a hash table.
    private func inOrder(_ users: some Collection<UserName>) -> [UserName] {
        users.compactMap { user in lists[user].map { (user, $0.number) } }.sorted { $0.1 < $1.1 }.map(\.0)
    }
}

// MARK: - The store

extension StoredListsState {
    /// Marks the data of these people as needing a reload.
    mutating func invalidate(_ names: [UserName]) {
        for name in names where requested[name] != nil { stale.insert(name) }
    }

    /// Marks the data of all people as needing a reload.
    mutating func invalidateAll() {
        stale.formUnion(requested.keys)
    }

    mutating func handle(
        _ answer: Result<PartialReading<[UserName: Kind.Value]>, WireError>, of names: [UserName],
        _ turn: inout ShardTurn
    ) {
        isLoading = false
        switch answer {
        case .success(let reading):
            for name in names {
                let part = settings.partition.part(of: name)
                if reading.missing.contains(part) { miss(name, part) } else { apply(reading.rows[name], of: name) }
            }
            let concerned = names.reduce(into: Set()) { $0.formUnion(requested[$1]?.users ?? []) }
            for user in inOrder(concerned) { serve(user, &turn) }
        case .failure(let error):
            soonest = turn.conditions.now + Self.pause
            invalidate(names)
            for user in inOrder(lists.keys) { refuse(user, error, &turn) }
        }
    }

    /// The store cannot be read now. The known data stays, and a refresh reads it again.
    private mutating func miss(_ name: UserName, _ part: Int) {
        guard requested[name] != nil else { return }
        requested[name]?.isRead = true
        missing[name] = part
        changed.formUnion(requested[name]?.users ?? [])
    }

    private mutating func apply(_ value: Kind.Value?, of name: UserName) {
        let wasMissing = missing.removeValue(forKey: name) != nil
        guard let known = requested[name], !known.isRead || wasMissing || known.value != value else { return }
        requested[name]?.isRead = true
        valueBytes += (value.map(Kind.bytes) ?? 0) - (known.value.map(Kind.bytes) ?? 0)
        requested[name]?.value = value
        for user in known.users {
            lists[user]?.published.state.touch(name)
            changed.insert(user)
        }
    }

    /// Refuses those who wait for a list.
    private mutating func refuse(_ user: UserName, _ error: WireError, _ turn: inout ShardTurn) {
        let waiting = lists[user]?.waiting ?? []
        lists[user]?.waiting = []
        for one in waiting {
            turn.decision.end(one.reader, Kind.name, visit: one.visit)
            turn.decision.answer(one.reader, .error(ref: one.ref, error))
        }
        if !waiting.isEmpty { restUnattended(user, &turn) }
    }
}

// MARK: - The tick

extension StoredListsState {
    /// Makes the queries and diffs that are due. To be called at the end of each turn.
    mutating func flush(_ turn: inout ShardTurn) {
        let now = turn.conditions.now
        while let user = resting.oldest, resting.end ?? .zero <= now { close(user, &turn) }
        if isRefreshing, nextRefresh <= now { refresh(now) }
        let waiting = inOrder(unserved)
        unserved = []
        for user in waiting { serve(user, &turn) }
        if !isLoading, !stale.isEmpty, soonest <= now {
            let names = Array(stale.sorted().prefix(Self.most))
            stale.subtract(names)
            isLoading = true
            turn.decision.inboxQueries.append(Kind.query(names))
        }
        let due = changed.filter { lists[$0]?.published.state.due.map { $0 <= now } ?? true }
        for user in inOrder(due) { publish(user, &turn) }
        changed.subtract(due.filter { lists[$0]?.published.state.due == nil })
        expect(&turn)
    }

    private mutating func publish(_ user: UserName, _ turn: inout ShardTurn) {
        guard lists[user]?.published.state.isFollowed == true, let diff = commit(user, &turn) else { return }
        turn.decision.events.append(.publishedInbox)
        lists[user]?.published.publish(diff, &turn.decision)
    }

    private var isRefreshing: Bool {
        guard settings.isShared, !requested.isEmpty else { return false }
        switch settings.refreshes {
        case .always: return true
        case .afterLosses: return turnsLeft > 0 || !missing.isEmpty
        }
    }

    /// Refreshes everything once, because news may be lost.
    mutating func refreshAll() {
        turnsLeft = Self.refreshTurns
    }

    /// Reads the store again, because news of other servers may be lost. Everybody has a turn.
    private mutating func refresh(_ now: Duration) {
        turnsLeft -= turnsLeft > 0 ? 1 : 0
        nextRefresh = now + settings.refreshInterval / Self.refreshTurns
        refreshTurn = (refreshTurn + 1) % Self.refreshTurns
        for name in requested.keys
        where name.description.utf8.reduce(0, { $0 + Int($1) }) % Self.refreshTurns == refreshTurn {
            stale.insert(name)
        }
    }

    private mutating func expect(_ turn: inout ShardTurn) {
        let question = isLoading || stale.isEmpty ? nil : soonest
        let refresh = isRefreshing ? nextRefresh : nil
        let times = changed.compactMap { lists[$0]?.published.state.due }
        let next = [times.min(), resting.end, question, refresh].compactMap(\.self).min()
        guard next != promised else { return }
        promised = next
        turn.decision.alarms.append((.stored(Kind.name), next))
    }
}

extension WireError {
    fileprivate static let short = WireError(
        .overloaded, "the server is short of memory: send it again", retryAfter: 1_000)
}
