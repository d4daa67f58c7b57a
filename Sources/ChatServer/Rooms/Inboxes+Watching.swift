import ChatRoom
import ChatWire

// What the rooms' shards and the store tell.

extension Inboxes {
    func receive(_ letter: ShardLetter, _ turn: inout ShardTurn) {
        switch letter {
        case .watched(let room, let number): begin(room, number, &turn)
        case .told(let room, let news, let epoch):
            if epoch == self.epoch { for entry in news { take(entry, in: room, &turn) } }
        case .announced(let room, let revision):
            watched[room]?.feed.announce(revision)
            loseMentions(in: room)
            changedRooms.insert(room)
        case .marked(let marks, let epoch):
            if epoch == self.epoch { for mark in marks { take(mark) } }
        case .watch, .unwatch: preconditionFailure("\(letter) is for the room's shard")
        }
    }

    private func take(_ news: RoomNews, in room: RoomName, _ turn: inout ShardTurn) {
        for (user, _) in news.change.comers { joined(user, room, &turn) }
        if let leaver = news.change.leaver { doubt(leaver) }
        guard watched[room] != nil else { return }
        watched[room]?.feed.take(news.change, at: news.revision)
        changedRooms.insert(room)
        tellMentions(of: news.change, in: room)
    }

    private func joined(_ user: UserName, _ room: RoomName, _ turn: inout ShardTurn) {
        guard case .live = people[user]?.phase else { return doubt(user) }
        people[user]?.rooms.insert(room)
        watch(room, for: user, &turn)
        watched[room]?.feed.doubt(user)
    }

    private func take(_ mark: ReadMark) {
        doubt(mark.user)
        guard watched[mark.room]?.feed.has(mark.user) == true else { return }
        watched[mark.room]?.feed.mark(mark.user, mark.revision)
        changedRooms.insert(mark.room)
    }

    /// The memberships that are being read may lack something.
    private func doubt(_ user: UserName) {
        switch people[user]?.phase {
        case .asking, .watching: people[user]?.isDoubted = true
        case .live, nil: break
        }
    }

    // MARK: - Watching

    private func watch(_ room: RoomName, for user: UserName, _ turn: inout ShardTurn) {
        if watched[room] == nil {
            watched[room] = Watched(room, number: clock)
            let home = settings.map.shard(of: room)
            turn.decision.letters.append((home, .watch(room, by: settings.index, number: clock)))
        }
        watched[room]?.feed.add(user)
        changedRooms.insert(room)
    }

    func unwatch(_ room: RoomName, _ turn: inout ShardTurn) {
        watched[room] = nil
        changedRooms.remove(room)
        turn.decision.letters.append((settings.map.shard(of: room), .unwatch(room, by: settings.index)))
    }

    private func begin(_ room: RoomName, _ number: UInt64, _ turn: inout ShardTurn) {
        guard watched[room]?.number == number else { return }
        watched[room]?.since = clock
        changedRooms.insert(room)
        for user in watched[room]?.feed.names ?? [] {
            if case .watching = people[user]?.phase { askWhenWatched(user, &turn) }
        }
    }

    /// The person is not in the room any more, and does not wait for it either.
    func lost(_ room: RoomName, _ user: UserName, _ turn: inout ShardTurn) {
        guard people[user]?.rooms.remove(room) != nil else { return }
        if case .watching = people[user]?.phase { askWhenWatched(user, &turn) }
    }

    /// Forgets a person who has no list any more.
    func forget(_ user: UserName, _ turn: inout ShardTurn) {
        for room in people.removeValue(forKey: user)?.rooms.sorted() ?? [] { drop(user, of: room, &turn) }
    }

    private func drop(_ user: UserName, of room: RoomName, _ turn: inout ShardTurn) {
        watched[room]?.feed.remove(user)
        if watched[room]?.feed.isEmpty == true { unwatch(room, &turn) }
    }

    // MARK: - The store

    func ask(about user: UserName, _ turn: inout ShardTurn) {
        turn.decision.inboxQueries.append(.person(user, number: clock, of: epoch))
    }

    private func askWhenWatched(_ user: UserName, _ turn: inout ShardTurn) {
        guard let rooms = people[user]?.rooms else { return }
        guard rooms.allSatisfy({ watched[$0]?.since != nil }) else {
            people[user]?.phase = .watching
            return
        }
        people[user]?.phase = .asking(since: clock)
        people[user]?.isDoubted = false
        ask(about: user, &turn)
    }

    func receive(_ answer: InboxAnswer, _ turn: inout ShardTurn) {
        switch answer {
        case .person(let user, let number, let epoch, let result) where people[user]?.review == number:
            people[user]?.review = nil
            if epoch == self.epoch, case .success(let readings?) = result { compare(readings, of: user, &turn) }
        case .person(let user, let number, let epoch, let result):
            guard epoch == self.epoch, case .asking(number) = people[user]?.phase else { return }
            switch result {
            case .success(let readings?): take(readings, of: user, since: number, &turn)
            case .success(nil): break  // the store is at another epoch, and says so soon
            case .failure(let error): giveUp(user, error, &turn)
            }
        case .room(let room, let users, let epoch, let result):
            guard epoch == self.epoch else { return }
            watched[room]?.feed.take((try? result.get()) ?? nil, of: users)
            if case .failure = result { watched[room]?.soonest = turn.conditions.now + Self.pause }
            changedRooms.insert(room)
        case .mentions(let user, let list, let epoch, let result):
            if epoch == self.epoch { take(result, of: user, list: list, &turn) }
        case .profiles: preconditionFailure("profiles are not asked for here")
        }
    }

    /// The pause after the store did not answer.
    static let pause = Duration.seconds(1)

    private func take(_ readings: [MembershipReading], of user: UserName, since: UInt64, _ turn: inout ShardTurn) {
        let rooms = Set(readings.map(\.room))
        let left = people[user]?.rooms.subtracting(rooms) ?? []
        people[user]?.rooms = rooms
        for room in left.sorted() { drop(user, of: room, &turn) }
        for room in rooms.sorted() { watch(room, for: user, &turn) }
        // They are right if they were read after each room's shard had said that it tells each change.
        guard people[user]?.isDoubted == false, rooms.allSatisfy({ watched[$0]?.since ?? .max <= since }) else {
            return askWhenWatched(user, &turn)
        }
        for reading in readings { watched[reading.room]?.feed.take(reading) }
        people[user]?.phase = .live
        serve(user, &turn)
    }

    /// Takes the result of a review: what it says otherwise is read again for its room.
    private func compare(_ readings: [MembershipReading], of user: UserName, _ turn: inout ShardTurn) {
        guard case .live = people[user]?.phase else { return }
        doubtMentions(of: user)
        var missing = people[user]?.rooms ?? []
        for reading in readings {
            if missing.remove(reading.room) == nil {
                joined(user, reading.room, &turn)
            } else if watched[reading.room]?.feed.isBehind(reading) == true {
                watched[reading.room]?.feed.doubt(user)
                changedRooms.insert(reading.room)
            }
        }
        for room in missing {
            watched[room]?.feed.doubt(user)
            changedRooms.insert(room)
        }
    }

    private func giveUp(_ user: UserName, _ error: WireError, _ turn: inout ShardTurn) {
        for waiting in people[user]?.waiting ?? [] {
            refuse(waiting, error, &turn)
        }
        forget(user, &turn)
    }

    func refuse(_ waiting: Waiting, _ error: WireError, _ turn: inout ShardTurn) {
        guard let (visit, ref) = waiting.request else {
            return turn.decision.dismiss(waiting.reader, code: CloseCode.overload, error)
        }
        turn.decision.end(waiting.reader, waiting.list.name, visit: visit)
        turn.decision.answer(waiting.reader, .error(ref: ref, error))
    }
}
