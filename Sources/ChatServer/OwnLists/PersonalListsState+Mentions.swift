import ChatRoom
import ChatWire
import RoomStore

// The lists of the messages that mention people.

extension PersonalListsState {
    /// Brings a reader to the list, or lets it wait until the list was read.
    ///
    /// - Parameter isRead: whether the list was read since the reader came.
    mutating func serveMentions(_ waiting: Waiting, _ list: PersonalList, isRead: Bool = false, _ turn: inout ShardTurn)
    {
        if list.mentions == nil { list.mentions = openMentions(list) }
        guard isRead || list.mentions?.state.isReady == true else {
            people[list.user]?.waiting.append(waiting)
            list.mentions?.state.isAwaited = true
            changed(list)
            return
        }
        // The first reader gets all changes. A further one gets the state that the others hold.
        if list.mentions?.state.isFollowed == false { _ = list.mentions?.state.commit(at: turn.conditions.now) }
        readers[waiting.seat] = list
        list.mentions?.subscribe(waiting.reader, ref: waiting.request?.ref, waiting.resume, &turn.decision)
        changed(list)
    }

    /// Lets those of a person's lists rest that have no followers and no waiting readers any more.
    mutating func restUnawaited(of user: UserName, _ turn: inout ShardTurn) {
        for list in people[user]?.lists ?? [] where !list.isFollowed && list.rest == nil {
            let isAwaited = people[user]?.waiting.contains { $0.grants == list.key.grants } ?? false
            if !isAwaited { rest(list, &turn) }
        }
    }

    private func openMentions(_ list: PersonalList) -> PublishedList<MentionList> {
        var mentions = MentionList(epoch: topics.nextEpoch(), tick: settings.members.tick, tagging: \.contentTag)
        for room in list.places {
            _ = mentions.update(
                at: room, in: list.section(of: room), mentions: unreadMentions(in: room, list.key))
        }
        mentions.missing = people[list.user]?.missing ?? []
        return PublishedList(
            mentions, of: .person(list.key, .mentions), loops: settings.loops, topics: topics, caching: space)
    }

    /// The number of unread mentions; `nil` if it is not known.
    private func unreadMentions(in room: RoomName, _ key: PersonalList.Key) -> UInt64? {
        watch.feeds[room]?.feed.entry(of: key.user, granted: key.grants.role(in: room))?.light.mentions
    }

    // MARK: - What may have changed

    mutating func updateMentions(at room: RoomName, _ list: PersonalList) {
        guard list.mentions != nil else { return }
        _ = list.mentions?.state.update(
            at: room, in: list.section(of: room), mentions: unreadMentions(in: room, list.key))
    }

    /// Applies a change of a room.
    ///
    /// - Complexity: O(names) for a message, but O(people of the room) for one that mentions everybody, an edit or a
    ///   deletion.
    mutating func applyMentions(of change: RowChange, in room: RoomName) {
        for user in people(concernedBy: change, in: room) {
            for list in people[user]?.lists ?? []
            where list.mentions?.state.apply(change, in: room, for: user) == true { changed(list) }
        }
    }

    private func people(concernedBy change: RowChange, in room: RoomName) -> [UserName] {
        switch change {
        case .inserted(let row, _, _) where !row.mentions.everyone: row.mentions.people + [row.author]
        case .inserted, .reloaded, .deleted: watch.rooms[room]?.names.sorted() ?? []
        case .settings(let user, _, _?): [user]
        case .joined, .affiliated, .created: change.comers.map(\.user)
        case .reconfigured, .ruled, .left, .settings, .nothing: []
        }
    }

    /// A room has changed in an unknown way. Changes by other servers are read with the next refresh.
    mutating func invalidateMentions(in room: RoomName) {
        for user in watch.rooms[room]?.names.sorted() ?? [] {
            for list in people[user]?.lists ?? [] where list.mentions?.state.mayConcern(room) == true {
                // Changes by other servers are read with the next refresh.
                guard !settings.isShared else {
                    refreshLater(user)
                    continue
                }
                list.mentions?.state.invalidate()
                changed(list)
            }
        }
    }

    mutating func invalidateMentions(of user: UserName) {
        for list in people[user]?.lists ?? [] where list.mentions != nil {
            list.mentions?.state.invalidate()
            changed(list)
        }
    }

    // MARK: - The store

    /// Requests what is in doubt from the store, and emits the diffs that are due.
    mutating func publishMentions(_ list: PersonalList, _ turn: inout ShardTurn) {
        let now = turn.conditions.now
        guard let due = list.mentions?.state.due, due <= now else { return }
        if let rooms = list.mentions?.state.question(at: now) {
            turn.decision.inboxQueries.append(.mentions(list.user, in: rooms, list: list.number, of: epoch))
        }
        guard list.mentions?.state.isFollowed == true, let diff = list.mentions?.state.commit(at: now) else { return }
        turn.decision.events.append(.publishedInbox)
        list.mentions?.publish(diff, &turn.decision)
    }

    mutating func handle(
        _ result: Result<PartialReading<[MentionReading]>?, WireError>, of user: UserName, list number: UInt64,
        _ turn: inout ShardTurn
    ) {
        guard let list = people[user]?.lists.first(where: { $0.number == number && $0.mentions != nil }) else {
            // It was closed meanwhile. Readers that wait for it get another one.
            if case .live = people[user]?.phase { serve(user, &turn) }
            return
        }
        let reading = (try? result.get()) ?? nil
        if let reading, !reading.missing.isEmpty {
            note(missing: reading.missing.union(people[user]?.missing ?? []), of: user)
        }
        let (missing, partition) = (reading?.missing ?? [], settings.partition)
        list.mentions?.state.apply(reading?.rows, at: turn.conditions.now, pause: Self.pause) { room in
            missing.contains(partition.part(of: room))
        }
        measure(list)
        changed(list)
        guard case .success(nil) = result else { return answerWaiting(list, result.error, &turn) }
        // The store is at another epoch, and says so soon.
    }

    private mutating func answerWaiting(_ list: PersonalList, _ error: WireError?, _ turn: inout ShardTurn) {
        func isOurs(_ waiting: Waiting) -> Bool { waiting.list == .mentions && waiting.grants == list.key.grants }
        let waiting = people[list.user]?.waiting.filter(isOurs) ?? []
        people[list.user]?.waiting.removeAll(where: isOurs)
        list.mentions?.state.isAwaited = false
        for one in waiting {
            if let error {
                refuse(one, error, &turn)
            } else {
                wake(list)
                serveMentions(one, list, isRead: true, &turn)
            }
        }
        restUnawaited(of: list.user, &turn)
    }

    // MARK: - Older ones

    func loadPage(
        of seat: Seat, _ user: UserName, before: MentionPlace, ref: UInt64, limit: Int, _ turn: inout ShardTurn
    ) {
        guard let list = list(of: seat) else {
            return turn.decision.answer(seat.reader, .error(ref: ref, .notSubscribed(.myMentions)))
        }
        let query = MentionsQuery(
            user: user, rooms: list.places.filter { !isMissing($0, of: user) }, reader: seat.reader, ref: ref,
            before: before, limit: limit, epoch: epoch)
        turn.decision.inboxQueries.append(.mentionsPage(query))
    }

    /// Answers with those messages that the reader's list may show by now: a fresh token may grant less than the one before.
    mutating func handle(
        _ result: Result<[MentionReading]?, WireError>, to query: MentionsQuery, _ turn: inout ShardTurn
    ) {
        let list = list(of: Seat(reader: query.reader, list: .mentions))
        let answer: ServerFrame
        switch result {
        case .success(let readings):
            if let readings, let list, query.epoch == epoch {
                answer = .page(ref: query.ref, .myMentions, list.epoch, list.page(of: readings, limit: query.limit))
            } else {
                answer = .error(ref: query.ref, .overtaken(.myMentions))
            }
        case .failure(let error): answer = .error(ref: query.ref, error)
        }
        turn.decision.answer(query.reader, answer)
    }

    /// The list that a reader follows; `nil` while it waits for one.
    private func list(of seat: Seat) -> MentionList? {
        readers[seat]?.mentions?.state
    }
}

extension Result {
    fileprivate var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
