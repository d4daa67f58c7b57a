import ChatRoom
import ChatWire

/// The lists of rooms of one shard's people, and what the shard knows of those rooms.
///
/// A list is computed from what is shared: each room's ``RoomFeed``, once for all people, and their read marks. The rooms'
/// shards tell their changes; the store is asked for what nobody can tell. A person's memberships are read after the
/// shards of those rooms have said that they tell each change, so nothing is missed in between.
final class Inboxes {
    /// A room that somebody here has in their list.
    final class Watched {
        var feed: RoomFeed
        /// The number of the letter that asked for its changes.
        let number: UInt64
        /// The `clock` at which its shard said that it tells each change; `nil` before that.
        var since: UInt64?
        /// The earliest time at which its people are told again.
        var soonest = Duration.zero

        init(_ room: RoomName, number: UInt64) {
            feed = RoomFeed(of: room.kind)
            self.number = number
        }
    }

    struct Person {
        var phase: Phase
        var rooms: Set<RoomName> = []
        /// The grants of the person's lists.
        var grants: Set<Grants> = []
        var waiting: [Waiting] = []
        /// True when the memberships under way may lack a later change.
        var isDoubted = false
        /// The number of the review under way; `nil` if there is none.
        var review: UInt64?
    }

    enum Phase {
        /// The store is asked for the memberships, since a time. → `watching`, `live`
        case asking(since: UInt64)
        /// Some rooms' shards have yet to say that they tell each change. → `asking`
        case watching
        /// The memberships are known, and kept up to date.
        case live
    }

    /// A reader who waits for the list.
    struct Waiting {
        let reader: Reader
        let list: OwnList
        var grants: Grants
        /// `nil` for a reader that had the list already, and awaits no answer.
        let request: (visit: UInt64, ref: UInt64)?
        let resume: Resume?
    }

    /// A reader of one of their lists.
    struct Seat: Hashable {
        let reader: Reader
        let list: OwnList
    }

    let settings: ShardSettings
    let topics: Topics
    let space: CacheSpace
    var epochs: MemberEpochs
    /// The store's epoch, of which everything here is.
    private(set) var epoch: Epoch
    /// Grows with each input.
    private(set) var clock: UInt64 = 0
    var people: [UserName: Person] = [:]
    var watched: [RoomName: Watched] = [:]
    var changedRooms: Set<RoomName> = []
    var lists: [PersonalList.Key: PersonalList] = [:]
    /// The number of lists that were ever opened.
    private var opened: UInt64 = 0
    var changedLists: Set<PersonalList.Key> = []
    var readers: [Seat: PersonalList.Key] = [:]
    /// The lists without readers, in the order in which the last one left.
    private var resting: ArraySlice<(key: PersonalList.Key, number: UInt64, end: Duration)> = []
    private var lastRest: UInt64 = 0
    /// The number of their rows.
    private var restingRows = 0
    var reviews = Reviews()
    /// The alarm that was last asked for.
    private var promised: Duration?

    init(_ settings: ShardSettings, of epoch: Epoch, topics: Topics, caching space: CacheSpace) {
        self.settings = settings
        self.epoch = epoch
        self.topics = topics
        self.space = space
        epochs = MemberEpochs(run: settings.run + "-me", shard: settings.index)
    }

    func tickClock() { clock += 1 }

    func forgetDeliveries() {
        for list in lists.values {
            list.readers.forgetDeliveries()
            list.mentions?.readers.forgetDeliveries()
        }
    }

    /// Memory is short: what is kept for people who are away goes.
    func shed(_ turn: inout ShardTurn) {
        while let rest = resting.first { close(rest.key, &turn) }
    }
}

// MARK: - Requests

extension Inboxes {
    func receive(_ request: InboxRequest, from reader: Reader, of user: UserName, _ turn: inout ShardTurn) {
        switch request {
        case .subscribe(let list, let grants, let visit, let ref, let resume):
            leave(Seat(reader: reader, list: list), of: user, &turn)
            wait(
                Waiting(reader: reader, list: list, grants: grants, request: (visit, ref), resume: resume), as: user,
                &turn)
        case .unsubscribe(let list):
            leave(Seat(reader: reader, list: list), of: user, &turn)
            if people[user].map({ $0.grants.isEmpty && $0.waiting.isEmpty }) == true { forget(user, &turn) }
        case .regrant(let list, let grants, let ref):
            regrant(Seat(reader: reader, list: list), of: user, grants, &turn)
            turn.decision.regranted.append((reader, ref))
        }
    }

    /// The reader fell off the outgoing log. It holds this revision.
    func fellBehind(
        _ reader: Reader, of key: PersonalList.Key, _ list: OwnList, at revision: Revision, _ turn: inout ShardTurn
    ) {
        switch list {
        case .rooms:
            guard let delivery = lists[key]?.inbox.fellBehind(reader, at: revision) else { return }
            lists[key]?.readers.deliver(delivery, to: reader, ref: nil, &turn.decision)
        case .mentions:
            guard let delivery = lists[key]?.mentions?.list.fellBehind(reader, at: revision) else { return }
            lists[key]?.mentions?.readers.deliver(delivery, to: reader, ref: nil, &turn.decision)
        }
    }

    private func wait(_ waiting: Waiting, as user: UserName, _ turn: inout ShardTurn) {
        if people[user] == nil {
            people[user] = Person(phase: .asking(since: clock))
            ask(about: user, &turn)
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
        guard let key = readers.removeValue(forKey: seat) else { return }
        switch seat.list {
        case .rooms:
            lists[key]?.inbox.unsubscribe(seat.reader)
            lists[key]?.readers.detach(seat.reader, &turn.decision)
        case .mentions:
            lists[key]?.mentions?.list.unsubscribe(seat.reader)
            lists[key]?.mentions?.readers.detach(seat.reader, &turn.decision)
        }
        restUnawaited(of: key.user, &turn)
    }

    /// Moves a reader to the list that its fresh token grants.
    private func regrant(_ seat: Seat, of user: UserName, _ grants: Grants, _ turn: inout ShardTurn) {
        for index in people[user]?.waiting.indices ?? 0..<0 where people[user]?.waiting[index].seat == seat {
            people[user]?.waiting[index].grants = grants
        }
        restUnawaited(of: user, &turn)
        if case .live = people[user]?.phase { serve(user, &turn) }
        guard let key = readers[seat], key.grants != grants, let held = lists[key]?.epoch(of: seat.list) else { return }
        detach(seat, &turn)
        wait(Waiting(seat, grants, holding: held), as: user, &turn)
    }
}

// MARK: - Lists

extension Inboxes {
    /// Brings the readers who wait to the list.
    func serve(_ user: UserName, _ turn: inout ShardTurn) {
        let waiting = people[user]?.waiting ?? []
        people[user]?.waiting = []
        for one in waiting {
            let key = PersonalList.Key(user: user, grants: one.grants)
            if lists[key] == nil { open(key, &turn) }
            wake(key)
            if one.list == .mentions {
                serveMentions(one, key, &turn)
                continue
            }
            // Whoever comes back gets all that has changed; whoever comes beside others, what they hold.
            if lists[key]?.inbox.isFollowed == false { _ = commit(key, &turn) }
            guard let delivery = lists[key]?.inbox.subscribe(one.reader, one.resume) else { continue }
            readers[one.seat] = key
            lists[key]?.readers.deliver(delivery, to: one.reader, ref: one.request?.ref, &turn.decision)
        }
    }

    private func open(_ key: PersonalList.Key, _ turn: inout ShardTurn) {
        let inbox = Inbox(epoch: epochs.next(), tick: settings.members.tick, tagging: \.contentTag)
        lists[key] = PersonalList(
            number: opened, inbox: inbox,
            readers: ListBroadcaster(
                of: .person(key, .rooms), inbox.epoch, loops: settings.loops, topics: topics, caching: space))
        opened += 1
        turn.decision.growth.inboxes += 1
        people[key.user]?.grants.insert(key.grants)
        for room in people[key.user]?.rooms ?? [] { lists[key]?.inbox.touch(room) }
    }

    private func close(_ key: PersonalList.Key, _ turn: inout ShardTurn) {
        wake(key)
        guard let list = lists.removeValue(forKey: key) else { return }
        list.readers.close(&turn.decision)
        list.mentions?.readers.close(&turn.decision)
        turn.decision.growth.inboxes -= 1
        changedLists.remove(key)
        people[key.user]?.grants.remove(key.grants)
        if people[key.user].map({ $0.grants.isEmpty && $0.waiting.isEmpty }) == true { forget(key.user, &turn) }
    }

    /// Keeps a list without readers for a while, so that a cut is resumed by a diff. When there are too many, the oldest
    /// goes.
    func rest(_ key: PersonalList.Key, _ turn: inout ShardTurn) {
        lastRest += 1
        lists[key]?.rest = lastRest
        resting.append((key, lastRest, turn.conditions.now + settings.inboxMemory))
        restingRows += lists[key]?.count ?? 0
        while resting.count > settings.restingRooms || restingRows > settings.restingInboxRows,
            let oldest = resting.first
        {
            close(oldest.key, &turn)
        }
    }

    func wake(_ key: PersonalList.Key) {
        guard let list = lists[key], let rest = list.rest else { return }
        lists[key]?.rest = nil
        restingRows -= list.count
        resting.remove(at: resting.partitioningIndex { $0.number >= rest })
    }

    /// The order in which the lists were opened. It does not depend on a hash table.
    func inOrder(_ keys: some Collection<PersonalList.Key>) -> [PersonalList.Key] {
        keys.compactMap { key in lists[key].map { (key, $0.number) } }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// Takes what has changed into a list.
    private func commit(_ key: PersonalList.Key, _ turn: inout ShardTurn) -> ListDiff<MyRoom>? {
        return lists[key]?.inbox.commit(at: turn.conditions.now) { [watched] room in
            watched[room]?.feed.entry(of: key.user, granted: key.grants.role(in: room))
        }
    }

    /// The store has another epoch: every reader gets a snapshot of another list.
    func renew(_ turn: inout ShardTurn) {
        guard epoch != turn.conditions.epoch else { return }
        epoch = turn.conditions.epoch
        let keys = inOrder(lists.keys)
        for key in keys {
            guard let list = lists[key] else { continue }
            for seat in list.seats {
                guard let held = list.epoch(of: seat.list) else { continue }
                readers[seat] = nil
                people[key.user]?.waiting.append(Waiting(seat, key.grants, holding: held))
            }
        }
        for room in watched.keys { watched[room]?.feed.renew() }
        for user in people.keys.sorted() {
            people[user]?.phase = .asking(since: clock)
            people[user]?.isDoubted = false
            ask(about: user, &turn)
        }
        for key in keys { close(key, &turn) }
    }
}

// MARK: - The tick

extension Inboxes {
    /// Tells what has changed, as far as it is time. To be called at the end of each turn.
    func settle(_ turn: inout ShardTurn) {
        let now = turn.conditions.now
        while let rest = resting.first, rest.end <= now { close(rest.key, &turn) }
        if settings.isShared { review(&turn) }
        let rooms = changedRooms.filter { watched[$0].map { $0.soonest <= now } ?? true }
        for room in rooms.sorted() { look(at: room, &turn) }
        let due = changedLists.filter { lists[$0]?.due.map { $0 <= now } ?? true }
        for key in inOrder(due) {
            publish(key, &turn)
            publishMentions(key, &turn)
        }
        changedLists.subtract(due.filter { lists[$0]?.due == nil })
        expect(&turn)
    }

    private func publish(_ key: PersonalList.Key, _ turn: inout ShardTurn) {
        guard let list = lists[key], let due = list.inbox.due, due <= turn.conditions.now,
            let diff = commit(key, &turn)
        else { return }
        turn.decision.events.append(.publishedInbox)
        list.readers.publish(diff, &turn.decision)
    }

    /// Passes what a room has told on to the lists that have it, and asks the store for what it has not.
    private func look(at room: RoomName, _ turn: inout ShardTurn) {
        changedRooms.remove(room)
        guard let touched = watched[room]?.feed.takeTouched() else { return }
        for user in touched {
            for grants in people[user]?.grants ?? [] {
                let key = PersonalList.Key(user: user, grants: grants)
                lists[key]?.inbox.touch(room)
                look(at: room, key)
                changedLists.insert(key)
            }
        }
        for user in touched.filter({ watched[room]?.feed.has($0) == false }).sorted() { lost(room, user, &turn) }
        let question = watched[room]?.since == nil ? nil : watched[room]?.feed.question()
        if let question { turn.decision.inboxQueries.append(.room(room, question, of: epoch)) }
        if question != nil || !touched.isEmpty {
            watched[room]?.soonest = turn.conditions.now + settings.members.tick
        }
        if watched[room]?.feed.isEmpty == true { unwatch(room, &turn) }
    }

    private func expect(_ turn: inout ShardTurn) {
        let times =
            changedRooms.compactMap { watched[$0]?.soonest } + changedLists.compactMap { lists[$0]?.due }
        let next = [times.min(), resting.first?.end, nextReview].compactMap(\.self).min()
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
    /// A reader that had the list of an epoch, which is another one now.
    init(_ seat: Inboxes.Seat, _ grants: Grants, holding epoch: Epoch) {
        self.init(
            reader: seat.reader, list: seat.list, grants: grants, request: nil,
            resume: Resume(epoch: epoch, revision: 0, joined: 0))
    }

    var seat: Inboxes.Seat { Inboxes.Seat(reader: reader, list: list) }
}

extension WireError {
    static let left = WireError(.conflict, "unsubscribed before the answer to subscribe was there")
}
