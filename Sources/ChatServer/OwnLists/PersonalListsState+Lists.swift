import ChatRoom
import ChatWire

// Lists: readers are brought to them, they take what has changed, and those without readers rest for a while.

extension PersonalListsState {
    /// All lists, in the order in which they were opened.
    var lists: [PersonalList] { people.values.flatMap(\.lists).sorted { $0.number < $1.number } }

    func list(_ key: PersonalList.Key) -> PersonalList? { people[key.user]?.lists.first { $0.key == key } }

    /// Something may have changed in a list, which is told when it is time.
    mutating func changed(_ list: PersonalList) {
        changedLists[list.number] = list
    }

    /// Brings the readers who wait to the list.
    mutating func serve(_ user: UserName, _ turn: inout ShardTurn) {
        guard turn.allowance > 0 else {
            unserved.insert(user)
            return
        }
        let waiting = people[user]?.waiting ?? []
        people[user]?.waiting = []
        for one in waiting {
            guard turn.allowance > 0 else {
                people[user]?.waiting.append(one)
                unserved.insert(user)
                continue
            }
            guard let list = list(PersonalList.Key(user: user, grants: one.grants)) else {
                people[user]?.waiting.append(one)
                continue
            }
            wake(list)
            if let kind = one.list.inbox {
                let limits = waiting.lazy.filter { $0.list == one.list && $0.grants == one.grants }.map(\.limit)
                serveInbox(one, list, kind, limit: limits.max() ?? one.limit, &turn)
            } else {
                serveMentions(one, list, &turn)
            }
        }
        guard people[user]?.opening == nil, people[user]?.waiting.contains(where: { !isOpen($0, of: user) }) == true
        else { return }
        people[user]?.opening = clock
        loadPlaces(about: user, &turn)
    }

    func isOpen(_ waiting: Waiting, of user: UserName) -> Bool {
        list(PersonalList.Key(user: user, grants: waiting.grants)) != nil
    }

    /// Brings a reader to the list of rooms or of threads, or lets it wait until its rows were read.
    private mutating func serveInbox(
        _ waiting: Waiting, _ list: PersonalList, _ kind: InboxKind, limit: Int, _ turn: inout ShardTurn
    ) {
        // The first reader gets all changes. A further one gets the state that the others hold.
        if !list[kind].state.isFollowed {
            list[kind].state.limit = limit
            _ = commit(list, kind, isAwaited: true, &turn)
        } else if limit > list[kind].state.limit || !list[kind].state.isReady {
            list[kind].state.limit = max(limit, list[kind].state.limit)
            publish(list, kind, isAwaited: true, &turn)
        }
        let isReady =
            waiting.isAwaited || list[kind].state.isFollowed ? list[kind].state.isReady : list[kind].state.isSettled
        guard isReady else {
            var waiting = waiting
            waiting.isAwaited = true
            people[list.user]?.waiting.append(waiting)
            return
        }
        readers[waiting.seat] = list
        list[kind].subscribe(waiting.reader, ref: waiting.request?.ref, waiting.resume, &turn.decision)
        changed(list)
    }

    /// Opens the lists that readers wait for, and brings the readers to them.
    ///
    /// - Parameter since: the `clock` at which the places were asked for.
    mutating func openAwaited(of user: UserName, _ places: [MembershipPlace], since: UInt64, _ turn: inout ShardTurn) {
        let rooms = people[user]?.rooms ?? []
        let known = places.filter { rooms.contains($0.room) }
        for one in people[user]?.waiting ?? [] where !isOpen(one, of: user) {
            open(PersonalList.Key(user: user, grants: one.grants), known, for: one, &turn)
        }
        // Rooms that came since are read again.
        var late = rooms.filter { watch.rooms[$0]?.since ?? .max > since }.union(people[user]?.changed ?? [])
        if known.count < rooms.count { late.formUnion(rooms.subtracting(known.lazy.map(\.room))) }
        people[user]?.changed = []
        for room in late.sorted() { touch(room, of: user) }
        serve(user, &turn)
    }

    private mutating func open(
        _ key: PersonalList.Key, _ places: [MembershipPlace], for waiting: Waiting, _ turn: inout ShardTurn
    ) {
        let granted = places.filter { place in
            place.standing.role(granted: key.grants.role(in: place.room), in: place.room.kind) >= .read
        }
        let list = PersonalList(key, number: opened) { kind in
            let inbox = Inbox(
                epoch: topics.nextEpoch(), tick: settings.members.tick,
                limit: waiting.list == kind.list ? waiting.limit : 0,
                rooms: granted.filter { InboxKind(of: $0.room) == kind }.map { ($0.room, Inbox.Place($0)) },
                tagging: \.contentTag)
            return PublishedList(
                inbox, of: .person(key, kind.list), loops: settings.loops, topics: topics, caching: space)
        }
        people[key.user]?.lists.append(list)
        list.note(missing: people[key.user]?.missing ?? [])
        measure(list)
        opened += 1
        turn.decision.growth.inboxes += 1
    }

    mutating func close(_ list: PersonalList, _ turn: inout ShardTurn) {
        wake(list)
        people[list.user]?.lists.removeAll { $0 === list }
        changedLists[list.number] = nil
        bytes -= list.heldBytes
        release(list.needed, of: list.user)
        list.close(&turn.decision)
        turn.decision.growth.inboxes -= 1
        forgetIfUnneeded(list.user, &turn)
    }

    /// Keeps a list without readers for a while, so that a cut is resumed by a diff. When there are too many, the oldest
    /// goes.
    mutating func rest(_ list: PersonalList, _ turn: inout ShardTurn) {
        list.rest = resting.add(list, rows: list.rowCount, until: turn.conditions.now + settings.inboxMemory)
        while resting.exceeds(lists: settings.restingRooms, rows: settings.restingInboxRows),
            let oldest = resting.oldest
        {
            close(oldest, &turn)
        }
    }

    mutating func wake(_ list: PersonalList) {
        guard let rest = list.rest else { return }
        list.rest = nil
        resting.remove(rest)
    }

    /// Applies the changes to a list of rooms or of threads.
    ///
    /// - Parameter isAwaited: whether a reader waits for it.
    mutating func commit(
        _ list: PersonalList, _ kind: InboxKind, isAwaited: Bool = false, _ turn: inout ShardTurn
    ) -> ListDiff<MyRoom>? {
        let key = list.key
        let outcome = list[kind].state.commit(at: turn.conditions.now) { visibility(of: $0, key) }
        for room in outcome.touched { updateMentions(at: room, list) }
        release(outcome.spare, of: list.user)
        read(outcome.unread, of: list.user, isAwaited: isAwaited, &turn)
        if list[kind].state.due != nil { changed(list) }
        measure(list)
        return outcome.diff
    }

    /// Counts the list's bytes.
    mutating func measure(_ list: PersonalList) {
        guard self.list(list.key) === list else { return }
        let held = list.bytes
        bytes += held - list.heldBytes
        list.heldBytes = held
    }

    private func visibility(of room: RoomName, _ key: PersonalList.Key) -> Inbox.Visibility {
        guard people[key.user]?.rooms.contains(room) == true else { return .gone }
        let unknown: Inbox.Visibility = isMissing(room, of: key.user) ? .gone : .unknown
        guard let feed = watch.feeds[room]?.feed else { return unknown }
        if feed.hasLost(key.user) { return .gone }
        guard feed.knows(key.user) else { return unknown }
        return feed.entry(of: key.user, granted: key.grants.role(in: room)).map { .entry($0) } ?? .gone
    }
}
