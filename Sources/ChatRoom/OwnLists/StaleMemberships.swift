import ChatWire

/// The people of one room whose memberships must be read again, and the query that reads some of them.
///
/// At most one query is under way. A membership that becomes stale meanwhile waits for the next one.
struct StaleMemberships: Sendable {
    /// A query for memberships.
    struct Query: Sendable {
        /// The revision that the store was said to have reached when the query began.
        let announced: Revision
        /// Its people who have not left and come since.
        fileprivate(set) var people: Set<UserName>
    }

    private var users: Set<UserName> = []
    /// True when everybody's membership is stale.
    private var areAll = false
    private var query: Query?

    var isQueried: Bool { query != nil }

    func contains(_ user: UserName) -> Bool { areAll || users.contains(user) }

    /// Returns whether the answer to the query under way is awaited for the person.
    func isAwaited(_ user: UserName) -> Bool { query?.people.contains(user) == true }

    mutating func insert(_ user: UserName) {
        users.insert(user)
    }

    mutating func insertAll() {
        areAll = true
    }

    /// The person has left and come. The answer to the query under way may be about the membership of before.
    mutating func disregardAnswer(about user: UserName) {
        query?.people.remove(user)
    }

    /// Begins a query for those of the room's people whose memberships are stale.
    ///
    /// - Returns: the people, in order; `nil` if there are none.
    mutating func beginQuery(among members: some Collection<UserName>, announced: Revision) -> [UserName]? {
        let people = areAll ? members.sorted() : users.filter { members.contains($0) }.sorted()
        (users, areAll) = ([], false)
        guard !people.isEmpty else { return nil }
        query = Query(announced: announced, people: Set(people))
        return people
    }

    /// Ends the query under way, and returns it.
    mutating func endQuery() -> Query {
        defer { query = nil }
        return query ?? Query(announced: 0, people: [])
    }
}
