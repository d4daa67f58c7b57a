import ChatRoom
import ChatWire

// Changes by other servers that share the rooms.

extension Inboxes {
    /// The times at which people's memberships are read again.
    struct Reviews {
        /// The time of the next turn.
        var next = Duration.zero
        var turn = 0
        /// The people of whom another server has told that something has changed.
        var moved: Set<UserName> = []
        /// The earliest time at which they are looked up.
        var soonest = Duration.zero
    }

    /// Another server has changed these people's memberships or read marks.
    func move(_ users: [UserName]) {
        for user in users where people[user] != nil { reviews.moved.insert(user) }
    }

    /// Reads the places of the rooms of people whose lists are followed, and the memberships in the rooms that have
    /// rows. The people of whom other servers have told come at once, all others now and then, because such news may be
    /// lost.
    func review(_ turn: inout ShardTurn) {
        let now = turn.conditions.now
        if reviews.next <= now { reviewSome(&turn) }
        guard !reviews.moved.isEmpty, reviews.soonest <= now else { return }
        let due = reviews.moved.filter(isReviewable)
        for user in due.sorted() { look(up: user, &turn) }
        reviews.moved.subtract(due)
        if !due.isEmpty { reviews.soonest = now + settings.members.tick }
    }

    /// The time of the next review; `nil` for none.
    var nextReview: Duration? {
        guard settings.isShared, !people.isEmpty else { return nil }
        return reviews.moved.contains(where: isReviewable) ? min(reviews.next, reviews.soonest) : reviews.next
    }

    /// False for a person whose lists have no followers, and for one who is being looked up: they stay until then.
    private func isReviewable(_ user: UserName) -> Bool {
        guard let person = people[user] else { return true }
        guard case .live = person.phase else { return true }
        return person.review == nil
            && person.lists.contains(where: \.isFollowed)
    }

    private func look(up user: UserName, _ turn: inout ShardTurn) {
        guard case .live = people[user]?.phase else {
            people[user]?.isDoubted = true
            return
        }
        people[user]?.review = clock
        ask(about: user, &turn)
        let known = needed(of: user).filter { feeds[$0]?.feed.knows(user) == true }
        if !known.isEmpty {
            turn.decision.inboxQueries.append(.rooms(user, known.sorted(), number: clock, of: epoch))
        }
    }

    /// The rooms that have rows in a person's lists.
    private func needed(of user: UserName) -> Set<RoomName> {
        (people[user]?.lists ?? []).reduce(into: []) { $0.formUnion($1.inbox.needed) }
    }

    /// Reviews the people whose turn it is. With turns, the queries do not come all at once.
    private func reviewSome(_ turn: inout ShardTurn) {
        reviews.next = turn.conditions.now + settings.reviewPause / Self.reviewTurns
        reviews.turn = (reviews.turn + 1) % Self.reviewTurns
        for user in lists.filter(\.isFollowed).map(\.user) {
            let place = user.description.utf8.reduce(0) { $0 + Int($1) } % Self.reviewTurns
            guard place == reviews.turn, case .live = people[user]?.phase, people[user]?.review != clock else {
                continue
            }
            look(up: user, &turn)
        }
    }

    private static let reviewTurns = 10
}
