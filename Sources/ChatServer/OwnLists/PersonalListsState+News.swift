import ChatRoom
import ChatWire
import RoomStore

// The news from the rooms' shards, and the rooms that are watched.

extension PersonalListsState {
    mutating func handle(_ message: ShardMessage, _ turn: inout ShardTurn) {
        switch message {
        case .watched(let rooms, let number): begin(rooms, number, &turn)
        case .changed(let room, let news, let epoch):
            if epoch == self.epoch { for entry in news { apply(entry, in: room, &turn) } }
        case .announced(let room, let revision):
            watch.feeds[room]?.feed.announce(revision)
            // A trim on this server changes no place.
            if settings.isShared { watch.rooms[room]?.isTouched = true }
            for thread in watch.rooms[room]?.threads ?? [] {
                watch.announced[thread] = watch.announced[thread] ?? turn.conditions.now + Self.pause
            }
            invalidateMentions(in: room)
            watch.changed.insert(room)
        case .occupied(let room, let occupancy): apply(occupancy, of: room, &turn)
        case .marked(let marks, let epoch):
            if epoch == self.epoch { for mark in marks { apply(mark) } }
        case .watch, .unwatch: preconditionFailure("\(message) is for the room's shard")
        }
    }

    private mutating func apply(_ news: RoomNews, in room: RoomName, _ turn: inout ShardTurn) {
        for (user, _) in news.change.comers { joined(user, room, &turn) }
        for thread in watch.rooms[room]?.threads.sorted() ?? [] { applyRules(news, to: thread) }
        if let leaver = news.change.leaver { invalidate(leaver) }
        guard watch.rooms[room] != nil else { return }
        invalidateOutside(room, by: news.change, &turn)
        if settings.isShared, room.isThread {
            // Another server may have put a person out of the thread's room unheard: read what that person may see now.
            watch.feeds[room]?.feed.announce(news.revision)
        } else {
            watch.feeds[room]?.feed.handle(news.change, at: news.revision)
        }
        watch.changed.insert(room)
        applyMentions(of: news.change, in: room)
    }

    /// Applies a change of a thread's room.
    private mutating func applyRules(_ news: RoomNews, to thread: RoomName) {
        for (user, standing) in news.change.standings where watch.invalidateOutside(thread, user) {
            hide(thread, of: user, standing)
            watch.changed.insert(thread)
        }
        if watch.feeds[thread]?.feed.handleRoomChange(news.change, at: news.revision) == true {
            watch.changed.insert(thread)
        }
    }

    /// The end of writing is told with the room's next news, or with the next tick: often a message comes with it.
    private mutating func apply(_ occupancy: Occupancy, of room: RoomName, _ turn: inout ShardTurn) {
        // News from before the shard has confirmed the watch are left from an earlier one.
        guard let before = watch.rooms[room], before.since != nil else { return }
        watch.rooms[room]?.occupancy = occupancy
        guard watch.feeds[room] != nil else { return }
        watch.feeds[room]?.feed.apply(occupancy)
        if occupancy.typing == .nobody, occupancy.here == before.occupancy.here {
            watch.typingEnded[room] = turn.conditions.now + settings.members.tick
        } else {
            watch.changed.insert(room)
        }
    }

    /// Applies a change of people who are not in the room's feed.
    private mutating func invalidateOutside(_ room: RoomName, by change: RowChange, _ turn: inout ShardTurn) {
        if case .inserted = change { watch.rooms[room]?.isTouched = true }
        if case .settings(let user, _, _) = change { watch.invalidateOutside(room, user) }
        for (user, standing) in change.standings where watch.invalidateOutside(room, user) {
            hide(room, of: user, standing)
        }
        if let leaver = change.leaver, watch.invalidateOutside(room, leaver) { lost(room, leaver, &turn) }
    }

    /// Hides a room from those of a person's lists that may not show it any more.
    private mutating func hide(_ room: RoomName, of user: UserName, _ standing: Standing) {
        for list in people[user]?.lists ?? [] {
            guard standing.role(granted: list.key.grants.role(in: room), in: room.kind) < .read else { continue }
            list[InboxKind(of: room)].state.hide(room)
            updateMentions(at: room, list)
            changed(list)
        }
    }

    mutating func joined(_ user: UserName, _ room: RoomName, _ turn: inout ShardTurn) {
        guard case .live = people[user]?.phase else { return invalidate(user) }
        people[user]?.rooms.insert(room)
        beginWatching([room], for: user, &turn)
        watch.feeds[room]?.feed.find(user)
        if !watch.invalidateOutside(room, user) { watch.feeds[room]?.feed.invalidate(user) }
        watch.changed.insert(room)
    }

    private mutating func apply(_ mark: ReadMark) {
        for list in people[mark.user]?.lists ?? []
        where list.mentions?.state.mark(mark.room, mark.revision) == true { changed(list) }
        guard watch.feeds[mark.room]?.feed.has(mark.user) == true else { return }
        watch.feeds[mark.room]?.feed.mark(mark.user, mark.revision)
        watch.changed.insert(mark.room)
    }

    /// The places that are being read may lack a room, or have one too many.
    private mutating func invalidate(_ user: UserName) {
        switch people[user]?.phase {
        case .loading, .watching: people[user]?.isStale = true
        case .live, nil: break
        }
    }

    // MARK: - Watching

    mutating func beginWatching(_ rooms: some Collection<RoomName>, for user: UserName, _ turn: inout ShardTurn) {
        var new: [RoomName] = []
        for room in rooms { new += watch.add(user, to: room, number: clock) }
        enqueue(new, &turn) { .watch($0, by: settings.index, number: clock) }
    }

    mutating func unwatch(_ rooms: [RoomName], _ turn: inout ShardTurn) {
        let rooms = rooms.flatMap { watch.forget($0) }
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

    private mutating func begin(_ rooms: [RoomName], _ number: UInt64, _ turn: inout ShardTurn) {
        var waiting: Set<UserName> = []
        for room in rooms where watch.rooms[room]?.number == number {
            watch.rooms[room]?.since = clock
            if watch.feeds[room] != nil { watch.changed.insert(room) }
            for user in watch.rooms[room]?.names ?? [] {
                if case .watching = people[user]?.phase { waiting.insert(user) }
            }
        }
        for user in waiting.sorted() { loadWhenWatched(user, &turn) }
    }

    /// The person is not in the room any more, and does not wait for it either.
    mutating func lost(_ room: RoomName, _ user: UserName, _ turn: inout ShardTurn) {
        guard people[user]?.rooms.remove(room) != nil else { return }
        watch.rooms[room]?.names.remove(user)
        if case .watching = people[user]?.phase { loadWhenWatched(user, &turn) }
    }

    /// Forgets a person who has no list any more, and waits for none.
    mutating func forgetIfUnneeded(_ user: UserName, _ turn: inout ShardTurn) {
        guard let person = people[user], person.lists.isEmpty, person.waiting.isEmpty else { return }
        forget(user, &turn)
    }

    mutating func forget(_ user: UserName, _ turn: inout ShardTurn) {
        drop(user, of: people.removeValue(forKey: user)?.rooms ?? [], &turn)
    }

    mutating func drop(_ user: UserName, of rooms: Set<RoomName>, _ turn: inout ShardTurn) {
        var left: [RoomName] = []
        for room in rooms {
            if watch.remove(user, from: room) { left.append(room) }
        }
        unwatch(left.sorted(), &turn)
    }

    // MARK: - Rooms with rows

    /// Reads rooms that are to have rows, or that have changed for a person.
    ///
    /// - Parameter isAwaited: whether a reader waits for them.
    mutating func read(_ rooms: [RoomName], of user: UserName, isAwaited: Bool, _ turn: inout ShardTurn) {
        let new = rooms.filter { watch.feeds[$0]?.feed.has(user) != true }
        for room in new { watch.track(room, for: user, at: clock) }
        // One query for all rooms of a person who waits; otherwise one for all people of a room that has news.
        let isOpening = isAwaited || new.count > Self.fewRooms
        for room in new where !isOpening || watch.rooms[room]?.since == nil {
            watch.feeds[room]?.feed.invalidate(user)
            watch.changed.insert(room)
        }
        let asked = isOpening ? new.filter { watch.rooms[$0]?.since != nil } : []
        if !asked.isEmpty { turn.decision.inboxQueries.append(.rooms(user, asked, number: clock, of: epoch)) }
    }

    private static let fewRooms = 4

    /// Forgets rooms for a person, unless one of their lists needs them.
    mutating func release(_ rooms: some Collection<RoomName>, of user: UserName) {
        guard !rooms.isEmpty else { return }
        let lists = people[user]?.lists ?? []
        for room in rooms where !lists.contains(where: { $0.needs(room) }) {
            watch.dismiss(user, from: room)
        }
    }
}
