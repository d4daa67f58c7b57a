import ChatRoom
import ChatWire

// Changes by other servers that share the rooms.

extension Inboxes {
    /// The times at which people's memberships are read again.
    struct Reviews {
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

    /// Another server has changed these people's memberships or read marks.
    func move(_ users: [UserName]) {
        for user in users where people[user] != nil { reviews.moved.insert(user) }
    }

    /// Reads the places of the rooms of people whose lists are followed, and the memberships in the rooms that have
    /// rows. The people of whom other servers have sent news come at once, others when such news may be lost.
    func review(_ turn: inout ShardTurn) {
        let now = turn.conditions.now
        if reviews.next <= now, isReviewing { reviewSome(&turn) }
        guard !reviews.moved.isEmpty, reviews.soonest <= now else { return }
        let due = reviews.moved.filter(isReviewable)
        for user in due.sorted() { look(up: user, &turn) }
        reviews.moved.subtract(due)
        if !due.isEmpty { reviews.soonest = now + settings.members.tick }
    }

    /// The time of the next review; `nil` for none.
    var nextReview: Duration? {
        guard settings.isShared, !people.isEmpty else { return nil }
        let next = isReviewing ? reviews.next : nil
        guard reviews.moved.contains(where: isReviewable) else { return next }
        return min(next ?? reviews.soonest, reviews.soonest)
    }

    private var isReviewing: Bool {
        switch settings.reviews {
        case .always: true
        case .afterLosses: reviews.due.contains(where: isReviewable)
        }
    }

    /// Reviews all people, because news of them may be lost.
    func reviewAll() {
        reviews.due.formUnion(people.keys)
    }

    /// Reviews a person again, because the store has answered only in part, or not at all.
    func reviewLater(_ user: UserName) {
        if settings.reviews == .afterLosses, people[user] != nil { reviews.due.insert(user) }
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
        switch settings.reviews {
        case .always:
            for user in lists.filter(\.isFollowed).map(\.user) where hasTurn(user) {
                if case .live = people[user]?.phase, people[user]?.review != clock { look(up: user, &turn) }
            }
        case .afterLosses:
            let due = reviews.due.filter { hasTurn($0) && isReviewable($0) }
            reviews.due.subtract(due)
            for user in due.sorted() where people[user] != nil { look(up: user, &turn) }
        }
    }

    private func hasTurn(_ user: UserName) -> Bool {
        user.description.utf8.reduce(0) { $0 + Int($1) } % Self.reviewTurns == reviews.turn
    }

    private static let reviewTurns = 10
}
