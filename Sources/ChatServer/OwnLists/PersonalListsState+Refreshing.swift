import ChatRoom
import ChatWire

// Changes by other servers that share the rooms.

extension PersonalListsState {
    /// The times at which people's memberships are read again.
    struct RefreshSchedule {
        /// The time of the next turn.
        var next = Duration.zero
        var turn = 0
        /// The people of whom news may be lost, or whom the store did not answer in full. They have their turns.
        var due: Set<UserName> = []
        /// The people of whom another server has told that something has changed.
        var moved: Set<UserName> = []
        /// The earliest time at which those are looked up.
        var soonest = Duration.zero
    }

    /// Another server has changed these people's memberships or read marks, or their blocks.
    mutating func move(_ users: [UserName]) {
        for user in users where people[user] != nil { refreshes.moved.insert(user) }
    }

    /// Reads the places of the rooms of people whose lists are followed, and the memberships in the rooms that have
    /// rows. The people of whom other servers have sent news come at once, others when such news may be lost.
    mutating func refresh(_ turn: inout ShardTurn) {
        let now = turn.conditions.now
        if settings.isShared, refreshes.next <= now, isRefreshing { refreshSome(&turn) }
        guard !refreshes.moved.isEmpty, refreshes.soonest <= now else { return }
        let due = refreshes.moved.filter { isRefreshable($0) }
        for user in due.sorted() { reload(user, &turn) }
        refreshes.moved.subtract(due)
        if !due.isEmpty { refreshes.soonest = now + settings.members.tick }
    }

    /// The time of the next refresh; `nil` for none.
    var nextRefresh: Duration? {
        guard !people.isEmpty else { return nil }
        let next = settings.isShared && isRefreshing ? refreshes.next : nil
        guard refreshes.moved.contains(where: { isRefreshable($0) }) else { return next }
        return min(next ?? refreshes.soonest, refreshes.soonest)
    }

    private var isRefreshing: Bool {
        switch settings.refreshes {
        case .always: true
        case .afterLosses: refreshes.due.contains(where: { isRefreshable($0) })
        }
    }

    /// Refreshes all people, because news of them may be lost.
    mutating func refreshAll() {
        refreshes.due.formUnion(people.keys)
    }

    /// Refreshes a person again, because the store has answered only in part, or not at all.
    mutating func refreshLater(_ user: UserName) {
        guard people[user] != nil else { return }
        // A single server knows of all changes, so it reads people again only where a change of theirs needs that.
        if !settings.isShared { refreshes.moved.insert(user) }
        if settings.refreshes == .afterLosses { refreshes.due.insert(user) }
    }

    /// False for a person whose lists have no followers, and for one who is being looked up: they stay until then.
    private func isRefreshable(_ user: UserName) -> Bool {
        guard let person = people[user] else { return true }
        guard case .live = person.phase else { return true }
        return person.refresh == nil
            && person.lists.contains(where: \.isFollowed)
    }

    private mutating func reload(_ user: UserName, _ turn: inout ShardTurn) {
        guard case .live = people[user]?.phase else {
            people[user]?.isStale = true
            return
        }
        people[user]?.refresh = clock
        loadPlaces(about: user, &turn)
        let known = needed(of: user).filter { watch.feeds[$0]?.feed.knows(user) == true }
        if !known.isEmpty {
            turn.decision.inboxQueries.append(.rooms(user, known.sorted(), number: clock, of: epoch))
        }
    }

    /// The rooms that have rows in a person's lists.
    private func needed(of user: UserName) -> Set<RoomName> {
        (people[user]?.lists ?? []).reduce(into: []) { $0.formUnion($1.needed) }
    }

    /// Refreshes the people whose turn it is. With turns, the queries do not come all at once.
    private mutating func refreshSome(_ turn: inout ShardTurn) {
        refreshes.next = turn.conditions.now + settings.refreshInterval / Self.refreshTurns
        refreshes.turn = (refreshes.turn + 1) % Self.refreshTurns
        switch settings.refreshes {
        case .always:
            for user in lists.filter(\.isFollowed).map(\.user) where hasTurn(user) {
                if case .live = people[user]?.phase, people[user]?.refresh != clock { reload(user, &turn) }
            }
        case .afterLosses:
            let due = refreshes.due.filter { hasTurn($0) && isRefreshable($0) }
            refreshes.due.subtract(due)
            for user in due.sorted() where people[user] != nil { reload(user, &turn) }
        }
    }

    private func hasTurn(_ user: UserName) -> Bool {
        user.description.utf8.reduce(0) { $0 + Int($1) } % Self.refreshTurns == refreshes.turn
    }

    private static let refreshTurns = 10
}
