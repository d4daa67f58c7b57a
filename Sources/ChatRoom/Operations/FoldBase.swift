package import ChatWire

/// The part of a room onto which one operation is folded: its configuration, and what the operation's ``ReadSet`` names.
///
/// A store loads each part of the read set. Nothing stands for what was not loaded: to fold without it, or to read what
/// the operation did not declare, is a fault of this program and traps. "There is none" is a value that was loaded.
///
/// - Complexity: an access is O(people of the read set), of whom most operations have one.
package struct FoldBase: Sendable {
    package let configuration: RoomConfiguration
    private let reads: ReadSet
    private var message: Loaded<Message?> = .missing
    private var thread: Loaded<ThreadSummary?> = .missing
    private var root: Loaded<[UserName]?> = .missing
    private var standings: [(user: UserName, standing: Standing)] = []
    private var memberships: [(user: UserName, membership: Membership)] = []
    private var lastSend: Loaded<Milliseconds?> = .missing
    private var sizes: Loaded<RoomSizes> = .missing

    private enum Loaded<Value: Sendable>: Sendable {
        case missing
        case value(Value)
    }

    /// Nothing is loaded yet.
    package init(_ reads: ReadSet, of configuration: RoomConfiguration) {
        self.reads = reads
        self.configuration = configuration
        if reads.message == nil { message = .value(nil) }
        if reads.thread == nil { thread = .value(nil) }
        if !reads.needsRoot { root = .value([]) }
        // Only a room in slow mode keeps the times of sends. A damaged file may hold a negative interval.
        if reads.sender == nil || configuration.slowMode <= 0 { lastSend = .value(nil) }
        if tables.isEmpty { sizes = .value(RoomSizes()) }
    }

    private var tables: [PeopleTable] { reads.tables(under: configuration) }

    // MARK: - Loading

    /// - Parameter find: returns a message as it stands; `nil` if there is none.
    package mutating func loadMessage<Failure>(
        _ find: (MessageID) throws(Failure) -> Message?
    ) throws(Failure) -> Message? {
        guard let id = reads.message else { return nil }
        let row = try find(id)
        message = .value(row)
        return row
    }

    /// - Parameter find: returns the summary of a message's thread; `nil` if there are no replies.
    package mutating func loadThread<Failure>(
        _ find: (MessageID) throws(Failure) -> ThreadSummary?
    ) throws(Failure) {
        if let id = reads.thread { thread = .value(try find(id)) }
    }

    /// It must come before ``loadMemberships(_:)``.
    ///
    /// - Parameter find: returns the people who follow the thread from its first reply on: the author of its root, and in a
    ///   direct room all its people; none if there are replies already; `nil` if the root is not in the room.
    package mutating func loadRoot<Failure>(_ find: () throws(Failure) -> [UserName]?) throws(Failure) {
        if reads.needsRoot { root = .value(try find()) }
    }

    package mutating func loadStandings<Failure>(
        _ find: (UserName) throws(Failure) -> Standing
    ) throws(Failure) {
        for user in reads.standings { standings.append((user, try find(user))) }
    }

    package mutating func loadMemberships<Failure>(
        _ find: (UserName) throws(Failure) -> Membership
    ) throws(Failure) {
        for user in declaredMembers { memberships.append((user, try find(user))) }
    }

    /// - Parameter find: returns the time of a person's last message in slow mode; `nil` if there is none.
    package mutating func loadLastSend<Failure>(
        _ find: (UserName) throws(Failure) -> Milliseconds?
    ) throws(Failure) {
        guard let sender = reads.sender, configuration.slowMode > 0 else { return }
        lastSend = .value(try find(sender))
    }

    /// - Parameter find: returns the sizes of the room's tables. If one of these is full, its stale rows are removed first.
    package mutating func loadSizes<Failure>(
        _ find: ([PeopleTable]) throws(Failure) -> RoomSizes
    ) throws(Failure) {
        if !tables.isEmpty { sizes = .value(try find(tables)) }
    }

    func requireLoaded() {
        guard case .value = message, case .value = thread, case .value = root, case .value = lastSend,
            case .value = sizes,
            standings.count == reads.standings.count,
            memberships.count == declaredMembers.count
        else { preconditionFailure("not everything was loaded: \(self)") }
    }

    // MARK: - Reading

    var kind: RoomName.Kind { configuration.kind }
    var isThread: Bool { configuration.isOfThread }

    /// True if the message that the thread answers is in its room.
    var isRooted: Bool { firstFollowers != nil }

    /// See ``loadRoot(_:)``.
    var firstFollowers: [UserName]? {
        guard case .value(let followers) = root else { preconditionFailure("the root was not declared: \(self)") }
        return followers
    }

    private var declaredMembers: [UserName] {
        guard let first = firstFollowers, !first.isEmpty else { return reads.memberships }
        return reads.memberships + first.filter { !reads.memberships.contains($0) }
    }

    /// The summary of a thread, for the row of its root; `nil` if there are no replies.
    func thread(of id: MessageID) -> ThreadSummary? {
        guard reads.thread == id, case .value(let summary) = thread else {
            preconditionFailure("the thread of \(id) was not declared: \(self)")
        }
        return summary
    }

    /// The message of the operation; `nil` if there is none.
    func row(_ id: MessageID) -> Message? {
        guard reads.message == id, case .value(let row) = message else {
            preconditionFailure("message \(id) was not declared: \(self)")
        }
        return row
    }

    func standing(of user: UserName) -> Standing {
        guard let found = standings.first(where: { $0.user == user }) else {
            preconditionFailure("the standing of \(user) was not declared: \(self)")
        }
        return found.standing
    }

    func membership(of user: UserName) -> Membership {
        guard let found = memberships.first(where: { $0.user == user }) else {
            preconditionFailure("the membership of \(user) was not declared: \(self)")
        }
        return found.membership
    }

    /// Returns whether the operation may change a user's membership.
    func declaresMembership(of user: UserName) -> Bool { declaredMembers.contains(user) }

    /// Returns the sizes of the room's tables, one of which the operation may enlarge.
    func sizes(of table: PeopleTable) -> RoomSizes {
        guard tables.contains(table), case .value(let sizes) = sizes else {
            preconditionFailure("the size of \(table) was not declared: \(self)")
        }
        return sizes
    }

    /// The time of a person's last message in slow mode; `nil` if there is none.
    func lastSend(of user: UserName) -> Milliseconds? {
        guard reads.sender == user, case .value(let time) = lastSend else {
            preconditionFailure("the last message of \(user) was not declared: \(self)")
        }
        return time
    }
}
