package import ChatWire

/// A list of what the store keeps of some people: a pure value.
///
/// Changes wait for the tick, as those of an ``Inbox`` do.
package protocol PeopleList: ListState, Sendable {
    /// The stored data of one person.
    associatedtype Value: Equatable & Sendable
    associatedtype Names: Collection<UserName>

    /// - Parameters:
    ///   - tick: the least time between two diffs.
    ///   - tag: makes a row's tag.
    init(epoch: Epoch, tick: Duration, _ limits: WireLimits, tagging tag: @escaping @Sendable (Row) -> UniqueID?)

    /// The people in the list.
    var names: Names { get }
    var count: Int { get }
    /// The parts of the store that have not answered about some of the people.
    var missing: Set<Int> { get set }

    /// The time at which something is to be told; `nil` if there is nothing, or no reader.
    var due: Duration? { get }

    /// Adds people.
    ///
    /// - Returns: those who are new, and those who fell out.
    mutating func request(_ names: [UserName]) -> (new: [UserName], fallen: [UserName])

    /// Something else may be stored of the person.
    mutating func touch(_ name: UserName)

    /// Applies what was touched to the list.
    ///
    /// - Parameters:
    ///   - time: the time of day.
    ///   - value: returns what is stored of a person; `nil` for nothing.
    /// - Returns: the changes; `nil` if there are none.
    mutating func commit(at now: Duration, time: Milliseconds, _ value: (UserName) -> Value?) -> ListDiff<Row>?
}

/// The profiles of the people whom one user has asked for, `me/people`. A user without a profile has no row.
package struct ProfileList: PeopleList {
    package var list: FollowedList<Person>
    /// The most names.
    private let most: Int
    /// The names asked for, each with the number of the request that asked for it last.
    private var requested: [UserName: UInt64] = [:]
    private var requests: UInt64 = 0
    private var touched: Set<UserName> = []
    /// The parts of the store that have not answered about some of the names.
    package var missing: Set<Int> = []

    /// Of more people than ``ChatWire/WireLimits/people``, those asked for longest ago fall out.
    package init(
        epoch: Epoch, tick: Duration, _ limits: WireLimits,
        tagging tag: @escaping @Sendable (Person) -> UniqueID? = { _ in nil }
    ) {
        list = FollowedList(VersionedList(tagging: tag), of: epoch, tick: tick)
        most = limits.people
    }

    package var names: some Collection<UserName> { requested.keys }
    /// The number of names.
    package var count: Int { requested.count }

    /// The time at which something is to be told; `nil` if there is nothing, or no reader.
    package var due: Duration? {
        isFollowed && (!touched.isEmpty || list.rows.missing != shownMissing) ? list.soonest : nil
    }

    private var shownMissing: [Int] { missing.map { $0 + 1 }.sorted() }

    /// Requests the profiles of some people.
    ///
    /// - Returns: the names that are new, and those that fell out.
    /// - Complexity: O(names), and O(*n* log *n*) for all names if some fall out.
    package mutating func request(_ names: [UserName]) -> (new: [UserName], fallen: [UserName]) {
        requests += 1
        let new = names.filter { requested.updateValue(requests, forKey: $0) == nil }
        touched.formUnion(new)
        guard requested.count > most else { return (new, []) }
        let oldest = requested.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(requested.count - most).map(
            \.key)
        for name in oldest { requested[name] = nil }
        touched.formUnion(oldest)
        return (new, oldest)
    }

    /// The person's profile may have changed.
    package mutating func touch(_ name: UserName) {
        if requested[name] != nil { touched.insert(name) }
    }

    /// Applies what was touched to the list.
    ///
    /// - Parameters:
    ///   - time: makes no difference.
    ///   - profile: returns a person's present profile; `nil` for none.
    /// - Returns: the changes; `nil` if there are none.
    package mutating func commit(
        at now: Duration, time: Milliseconds, _ profile: (UserName) -> Profile?
    ) -> ListDiff<Person>? {
        for name in touched.sorted() {
            if requested[name] != nil, let profile = profile(name) {
                show(name, profile)
            } else {
                list.rows.hide(name)
            }
        }
        touched = []
        return list.commit(at: now, missing: shownMissing)
    }

    /// Shows the person in a place that follows from the name, so that another server's row is the same.
    private mutating func show(_ name: UserName, _ profile: Profile) {
        var hash = FNVHash()
        Person.mix(name, into: &hash)
        var row = Person(id: name, sort: UInt64(hash.value) << 16, rev: 0, light: profile)
        row.sort = list.rows[name]?.sort ?? list.rows.freeSort(for: row)
        list.rows.show(row)
    }
}
