import ChatRoom
import ChatWire
import RoomStore

// The questions to the store about memberships, and its answers.

extension PersonalListsState {
    func loadPlaces(about user: UserName, _ turn: inout ShardTurn) {
        turn.decision.inboxQueries.append(.person(user, number: clock, of: epoch))
    }

    /// Requests the places of a person's rooms from the store.
    mutating func begin(_ user: UserName, _ turn: inout ShardTurn) {
        people[user]?.phase = .loading(since: clock)
        people[user]?.isStale = false
        people[user]?.opening = nil
        people[user]?.changed = []
        loadPlaces(about: user, &turn)
    }

    mutating func loadWhenWatched(_ user: UserName, _ turn: inout ShardTurn) {
        guard let rooms = people[user]?.rooms else { return }
        guard rooms.allSatisfy({ watch.rooms[$0]?.since != nil }) else {
            people[user]?.phase = .watching
            return
        }
        begin(user, &turn)
    }

    mutating func handle(_ answer: InboxAnswer, _ turn: inout ShardTurn) {
        switch answer.withoutHidden {
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
            guard epoch == self.epoch, watch.feeds[room]?.number == number else { return }
            watch.feeds[room]?.feed.apply((try? result.get()) ?? nil, of: users)
            if case .failure = result { watch.feeds[room]?.soonest = turn.conditions.now + Self.pause }
            watch.changed.insert(room)
            for user in users { watch.feeds[room]?.entered[user] = nil }
            for user in users where people[user]?.waiting.isEmpty == false { touch(room, of: user) }
        case .mentions(let user, let list, let epoch, let result):
            if epoch == self.epoch { handle(result, of: user, list: list, &turn) }
        case .mentionsPage(let query, let result): handle(result, to: query, &turn)
        case .profiles, .drafts, .later, .blocks:
            preconditionFailure("what the store keeps of people is not asked for here")
        }
    }

    /// The pause after the store did not answer.
    static let pause = Duration.seconds(1)

    private mutating func apply(
        _ reading: PartialReading<[MembershipPlace]>, of user: UserName, since: UInt64, _ turn: inout ShardTurn
    ) {
        let (places, before) = (reading.rows, people[user]?.rooms ?? [])
        note(missing: reading.missing, of: user)
        let rooms = Set(places.lazy.map(\.room)).union(before.filter { isMissing($0, of: user) })
        people[user]?.rooms = rooms
        if before != rooms {
            drop(user, of: before.subtracting(rooms), &turn)
            beginWatching(places.lazy.map(\.room).filter { !before.contains($0) }, for: user, &turn)
        }
        // They are right if they were read after each room's shard had said that it tells each change.
        guard people[user]?.isStale == false, rooms.allSatisfy({ watch.rooms[$0]?.since ?? .max <= since }) else {
            return loadWhenWatched(user, &turn)
        }
        people[user]?.phase = .live
        openAwaited(of: user, places, since: since, &turn)
    }

    /// Handles a person's readings. If the person is known, a reading that differs is read again.
    private mutating func handle(
        _ result: Result<PartialReading<[MembershipReading]>?, WireError>, of user: UserName, _ rooms: [RoomName],
        since number: UInt64,
        _ turn: inout ShardTurn
    ) {
        let followed = rooms.filter { room in
            guard let followed = watch.feeds[room], followed.feed.has(user) else { return false }
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
            for room in followed where watch.feeds[room]?.feed.knows(user) == false {
                watch.feeds[room]?.feed.invalidate(user)
                watch.feeds[room]?.soonest = turn.conditions.now + Self.pause
                watch.changed.insert(room)
            }
            refuseWaiting(of: user, error, &turn) { $1.list != .mentions && $0.isOpen($1, of: user) }
        }
    }

    private mutating func apply(_ reading: MembershipReading?, of user: UserName, in room: RoomName) {
        watch.changed.insert(room)
        if watch.feeds[room]?.feed.knows(user) == true {
            if reading.map({ watch.feeds[room]?.feed.isBehind($0) == true }) ?? true {
                watch.feeds[room]?.feed.invalidate(user)
            }
            return
        }
        watch.feeds[room]?.entered[user] = nil
        if let reading { watch.feeds[room]?.feed.apply(reading) } else { watch.feeds[room]?.feed.miss(user) }
        touch(room, of: user)
    }

    /// Handles the result of a review. Where it differs, the room is read again.
    private mutating func compare(
        _ reading: PartialReading<[MembershipPlace]>, of user: UserName, _ turn: inout ShardTurn
    ) {
        guard case .live = people[user]?.phase else { return }
        invalidateMentions(of: user)
        note(missing: reading.missing, of: user)
        var lost: Set<RoomName> = people[user]?.rooms.filter { !isMissing($0, of: user) } ?? []
        for place in reading.rows {
            // The room may be about to leave the lists, by an answer from before it came back.
            if lost.remove(place.room) == nil || watch.feeds[place.room]?.feed.hasLost(user) == true {
                joined(user, place.room, &turn)
            } else if isBehind(place, of: user) {
                watch.invalidateOutside(place.room, user)
                watch.changed.insert(place.room)
            } else if watch.feeds[place.room]?.feed.reconsider(user) == true {
                watch.changed.insert(place.room)
            }
        }
        for room in lost {
            if !watch.invalidateOutside(room, user) { watch.feeds[room]?.feed.invalidate(user) }
            watch.changed.insert(room)
        }
    }

    private func isBehind(_ place: MembershipPlace, of user: UserName) -> Bool {
        guard let lists = people[user]?.lists, watch.feeds[place.room]?.feed.has(user) != true else { return false }
        return lists.contains { list in
            let role = place.standing.role(granted: list.key.grants.role(in: place.room), in: place.room.kind)
            return list[InboxKind(of: place.room)].state.isBehind(place.room, role < .read ? nil : Inbox.Place(place))
        }
    }

    // MARK: - Parts that do not answer

    /// Returns whether a room is in a part of the store that did not answer about the person.
    func isMissing(_ room: RoomName, of user: UserName) -> Bool {
        guard let missing = people[user]?.missing, !missing.isEmpty else { return false }
        return missing.contains(settings.partition.part(of: room))
    }

    /// Shows in the person's lists which parts of the store have not answered.
    mutating func note(missing: Set<Int>, of user: UserName) {
        if !missing.isEmpty { refreshLater(user) }
        guard let person = people[user], person.missing != missing else { return }
        people[user]?.missing = missing
        for list in person.lists {
            list.note(missing: missing)
            changed(list)
        }
    }

    private mutating func failRequests(_ user: UserName, _ error: WireError, _ turn: inout ShardTurn) {
        for waiting in people[user]?.waiting ?? [] { refuse(waiting, error, &turn) }
        forget(user, &turn)
    }

    /// Applies the places of a person whose rooms are known, for another list.
    private mutating func open(
        _ result: Result<PartialReading<[MembershipPlace]>?, WireError>, of user: UserName, since: UInt64,
        _ turn: inout ShardTurn
    ) {
        people[user]?.opening = nil
        switch result {
        case .success(let reading?):
            note(missing: reading.missing, of: user)
            openAwaited(of: user, reading.rows, since: since, &turn)
        case .success(nil): break  // the store is at another epoch, and says so soon
        case .failure(let error): refuseWaiting(of: user, error, &turn) { !$0.isOpen($1, of: user) }
        }
    }

    private mutating func refuseWaiting(
        of user: UserName, _ error: WireError, _ turn: inout ShardTurn,
        where isRefused: (borrowing PersonalListsState, Waiting) -> Bool
    ) {
        let waiting = people[user]?.waiting ?? []
        people[user]?.waiting = []
        for one in waiting {
            if isRefused(self, one) { refuse(one, error, &turn) } else { people[user]?.waiting.append(one) }
        }
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

extension InboxAnswer {
    /// The answer without rooms that are hidden from their user: as if the user did not belong to them.
    fileprivate var withoutHidden: InboxAnswer {
        switch self {
        case .person(let user, let number, let epoch, let result):
            .person(user, number: number, of: epoch, result.map { $0?.map { $0.filter { !$0.isHidden } } })
        case .rooms(let user, let rooms, let number, let epoch, let result):
            .rooms(user, rooms, number: number, of: epoch, result.map { $0?.map { $0.filter { !$0.isHidden } } })
        case .room(let room, let users, let number, let epoch, let result):
            .room(room, users, number: number, of: epoch, result.map { $0?.filter { !$0.value.isHidden } })
        case .mentions, .mentionsPage, .profiles, .drafts, .later, .blocks: self
        }
    }
}
