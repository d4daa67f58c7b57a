import ChatRoom
import ChatWire

/// The lists of rooms of one shard's people, and what the shard knows of those rooms.
///
/// A list is computed from what is shared: each room's ``RoomFeed``, once for all people, and their read marks. The rooms'
/// shards tell their changes; the store supplies what they do not contain. The places of a person's rooms are read after the
/// shards of those rooms have said that they tell each change, so nothing is missed in between. A room that has no row in
/// any list has no feed: it is read when it gets one.
final class Inboxes {
    /// A room in the list of a person here, with or without a row.
    struct Watched {
        /// The number of the message that asked for its changes.
        let number: UInt64
        /// The `clock` at which its shard said that it tells each change; `nil` before that.
        var since: UInt64?
        var names: Set<UserName> = []
        /// The people of ``names`` for whom something has changed, and who are not in the room's feed.
        var touched: Set<UserName> = []
        /// True when something has changed for all who are not in the room's feed.
        var isTouched = false
        var occupancy = Occupancy.empty
    }

    /// A room that has a row in a list.
    final class TrackedRoom {
        var feed: RoomFeed
        /// The `clock` at which the feed began. Answers to earlier queries are none of its readings.
        let number: UInt64
        /// The earliest time at which its people are told again.
        var soonest = Duration.zero
        /// The `clock` at which people came to the feed who are not known yet.
        var entered: [UserName: UInt64] = [:]

        init(_ room: RoomName, number: UInt64, _ occupancy: Occupancy) {
            feed = RoomFeed(of: room.kind, with: occupancy)
            self.number = number
        }
    }

    struct Person {
        var phase: Phase
        var rooms: Set<RoomName> = []
        /// In the order in which they were opened.
        var lists: [PersonalList] = []
        var waiting: [Waiting] = []
        /// True when the places under way may lack a room, or have one too many.
        var isStale = false
        /// The parts of the store that did not answer about the person.
        var missing: Set<Int> = []
        /// The rooms that have changed while the places are read.
        var changed: Set<RoomName> = []
        /// The number of the refresh under way; `nil` if there is none.
        var refresh: UInt64?
        /// The number of the question for the places of another list of a person whose rooms are known; `nil` if there is
        /// none.
        var opening: UInt64?

        /// True while the places are read.
        var isLoading: Bool { phase != .live || opening != nil }
    }

    enum Phase: Equatable {
        /// The store is asked for the places, since a time. → `watching`, `live`
        case loading(since: UInt64)
        /// Some rooms' shards have yet to say that they tell each change. → `asking`
        case watching
        /// The person's rooms are known, and kept up to date.
        case live
    }

    /// A reader who waits for the list.
    struct Waiting {
        let reader: Reader
        let list: OwnList
        var grants: Grants
        /// `nil` for a reader that had the list already, and awaits no answer.
        let request: (visit: UInt64, ref: UInt64)?
        let limit: Int
        let resume: Resume?
        /// True when the rooms were read for this reader, or are being read.
        var isAwaited = false
    }

    /// A reader of one of their lists.
    struct Seat: Hashable {
        let reader: Reader
        let list: OwnList
    }

    let settings: ShardSettings
    let topics: Topics
    let space: CacheSpace
    /// The store's epoch, of which everything here is.
    private(set) var epoch: Epoch
    /// Grows with each input.
    private(set) var clock: UInt64 = 0
    var people: [UserName: Person] = [:]
    var watched: [RoomName: Watched] = [:]
    var feeds: [RoomName: TrackedRoom] = [:]
    var changedRooms: Set<RoomName> = []
    /// The rooms in which typing has ended, and the time at which readers are notified, unless they have other news before.
    var typingEnded: [RoomName: Duration] = [:]
    /// The number of lists that were ever opened.
    var opened: UInt64 = 0
    /// The lists in which something may have changed, by their numbers.
    var changedLists: [UInt64: PersonalList] = [:]
    /// People some of whose rooms were read while they wait, or whose readers wait for an allowance.
    var unserved: Set<UserName> = []
    /// True when readers may be waiting for an allowance.
    var isServing: Bool { !unserved.isEmpty }
    var readers: [Seat: PersonalList] = [:]
    /// The lists without readers, in the order in which the last one left.
    var resting: ArraySlice<(list: PersonalList, number: UInt64, rows: Int, end: Duration)> = []
    var lastRest: UInt64 = 0
    /// The number of their rows.
    var restingRows = 0
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

    func tickClock() { clock += 1 }

    func forgetDeliveries() {
        for list in people.values.lazy.flatMap(\.lists) {
            list.rooms.forgetDeliveries()
            list.mentions?.forgetDeliveries()
        }
    }

    /// Memory is short: what is kept for people who are away goes.
    func releaseMemory(_ turn: inout ShardTurn) {
        while let rest = resting.first { close(rest.list, &turn) }
    }
}

// MARK: - Requests

extension Inboxes {
    func handle(_ request: InboxRequest, from reader: Reader, of user: UserName, _ turn: inout ShardTurn) {
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
    func fellBehind(
        _ reader: Reader, of key: PersonalList.Key, _ kind: OwnList, at revision: Revision, _ turn: inout ShardTurn
    ) {
        guard let list = list(key) else { return }
        switch kind {
        case .rooms: list.rooms.fellBehind(reader, at: revision, &turn.decision)
        case .mentions: list.mentions?.fellBehind(reader, at: revision, &turn.decision)
        }
    }

    private func wait(_ waiting: Waiting, as user: UserName, _ turn: inout ShardTurn) {
        if people[user] == nil {
            people[user] = Person(phase: .loading(since: clock))
            loadPlaces(about: user, &turn)
        }
        people[user]?.waiting.append(waiting)
        if case .live = people[user]?.phase { serve(user, &turn) }
    }

    private func leave(_ seat: Seat, of user: UserName, _ turn: inout ShardTurn) {
        let unserved = people[user]?.waiting.filter { $0.seat == seat }.compactMap(\.request?.ref) ?? []
        people[user]?.waiting.removeAll { $0.seat == seat }
        for ref in unserved { turn.decision.answer(seat.reader, .error(ref: ref, .left)) }
        detach(seat, &turn)
        restUnawaited(of: user, &turn)
    }

    private func detach(_ seat: Seat, _ turn: inout ShardTurn) {
        guard let list = readers.removeValue(forKey: seat) else { return }
        switch seat.list {
        case .rooms: list.rooms.unsubscribe(seat.reader, &turn.decision)
        case .mentions: list.mentions?.unsubscribe(seat.reader, &turn.decision)
        }
        restUnawaited(of: list.user, &turn)
    }

    /// Moves a reader to the list that its fresh token grants.
    private func updateGrants(_ seat: Seat, of user: UserName, _ grants: Grants, _ turn: inout ShardTurn) {
        for index in people[user]?.waiting.indices ?? 0..<0 where people[user]?.waiting[index].seat == seat {
            people[user]?.waiting[index].grants = grants
        }
        restUnawaited(of: user, &turn)
        if case .live = people[user]?.phase { serve(user, &turn) }
        guard let list = readers[seat], list.key.grants != grants, let held = list.epoch(of: seat.list) else { return }
        let limit = list.rooms.state.limit
        detach(seat, &turn)
        wait(Waiting(seat, grants, limit: limit, holding: held), as: user, &turn)
    }

    /// The store has another epoch: every reader gets a snapshot of another list.
    func renew(_ turn: inout ShardTurn) {
        guard epoch != turn.conditions.epoch else { return }
        epoch = turn.conditions.epoch
        let lists = lists
        for list in lists {
            for seat in list.seats {
                guard let held = list.epoch(of: seat.list) else { continue }
                readers[seat] = nil
                people[list.user]?.waiting.append(
                    Waiting(seat, list.key.grants, limit: list.rooms.state.limit, holding: held))
            }
        }
        for user in people.keys.sorted() { begin(user, &turn) }
        for list in lists { close(list, &turn) }
        feeds = [:]  // what was read was of the history before
    }
}

// MARK: - The tick

extension Inboxes {
    /// Emits the diffs that are due. To be called at the end of each turn.
    func flush(_ turn: inout ShardTurn) {
        let now = turn.conditions.now
        while let rest = resting.first, rest.end <= now { close(rest.list, &turn) }
        if settings.isShared { refresh(&turn) }
        updateChangedRooms(&turn)
        let waiting = unserved.sorted()
        unserved = []
        for user in waiting { if case .live = people[user]?.phase { serve(user, &turn) } }
        let due = changedLists.values.filter { $0.due.map { $0 <= now } ?? true }.sorted { $0.number < $1.number }
        for list in due {
            if list.isFollowed, let due = list.rooms.state.due, due <= now { publish(list, &turn) }
            publishMentions(list, &turn)
        }
        for list in due where list.due == nil { changedLists[list.number] = nil }
        updateChangedRooms(&turn)  // at the rooms that have rows now
        expect(&turn)
    }

    private func updateChangedRooms(_ turn: inout ShardTurn) {
        let now = turn.conditions.now
        for room in typingEnded.filter({ $0.value <= now }).keys {
            typingEnded[room] = nil
            changedRooms.insert(room)
        }
        for room in changedRooms.filter({ feeds[$0].map { $0.soonest <= now } ?? true }).sorted() {
            updateLists(at: room, &turn)
        }
    }

    /// Publishes a list's changes to its readers.
    func publish(_ list: PersonalList, isAwaited: Bool = false, _ turn: inout ShardTurn) {
        guard let diff = commit(list, isAwaited: isAwaited, &turn), list.rooms.state.isFollowed else { return }
        turn.decision.events.append(.publishedInbox)
        list.rooms.publish(diff, &turn.decision)
    }

    /// Applies a room's changes to the lists that have it, and requests what is missing from the store.
    private func updateLists(at room: RoomName, _ turn: inout ShardTurn) {
        changedRooms.remove(room)
        typingEnded[room] = nil
        let touched = (feeds[room]?.feed.drainTouched() ?? []) + drainTouched(outside: room)
        for user in touched { touch(room, of: user) }
        for user in (feeds[room]?.feed.drainLost() ?? []).sorted() { lost(room, user, &turn) }
        if let followed = feeds[room] {
            let question = watched[room]?.since == nil ? nil : followed.feed.question()
            if let question {
                turn.decision.inboxQueries.append(.room(room, question, number: followed.number, of: epoch))
            }
            // A person's first row of the room does not wait for the tick.
            if !touched.isEmpty || question?.contains(where: followed.feed.knows) == true {
                followed.soonest = turn.conditions.now + settings.members.tick
            }
            if followed.feed.isEmpty { feeds[room] = nil }
        }
        if watched[room]?.names.isEmpty == true { unwatch([room], &turn) }
    }

    /// The people for whom something has changed, and who are not in the room's feed.
    private func drainTouched(outside room: RoomName) -> [UserName] {
        guard let seen = watched[room], seen.isTouched || !seen.touched.isEmpty else { return [] }
        watched[room]?.touched = []
        watched[room]?.isTouched = false
        let feed = feeds[room]?.feed
        return seen.touched + (seen.isTouched ? seen.names.filter { feed?.has($0) != true } : [])
    }

    /// The room may have changed for a person.
    func touch(_ room: RoomName, of user: UserName) {
        guard let person = people[user] else { return }
        if person.isLoading { people[user]?.changed.insert(room) }
        for list in person.lists {
            list.rooms.state.touch(room)
            changed(list)
        }
        if !person.waiting.isEmpty { unserved.insert(user) }
    }

    private func expect(_ turn: inout ShardTurn) {
        let times =
            changedRooms.map { feeds[$0]?.soonest ?? .zero } + changedLists.values.compactMap(\.due)
        let next = [times.min(), typingEnded.values.min(), resting.first?.end, nextRefresh].compactMap(\.self).min()
        guard next != promised else { return }
        promised = next
        turn.decision.alarms.append((.inboxes, next))
    }

    /// The alarm went off.
    func wake() {
        promised = nil
    }
}

extension Inboxes.Waiting {
    /// A reader that had the list of an epoch, at a revision that the shard does not know. It gets a snapshot, also of the
    /// same list: its grants may have changed and changed back meanwhile. As one that is ahead it is never sent a diff.
    init(_ seat: Inboxes.Seat, _ grants: Grants, limit: Int, holding epoch: Epoch) {
        self.init(
            reader: seat.reader, list: seat.list, grants: grants, request: nil, limit: limit,
            resume: Resume(epoch: epoch, revision: .max, joined: 0))
    }

    var seat: Inboxes.Seat { Inboxes.Seat(reader: reader, list: list) }
}

extension WireError {
    static let left = WireError(.unsubscribed, "unsubscribed before the subscribe was answered")
}
