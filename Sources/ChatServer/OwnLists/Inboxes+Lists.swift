import ChatRoom
import ChatWire

// Lists: readers are brought to them, they take what has changed, and those without readers rest for a while.

extension Inboxes {
    /// Brings the readers who wait to the list.
    func serve(_ user: UserName, _ turn: inout ShardTurn) {
        let waiting = people[user]?.waiting ?? []
        people[user]?.waiting = []
        for one in waiting {
            let key = PersonalList.Key(user: user, grants: one.grants)
            guard lists[key] != nil else {
                people[user]?.waiting.append(one)
                continue
            }
            wake(key)
            switch one.list {
            case .rooms:
                let limits = waiting.lazy.filter { $0.list == .rooms && $0.grants == one.grants }.map(\.limit)
                serveRooms(one, key, limit: limits.max() ?? one.limit, &turn)
            case .mentions: serveMentions(one, key, &turn)
            }
        }
        guard people[user]?.opening == nil, people[user]?.waiting.contains(where: { !isOpen($0, of: user) }) == true
        else { return }
        people[user]?.opening = clock
        ask(about: user, &turn)
    }

    func isOpen(_ waiting: Waiting, of user: UserName) -> Bool {
        lists[PersonalList.Key(user: user, grants: waiting.grants)] != nil
    }

    /// Brings a reader to the list of rooms, or lets it wait until its rows were read.
    private func serveRooms(_ waiting: Waiting, _ key: PersonalList.Key, limit: Int, _ turn: inout ShardTurn) {
        guard let list = lists[key] else { return }
        // The first reader gets all changes. A further one gets the state that the others hold.
        if !list.inbox.isFollowed {
            list.inbox.limit = limit
            _ = commit(key, isAwaited: true, &turn)
        } else if limit > list.inbox.limit || !list.inbox.isReady {
            list.inbox.limit = max(limit, list.inbox.limit)
            tell(key, isAwaited: true, &turn)
        }
        let isReady = waiting.isAwaited || list.inbox.isFollowed ? list.inbox.isReady : list.inbox.isSettled
        guard isReady else {
            var waiting = waiting
            waiting.isAwaited = true
            people[key.user]?.waiting.append(waiting)
            return
        }
        let delivery = list.inbox.subscribe(waiting.reader, waiting.resume)
        readers[waiting.seat] = key
        list.readers.deliver(delivery, to: waiting.reader, ref: waiting.request?.ref, &turn.decision)
        changedLists.insert(key)
    }

    /// Opens the lists that readers wait for, and brings the readers to them.
    ///
    /// - Parameter since: the `clock` at which the places were asked for.
    func openAwaited(of user: UserName, _ places: [MembershipPlace], since: UInt64, _ turn: inout ShardTurn) {
        let rooms = people[user]?.rooms ?? []
        let known = places.filter { rooms.contains($0.room) }
        for one in people[user]?.waiting ?? [] where !isOpen(one, of: user) {
            let limit = one.list == .rooms ? one.limit : 0
            open(PersonalList.Key(user: user, grants: one.grants), known, limit: limit, &turn)
        }
        // Rooms that came since are read again.
        var late = rooms.filter { watched[$0]?.since ?? .max > since }.union(people[user]?.changed ?? [])
        if known.count < rooms.count { late.formUnion(rooms.subtracting(known.lazy.map(\.room))) }
        people[user]?.changed = []
        for room in late.sorted() { touch(room, of: user) }
        serve(user, &turn)
    }

    private func open(
        _ key: PersonalList.Key, _ places: [MembershipPlace], limit: Int, _ turn: inout ShardTurn
    ) {
        let granted = places.filter { place in
            place.standing.role(granted: key.grants.role(in: place.room), in: place.room.kind) >= .read
        }
        let inbox = Inbox(
            epoch: epochs.next(), tick: settings.members.tick, limit: limit,
            rooms: granted.map { ($0.room, Inbox.Place($0)) }, tagging: \.contentTag)
        lists[key] = PersonalList(
            number: opened, inbox: inbox,
            readers: ListBroadcaster(
                of: .person(key, .rooms), inbox.epoch, loops: settings.loops, topics: topics, caching: space))
        opened += 1
        turn.decision.growth.inboxes += 1
        people[key.user]?.grants.insert(key.grants)
    }

    func close(_ key: PersonalList.Key, _ turn: inout ShardTurn) {
        wake(key)
        guard let list = lists.removeValue(forKey: key) else { return }
        release(list.inbox.needed, of: key.user)
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
        let rows = lists[key]?.count ?? 0
        resting.append((key, lastRest, rows, turn.conditions.now + settings.inboxMemory))
        restingRows += rows
        while resting.count > settings.restingRooms || restingRows > settings.restingInboxRows,
            let oldest = resting.first
        {
            close(oldest.key, &turn)
        }
    }

    func wake(_ key: PersonalList.Key) {
        guard let list = lists[key], let rest = list.rest else { return }
        lists[key]?.rest = nil
        let place = resting.partitioningIndex { $0.number >= rest }
        restingRows -= resting.remove(at: place).rows
    }

    /// The order in which the lists were opened. It does not depend on a hash table.
    func inOrder(_ keys: some Collection<PersonalList.Key>) -> [PersonalList.Key] {
        keys.compactMap { key in lists[key].map { (key, $0.number) } }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// Takes what has changed into a list.
    ///
    /// - Parameter isAwaited: whether a reader waits for it.
    func commit(
        _ key: PersonalList.Key, isAwaited: Bool = false, _ turn: inout ShardTurn
    ) -> ListDiff<MyRoom>? {
        let outcome = lists[key]?.inbox.commit(at: turn.conditions.now) { sight(of: $0, key) }
        guard let outcome else { return nil }
        for room in outcome.touched { look(at: room, key) }
        release(outcome.spare, of: key.user)
        read(outcome.unread, of: key.user, isAwaited: isAwaited, &turn)
        if lists[key]?.inbox.due != nil { changedLists.insert(key) }
        return outcome.diff
    }

    private func sight(of room: RoomName, _ key: PersonalList.Key) -> Inbox.Sight {
        guard people[key.user]?.rooms.contains(room) == true else { return .gone }
        guard let feed = feeds[room]?.feed else { return .unknown }
        if feed.hasLost(key.user) { return .gone }
        guard feed.knows(key.user) else { return .unknown }
        return feed.entry(of: key.user, granted: key.grants.role(in: room)).map { .entry($0) } ?? .gone
    }
}
