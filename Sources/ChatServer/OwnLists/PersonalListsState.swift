import ChatRoom
import ChatWire

/// The personal lists of one shard's people: of rooms, of threads and of mentions.
///
/// A list is computed from what is shared: each room's ``RoomFeed``, once for all people, and their read marks. The rooms'
/// shards send their changes; the store supplies what they do not contain. The places of a person's rooms are read after the
/// shards of those rooms have said that they send each change, so nothing is missed in between.
struct PersonalListsState: ~Copyable {
    typealias Waiting = PersonState.Waiting
    typealias Seat = PersonState.Seat

    let settings: ShardSettings
    let topics: Topics
    let space: CacheSpace
    /// The store's epoch, of which everything here is.
    private(set) var epoch: Epoch
    /// Grows with each input.
    private(set) var clock: UInt64 = 0
    var people: [UserName: PersonState] = [:]
    var watch = RoomWatch()
    /// The number of lists that were ever opened.
    var opened: UInt64 = 0
    /// The lists in which something may have changed, by their numbers.
    var changedLists: [UInt64: PersonalList] = [:]
    /// People some of whose rooms were read while they wait, or whose readers wait for an allowance.
    var unserved: Set<UserName> = []
    /// True when readers may be waiting for an allowance.
    var isServing: Bool { !unserved.isEmpty }
    var readers: [Seat: PersonalList] = [:]
    var resting = RestingLists<PersonalList>()
    /// About the bytes of all lists.
    var bytes = 0
    var refreshes = RefreshSchedule()
    /// The alarm that was last asked for.
    private var promised: Duration?

    init(_ settings: ShardSettings, of epoch: Epoch, topics: Topics, caching space: CacheSpace) {
        self.settings = settings
        self.epoch = epoch
        self.topics = topics
        self.space = space
    }

    mutating func tickClock() { clock += 1 }

    mutating func forgetDeliveries() {
        for list in people.values.lazy.flatMap(\.lists) { list.forgetDeliveries() }
    }

    /// Memory is short: what is kept for people who are away goes.
    mutating func releaseMemory(_ turn: inout ShardTurn) {
        while let list = resting.oldest { close(list, &turn) }
    }
}

// MARK: - Requests

extension PersonalListsState {
    mutating func handle(_ request: InboxRequest, from reader: Reader, of user: UserName, _ turn: inout ShardTurn) {
        switch request {
        case .subscribe(let list, let grants, let visit, let ref, let limit, let resume):
            leave(Seat(reader: reader, list: list), of: user, &turn)
            wait(
                Waiting(
                    reader: reader, list: list, grants: grants, request: (visit, ref), limit: limit, resume: resume),
                as: user, &turn)
        case .mentionsPage(let before, let ref, let limit):
            loadPage(of: Seat(reader: reader, list: .mentions), user, before: before, ref: ref, limit: limit, &turn)
        case .unsubscribe(let list):
            leave(Seat(reader: reader, list: list), of: user, &turn)
            forgetIfUnneeded(user, &turn)
        case .regrant(let list, let grants, let ref):
            updateGrants(Seat(reader: reader, list: list), of: user, grants, &turn)
            turn.decision.regranted.append((reader, ref))
        }
    }

    /// The reader fell off the outgoing log. It holds this revision.
    mutating func fellBehind(
        _ reader: Reader, of key: PersonalList.Key, _ kind: OwnList, at revision: Revision, _ turn: inout ShardTurn
    ) {
        list(key)?.fellBehind(reader, of: kind, at: revision, &turn.decision)
    }

    private mutating func wait(_ waiting: Waiting, as user: UserName, _ turn: inout ShardTurn) {
        if people[user] == nil {
            people[user] = PersonState(phase: .loading(since: clock))
            loadPlaces(about: user, &turn)
        }
        people[user]?.waiting.append(waiting)
        if case .live = people[user]?.phase { serve(user, &turn) }
    }

    private mutating func leave(_ seat: Seat, of user: UserName, _ turn: inout ShardTurn) {
        let unserved = people[user]?.waiting.filter { $0.seat == seat }.compactMap(\.request?.ref) ?? []
        people[user]?.waiting.removeAll { $0.seat == seat }
        for ref in unserved { turn.decision.answer(seat.reader, .error(ref: ref, .left)) }
        detach(seat, &turn)
        restUnawaited(of: user, &turn)
    }

    private mutating func detach(_ seat: Seat, _ turn: inout ShardTurn) {
        guard let list = readers.removeValue(forKey: seat) else { return }
        list.unsubscribe(seat.reader, from: seat.list, &turn.decision)
        restUnawaited(of: list.user, &turn)
    }

    /// Moves a reader to the list that its fresh token grants.
    private mutating func updateGrants(_ seat: Seat, of user: UserName, _ grants: Grants, _ turn: inout ShardTurn) {
        for index in people[user]?.waiting.indices ?? 0..<0 where people[user]?.waiting[index].seat == seat {
            people[user]?.waiting[index].grants = grants
        }
        restUnawaited(of: user, &turn)
        if case .live = people[user]?.phase { serve(user, &turn) }
        guard let list = readers[seat], list.key.grants != grants, let held = list.epoch(of: seat.list) else { return }
        let limit = list.limit(of: seat.list)
        detach(seat, &turn)
        wait(Waiting(seat, grants, limit: limit, holding: held), as: user, &turn)
    }

    /// The store has another epoch: every reader gets a snapshot of another list.
    mutating func renew(_ turn: inout ShardTurn) {
        guard epoch != turn.conditions.epoch else { return }
        epoch = turn.conditions.epoch
        let lists = lists
        for list in lists {
            for seat in list.seats {
                guard let held = list.epoch(of: seat.list) else { continue }
                readers[seat] = nil
                people[list.user]?.waiting.append(
                    Waiting(seat, list.key.grants, limit: list.limit(of: seat.list), holding: held))
            }
        }
        for user in people.keys.sorted() { begin(user, &turn) }
        for list in lists { close(list, &turn) }
        watch.feeds = [:]  // what was read was of the history before
    }
}

// MARK: - The tick

extension PersonalListsState {
    /// Emits the diffs that are due. To be called at the end of each turn.
    mutating func flush(_ turn: inout ShardTurn) {
        let now = turn.conditions.now
        while let list = resting.oldest, resting.end ?? .zero <= now { close(list, &turn) }
        refresh(&turn)
        updateChangedRooms(&turn)
        let waiting = unserved.sorted()
        unserved = []
        for user in waiting { if case .live = people[user]?.phase { serve(user, &turn) } }
        let due = changedLists.values.filter { $0.due.map { $0 <= now } ?? true }.sorted { $0.number < $1.number }
        for list in due {
            for kind in InboxKind.allCases where list.isFollowed {
                if let due = list[kind].state.due, due <= now { publish(list, kind, &turn) }
            }
            publishMentions(list, &turn)
        }
        for list in due where list.due == nil { changedLists[list.number] = nil }
        updateChangedRooms(&turn)  // at the rooms that have rows now
        expect(&turn)
    }

    private mutating func updateChangedRooms(_ turn: inout ShardTurn) {
        for room in watch.drainDue(turn.conditions.now) { updateLists(at: room, &turn) }
    }

    /// Publishes a list's changes to its readers.
    mutating func publish(
        _ list: PersonalList, _ kind: InboxKind, isAwaited: Bool = false, _ turn: inout ShardTurn
    ) {
        guard let diff = commit(list, kind, isAwaited: isAwaited, &turn), list[kind].state.isFollowed else { return }
        turn.decision.events.append(.publishedInbox)
        list[kind].publish(diff, &turn.decision)
    }

    /// Applies a room's changes to the lists that have it, and requests what is missing from the store.
    private mutating func updateLists(at room: RoomName, _ turn: inout ShardTurn) {
        watch.changed.remove(room)
        watch.typingEnded[room] = nil
        let touched = (watch.feeds[room]?.feed.drainTouched() ?? []) + watch.drainTouched(outside: room)
        for user in touched { touch(room, of: user) }
        for user in (watch.feeds[room]?.feed.drainLost() ?? []).sorted() { lost(room, user, &turn) }
        if watch.feeds[room] != nil { loadReadings(of: room, hasNews: !touched.isEmpty, &turn) }
        if watch.rooms[room]?.names.isEmpty == true { unwatch([room], &turn) }
    }

    /// Requests from the store what a room's feed does not know.
    private mutating func loadReadings(of room: RoomName, hasNews: Bool, _ turn: inout ShardTurn) {
        let question = watch.rooms[room]?.since == nil ? nil : watch.feeds[room]?.feed.question()
        if let question, let number = watch.feeds[room]?.number {
            turn.decision.inboxQueries.append(.room(room, question, number: number, of: epoch))
        }
        // A person's first row of the room does not wait for the tick.
        if hasNews || question?.contains(where: { watch.feeds[room]?.feed.knows($0) == true }) == true {
            watch.feeds[room]?.soonest = turn.conditions.now + settings.members.tick
        }
        if watch.feeds[room]?.feed.isEmpty == true { watch.feeds[room] = nil }
    }

    /// The room may have changed for a person.
    mutating func touch(_ room: RoomName, of user: UserName) {
        guard let person = people[user] else { return }
        if person.isLoading { people[user]?.changed.insert(room) }
        for list in person.lists {
            list[InboxKind(of: room)].state.touch(room)
            changed(list)
        }
        if !person.waiting.isEmpty { unserved.insert(user) }
    }

    private mutating func expect(_ turn: inout ShardTurn) {
        let times = watch.dueTimes + changedLists.values.compactMap(\.due)
        let next = [times.min(), resting.end, nextRefresh].compactMap(\.self).min()
        guard next != promised else { return }
        promised = next
        turn.decision.alarms.append((.inboxes, next))
    }

    /// The alarm went off.
    mutating func wake() {
        promised = nil
    }
}

extension WireError {
    static let left = WireError(.unsubscribed, "unsubscribed before the subscribe was answered")
}
