import ChatRoom
import ChatWire
import RoomStore

// The news from the rooms' shards and the answers of the store.

extension Inboxes {
    func handle(_ message: ShardMessage, _ turn: inout ShardTurn) {
        switch message {
        case .watched(let rooms, let number): begin(rooms, number, &turn)
        case .changed(let room, let news, let epoch):
            if epoch == self.epoch { for entry in news { apply(entry, in: room, &turn) } }
        case .announced(let room, let revision):
            feeds[room]?.feed.announce(revision)
            // A trim on this server changes no place.
            if settings.isShared { watched[room]?.isTouched = true }
            invalidateMentions(in: room)
            changedRooms.insert(room)
        case .occupied(let room, let occupancy): apply(occupancy, of: room, &turn)
        case .marked(let marks, let epoch):
            if epoch == self.epoch { for mark in marks { apply(mark) } }
        case .watch, .unwatch: preconditionFailure("\(message) is for the room's shard")
        }
    }

    private func apply(_ news: RoomNews, in room: RoomName, _ turn: inout ShardTurn) {
        for (user, _) in news.change.comers { joined(user, room, &turn) }
        if let leaver = news.change.leaver { invalidate(leaver) }
        guard watched[room] != nil else { return }
        invalidateOutside(room, by: news.change, &turn)
        feeds[room]?.feed.handle(news.change, at: news.revision)
        changedRooms.insert(room)
        applyMentions(of: news.change, in: room)
    }

    /// The end of writing is told with the room's next news, or with the next tick: often a message comes with it.
    private func apply(_ occupancy: Occupancy, of room: RoomName, _ turn: inout ShardTurn) {
        // News from before the shard has confirmed the watch are left from an earlier one.
        guard let before = watched[room], before.since != nil else { return }
        watched[room]?.occupancy = occupancy
        guard let feed = feeds[room] else { return }
        feed.feed.apply(occupancy)
        if occupancy.typing == .nobody, occupancy.here == before.occupancy.here {
            typingEnded[room] = turn.conditions.now + settings.members.tick
        } else {
            changedRooms.insert(room)
        }
    }

    /// Applies a change of people who are not in the room's feed.
    private func invalidateOutside(_ room: RoomName, by change: RowChange, _ turn: inout ShardTurn) {
        if case .inserted = change { watched[room]?.isTouched = true }
        if case .settings(let user, _, _) = change { invalidateOutside(room, user) }
        for (user, standing) in change.standings where invalidateOutside(room, user) { hide(room, of: user, standing) }
        if let leaver = change.leaver, invalidateOutside(room, leaver) { lost(room, leaver, &turn) }
    }

    /// - Returns: whether the person has the room, and is not in its feed.
    @discardableResult
    private func invalidateOutside(_ room: RoomName, _ user: UserName) -> Bool {
        guard watched[room]?.names.contains(user) == true, feeds[room]?.feed.has(user) != true else { return false }
        watched[room]?.touched.insert(user)
        return true
    }

    /// Hides a room from those of a person's lists that may not show it any more.
    private func hide(_ room: RoomName, of user: UserName, _ standing: Standing) {
        for list in people[user]?.lists ?? [] {
            guard standing.role(granted: list.key.grants.role(in: room), in: room.kind) < .read else { continue }
            list.rooms.state.hide(room)
            updateMentions(at: room, list)
            changed(list)
        }
    }

    private func joined(_ user: UserName, _ room: RoomName, _ turn: inout ShardTurn) {
        guard case .live = people[user]?.phase else { return invalidate(user) }
        people[user]?.rooms.insert(room)
        watch([room], for: user, &turn)
        feeds[room]?.feed.find(user)
        if !invalidateOutside(room, user) { feeds[room]?.feed.invalidate(user) }
        changedRooms.insert(room)
    }

    private func apply(_ mark: ReadMark) {
        for list in people[mark.user]?.lists ?? []
        where list.mentions?.state.mark(mark.room, mark.revision) == true { changed(list) }
        guard feeds[mark.room]?.feed.has(mark.user) == true else { return }
        feeds[mark.room]?.feed.mark(mark.user, mark.revision)
        changedRooms.insert(mark.room)
    }

    /// The places that are being read may lack a room, or have one too many.
    private func invalidate(_ user: UserName) {
        switch people[user]?.phase {
        case .loading, .watching: people[user]?.isStale = true
        case .live, nil: break
        }
    }

    // MARK: - Watching

    private func watch(_ rooms: some Collection<RoomName>, for user: UserName, _ turn: inout ShardTurn) {
        var new: [RoomName] = []
        for room in rooms where watched[room, default: Watched(number: clock)].add(user) { new.append(room) }
        enqueue(new, &turn) { .watch($0, by: settings.index, number: clock) }
    }

    func unwatch(_ rooms: [RoomName], _ turn: inout ShardTurn) {
        for room in rooms {
            watched[room] = nil
            feeds[room] = nil
            changedRooms.remove(room)
            typingEnded[room] = nil
        }
        enqueue(rooms, &turn) { .unwatch($0, by: settings.index) }
    }

    /// Sends a message to each shard that has some of the rooms.
    private func enqueue(_ rooms: [RoomName], _ turn: inout ShardTurn, _ message: ([RoomName]) -> ShardMessage) {
        var homes: [Int: [RoomName]] = [:]
        for room in rooms { homes[settings.map.shard(of: room), default: []].append(room) }
        for (home, rooms) in homes.sorted(by: { $0.key < $1.key }) {
            turn.decision.messages.append((home, message(rooms)))
        }
    }

    private func begin(_ rooms: [RoomName], _ number: UInt64, _ turn: inout ShardTurn) {
        var waiting: Set<UserName> = []
        for room in rooms where watched[room]?.number == number {
            watched[room]?.since = clock
            if feeds[room] != nil { changedRooms.insert(room) }
            for user in watched[room]?.names ?? [] {
                if case .watching = people[user]?.phase { waiting.insert(user) }
            }
        }
        for user in waiting.sorted() { loadWhenWatched(user, &turn) }
    }

    /// The person is not in the room any more, and does not wait for it either.
    func lost(_ room: RoomName, _ user: UserName, _ turn: inout ShardTurn) {
        guard people[user]?.rooms.remove(room) != nil else { return }
        watched[room]?.names.remove(user)
        if case .watching = people[user]?.phase { loadWhenWatched(user, &turn) }
    }

    /// Forgets a person who has no list any more, and waits for none.
    func forgetIfUnneeded(_ user: UserName, _ turn: inout ShardTurn) {
        guard let person = people[user], person.lists.isEmpty, person.waiting.isEmpty else { return }
        forget(user, &turn)
    }

    private func forget(_ user: UserName, _ turn: inout ShardTurn) {
        drop(user, of: people.removeValue(forKey: user)?.rooms ?? [], &turn)
    }

    private func drop(_ user: UserName, of rooms: Set<RoomName>, _ turn: inout ShardTurn) {
        var left: [RoomName] = []
        for room in rooms {
            watched[room]?.names.remove(user)
            dismiss(user, from: room)
            if watched[room]?.names.isEmpty == true { left.append(room) }
        }
        unwatch(left.sorted(), &turn)
    }

    // MARK: - Rooms with rows

    /// Reads rooms that are to have rows, or that have changed for a person.
    ///
    /// - Parameter isAwaited: whether a reader waits for them.
    func read(_ rooms: [RoomName], of user: UserName, isAwaited: Bool, _ turn: inout ShardTurn) {
        let new = rooms.filter { feeds[$0]?.feed.has(user) != true }
        for room in new {
            if feeds[room] == nil { feeds[room] = TrackedRoom(room, number: clock, watched[room]?.occupancy ?? .empty) }
            feeds[room]?.feed.add(user)
            feeds[room]?.entered[user] = clock
        }
        // One query for all rooms of a person who waits; otherwise one for all people of a room that has news.
        let isOpening = isAwaited || new.count > Self.fewRooms
        for room in new where !isOpening || watched[room]?.since == nil {
            feeds[room]?.feed.invalidate(user)
            changedRooms.insert(room)
        }
        let asked = isOpening ? new.filter { watched[$0]?.since != nil } : []
        if !asked.isEmpty { turn.decision.inboxQueries.append(.rooms(user, asked, number: clock, of: epoch)) }
    }

    private static let fewRooms = 4

    /// Forgets rooms for a person, unless one of their lists needs them.
    func release(_ rooms: some Collection<RoomName>, of user: UserName) {
        guard !rooms.isEmpty else { return }
        let lists = people[user]?.lists ?? []
        for room in rooms where !lists.contains(where: { $0.rooms.state.needs(room) }) { dismiss(user, from: room) }
    }

    /// Removes a person from a room's feed. Changes that it owes them are read again for their other lists.
    private func dismiss(_ user: UserName, from room: RoomName) {
        let owes = feeds[room]?.feed.owes(user) == true
        feeds[room]?.feed.dismiss(user)
        feeds[room]?.entered[user] = nil
        if feeds[room]?.feed.isEmpty == true { feeds[room] = nil }
        if owes, invalidateOutside(room, user) { changedRooms.insert(room) }
    }

    // MARK: - The store

    func loadPlaces(about user: UserName, _ turn: inout ShardTurn) {
        turn.decision.inboxQueries.append(.person(user, number: clock, of: epoch))
    }

    /// Requests the places of a person's rooms from the store.
    func begin(_ user: UserName, _ turn: inout ShardTurn) {
        people[user]?.phase = .loading(since: clock)
        people[user]?.isStale = false
        people[user]?.opening = nil
        people[user]?.changed = []
        loadPlaces(about: user, &turn)
    }

    private func loadWhenWatched(_ user: UserName, _ turn: inout ShardTurn) {
        guard let rooms = people[user]?.rooms else { return }
        guard rooms.allSatisfy({ watched[$0]?.since != nil }) else {
            people[user]?.phase = .watching
            return
        }
        begin(user, &turn)
    }

    func handle(_ answer: InboxAnswer, _ turn: inout ShardTurn) {
        switch answer {
        case .person(let user, let number, let epoch, let result) where people[user]?.refresh == number:
            people[user]?.refresh = nil
            switch result {
            case .success(let reading?): if epoch == self.epoch { compare(reading, of: user, &turn) }
            case .success(nil): break  // the store is at another epoch, and says so soon
            case .failure: refreshLater(user)
            }
        case .person(let user, let number, let epoch, let result) where people[user]?.opening == number:
            if epoch == self.epoch { open(result, of: user, since: number, &turn) }
        case .person(let user, let number, let epoch, let result):
            guard epoch == self.epoch, case .loading(number) = people[user]?.phase else { return }
            switch result {
            case .success(let reading?): apply(reading, of: user, since: number, &turn)
            case .success(nil): break  // the store is at another epoch, and says so soon
            case .failure(let error): failRequests(user, error, &turn)
            }
        case .rooms(let user, let rooms, let number, let epoch, let result):
            if epoch == self.epoch { handle(result, of: user, rooms, since: number, &turn) }
        case .room(let room, let users, let number, let epoch, let result):
            guard epoch == self.epoch, feeds[room]?.number == number else { return }
            feeds[room]?.feed.apply((try? result.get()) ?? nil, of: users)
            if case .failure = result { feeds[room]?.soonest = turn.conditions.now + Self.pause }
            changedRooms.insert(room)
            for user in users { feeds[room]?.entered[user] = nil }
            for user in users where people[user]?.waiting.isEmpty == false { touch(room, of: user) }
        case .mentions(let user, let list, let epoch, let result):
            if epoch == self.epoch { handle(result, of: user, list: list, &turn) }
        case .mentionsPage(let query, let result): handle(result, to: query, &turn)
        case .profiles: preconditionFailure("profiles are not asked for here")
        }
    }

    /// The pause after the store did not answer.
    static let pause = Duration.seconds(1)

    private func apply(
        _ reading: PartialReading<[MembershipPlace]>, of user: UserName, since: UInt64, _ turn: inout ShardTurn
    ) {
        let (places, before) = (reading.rows, people[user]?.rooms ?? [])
        note(missing: reading.missing, of: user)
        let rooms = Set(places.lazy.map(\.room)).union(before.filter { isMissing($0, of: user) })
        people[user]?.rooms = rooms
        if before != rooms {
            drop(user, of: before.subtracting(rooms), &turn)
            watch(places.lazy.map(\.room).filter { !before.contains($0) }, for: user, &turn)
        }
        // They are right if they were read after each room's shard had said that it tells each change.
        guard people[user]?.isStale == false, rooms.allSatisfy({ watched[$0]?.since ?? .max <= since }) else {
            return loadWhenWatched(user, &turn)
        }
        people[user]?.phase = .live
        openAwaited(of: user, places, since: since, &turn)
    }

    /// Handles a person's readings. If the person is known, a reading that differs is read again.
    private func handle(
        _ result: Result<PartialReading<[MembershipReading]>?, WireError>, of user: UserName, _ rooms: [RoomName],
        since number: UInt64,
        _ turn: inout ShardTurn
    ) {
        let followed = rooms.filter { room in
            guard let followed = feeds[room], followed.feed.has(user) else { return false }
            return followed.number <= number && followed.entered[user] ?? 0 <= number
        }
        switch result {
        case .success(let reading?):
            if !reading.missing.isEmpty { note(missing: reading.missing.union(people[user]?.missing ?? []), of: user) }
            var readings = Dictionary(reading.rows.map { ($0.room, $0) }) { first, _ in first }
            for room in followed {
                if reading.missing.contains(settings.partition.part(of: room)) {
                    touch(room, of: user)
                } else {
                    apply(readings.removeValue(forKey: room), of: user, in: room)
                }
            }
        case .success(nil): break  // the store is at another epoch, and says so soon
        case .failure(let error):
            refreshLater(user)
            for room in followed where feeds[room]?.feed.knows(user) == false {
                feeds[room]?.feed.invalidate(user)
                feeds[room]?.soonest = turn.conditions.now + Self.pause
                changedRooms.insert(room)
            }
            refuseWaiting(of: user, error, &turn) { $0.list == .rooms && self.isOpen($0, of: user) }
        }
    }

    private func apply(_ reading: MembershipReading?, of user: UserName, in room: RoomName) {
        changedRooms.insert(room)
        if feeds[room]?.feed.knows(user) == true {
            if reading.map({ feeds[room]?.feed.isBehind($0) == true }) ?? true { feeds[room]?.feed.invalidate(user) }
            return
        }
        feeds[room]?.entered[user] = nil
        if let reading { feeds[room]?.feed.apply(reading) } else { feeds[room]?.feed.miss(user) }
        touch(room, of: user)
    }

    /// Handles the result of a review. Where it differs, the room is read again.
    private func compare(
        _ reading: PartialReading<[MembershipPlace]>, of user: UserName, _ turn: inout ShardTurn
    ) {
        guard case .live = people[user]?.phase else { return }
        invalidateMentions(of: user)
        note(missing: reading.missing, of: user)
        var lost: Set<RoomName> = people[user]?.rooms.filter { !isMissing($0, of: user) } ?? []
        for place in reading.rows {
            if lost.remove(place.room) == nil {
                joined(user, place.room, &turn)
            } else if isBehind(place, of: user) {
                invalidateOutside(place.room, user)
                changedRooms.insert(place.room)
            }
        }
        for room in lost {
            if !invalidateOutside(room, user) { feeds[room]?.feed.invalidate(user) }
            changedRooms.insert(room)
        }
    }

    private func isBehind(_ place: MembershipPlace, of user: UserName) -> Bool {
        guard let lists = people[user]?.lists, feeds[place.room]?.feed.has(user) != true else { return false }
        return lists.contains { list in
            let role = place.standing.role(granted: list.key.grants.role(in: place.room), in: place.room.kind)
            return list.rooms.state.isBehind(place.room, role < .read ? nil : Inbox.Place(place))
        }
    }

    // MARK: - Parts that do not answer

    /// Returns whether a room is in a part of the store that did not answer about the person.
    func isMissing(_ room: RoomName, of user: UserName) -> Bool {
        guard let missing = people[user]?.missing, !missing.isEmpty else { return false }
        return missing.contains(settings.partition.part(of: room))
    }

    /// Shows in the person's lists which parts of the store have not answered.
    func note(missing: Set<Int>, of user: UserName) {
        if !missing.isEmpty { refreshLater(user) }
        guard let person = people[user], person.missing != missing else { return }
        people[user]?.missing = missing
        for list in person.lists {
            list.rooms.state.missing = missing
            list.mentions?.state.missing = missing
            changed(list)
        }
    }

    private func failRequests(_ user: UserName, _ error: WireError, _ turn: inout ShardTurn) {
        for waiting in people[user]?.waiting ?? [] { refuse(waiting, error, &turn) }
        forget(user, &turn)
    }

    /// Applies the places of a person whose rooms are known, for another list.
    private func open(
        _ result: Result<PartialReading<[MembershipPlace]>?, WireError>, of user: UserName, since: UInt64,
        _ turn: inout ShardTurn
    ) {
        people[user]?.opening = nil
        switch result {
        case .success(let reading?):
            note(missing: reading.missing, of: user)
            openAwaited(of: user, reading.rows, since: since, &turn)
        case .success(nil): break  // the store is at another epoch, and says so soon
        case .failure(let error): refuseWaiting(of: user, error, &turn) { !self.isOpen($0, of: user) }
        }
    }

    private func refuseWaiting(
        of user: UserName, _ error: WireError, _ turn: inout ShardTurn, where isRefused: (Waiting) -> Bool
    ) {
        let waiting = people[user]?.waiting ?? []
        let others = waiting.filter { !isRefused($0) }
        people[user]?.waiting = others
        for one in waiting where isRefused(one) { refuse(one, error, &turn) }
        restUnawaited(of: user, &turn)
    }

    func refuse(_ waiting: Waiting, _ error: WireError, _ turn: inout ShardTurn) {
        guard let (visit, ref) = waiting.request else {
            return turn.decision.dismiss(waiting.reader, code: CloseCode.overload, error)
        }
        turn.decision.end(waiting.reader, waiting.list.name, visit: visit)
        turn.decision.answer(waiting.reader, .error(ref: ref, error))
    }
}

extension Inboxes.Watched {
    /// - Returns: whether no person had the room before.
    mutating func add(_ user: UserName) -> Bool {
        defer { names.insert(user) }
        return names.isEmpty
    }
}
