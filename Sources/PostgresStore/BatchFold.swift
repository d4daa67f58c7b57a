import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// A batch, folded onto the rows of its rooms in the database: the outcome of each operation, and the rows to write.
struct BatchFold {
    struct Key: Hashable {
        let room: RoomName
        let id: UniqueID
    }

    /// A room's locked row in the table of rooms.
    struct Room {
        let id: Int64
        var revision: Revision
        /// The number of rows in its list.
        var count: Int
        /// The number of messages that ever came into its list: the ordinal of the last one.
        var inserted: Int
        /// See ``ChatRoom/RowChange/activity(after:)``.
        var activity: ActivityStamp
        var configuration: RoomConfiguration
        /// `nil` if they were not counted.
        var sizes: RoomSizes?
        /// Slow mode has ended, so the times of earlier sends are to be forgotten.
        var forgetsSends = false
        var isChanged = false
    }

    struct Person: Hashable {
        let room: RoomName
        let user: UserName
    }

    struct Entry {
        var row: Message
        var reloaded: Revision
        /// True when the database has a row with this key, whatever its content.
        let isStored: Bool
        /// The message's number among all that came into the list. The database keeps its own for a stored row.
        var ordinal = 0
    }

    /// The room, revision and time of a join or an invitation.
    struct Joining {
        let room: Int64
        /// The revision of the join; 0 for an invitation.
        let revision: Revision
        let time: Milliseconds
        /// See ``Schema``.
        let inviter: UserName?
        /// The read mark.
        let read: Revision
    }

    /// A person's rooms, or the threads that they follow. Each has a limit of its own.
    struct Account: Hashable {
        let user: UserName
        let isOfThreads: Bool

        init(_ person: Person) { (user, isOfThreads) = (person.user, person.room.isThread) }
    }

    struct Tombstone {
        let room: Int64
        let row: Message
        let changed: Revision
        let isStored: Bool
    }

    /// A change that members make to their own memberships.
    enum OwnChange {
        /// The read mark goes there, if it may.
        case read(Revision)
        /// The settings from now on, and how far at most the member has read then.
        case settings(RoomSettings, most: Revision)
    }

    /// The values that the read sets of a batch's operations name, as the database has them. A person whom they name has
    /// a value everywhere: one without a value was not looked up.
    struct People {
        var standings: [Person: Standing]
        /// The times of last messages in rooms in slow mode.
        var lastSends: [Person: Milliseconds?]
        var memberships: [Person: Place]
        var counts: [Account: RoomCounts]
        /// The people who follow a new thread from its first reply on, by the threads.
        var firstFollowers: [RoomName: [UserName]] = [:]
    }

    enum Place {
        /// - Parameter isOwn: whether the person has joined or created the room.
        case member(RoomSettings, isOwn: Bool)
        case invited
        case outside

        /// `nil` for an outsider.
        var share: RoomShare? {
            switch self {
            case .member(let settings, let isOwn): RoomShare(isOwn: isOwn, isArchived: settings.isArchived)
            case .invited: .given
            case .outside: nil
            }
        }
    }

    var rooms: [RoomName: Room]
    private var commands: [Key: CommittedOperation]
    private var rows: [Key: Entry]
    private let threads: [RoomName: ThreadSummary]
    var people: People
    let limits: WireLimits
    /// The format in force.
    let format: Int
    var contentForm: ContentColumns.Form { format < Schema.wholeContents ? .apart : .whole }

    private(set) var outcomes: [CommitOutcome] = []
    private(set) var operations: [(room: Int64, operation: CommittedOperation, columns: OperationColumns)] = []
    private(set) var tombstones: [Tombstone] = []
    /// The stored messages whose mentions are to be written anew, or not at all.
    private(set) var unmentioned: [(room: Int64, sort: UInt64)] = []
    private var written: Set<Key> = []
    var changedStandings: Set<Person> = []
    /// The people whose last messages in slow mode have changed.
    var senders: Set<Person> = []
    /// The people who are members or invited from now on; `nil` for those who are neither any more.
    private(set) var changedMembers: [Person: Joining?] = [:]
    /// In their order, for as long as the membership lasts.
    private(set) var ownChanges: [Person: [OwnChange]] = [:]
    private(set) var hasMarks = false

    init(
        rooms: [RoomName: Room], commands: [Key: CommittedOperation], rows: [Key: Entry],
        threads: [RoomName: ThreadSummary], people: People, limits: WireLimits, format: Int
    ) {
        self.rooms = rooms
        self.commands = commands
        self.rows = rows
        self.threads = threads
        self.people = people
        self.limits = limits
        self.format = format
    }

    /// The rows to write, with their rooms.
    var entries: [(room: Int64, entry: Entry)] {
        written.compactMap { key in
            guard let room = rooms[key.room], let entry = rows[key] else { return nil }
            return (room.id, entry)
        }
    }

    /// - Errors: `senseless` for a room whose rows contradict its counts.
    mutating func apply(_ batch: [BatchEntry]) throws(PostgresFailure) {
        outcomes.reserveCapacity(batch.count)
        for entry in batch {
            switch entry {
            case .operation(let entry): outcomes.append(try apply(entry.operation, in: entry.room))
            case .mark(let mark): apply(mark)
            }
        }
    }

    private mutating func apply(_ mark: ReadMark) {
        hasMarks = true
        guard let room = rooms[mark.room] else { return }
        self.mark(Person(room: mark.room, user: mark.user), upTo: min(mark.revision, room.revision))
    }

    private mutating func mark(_ person: Person, upTo revision: Revision) {
        if case .read(let earlier) = ownChanges[person]?.last {
            ownChanges[person]?.removeLast()
            ownChanges[person]?.append(.read(max(earlier, revision)))
        } else {
            ownChanges[person, default: []].append(.read(revision))
        }
    }

    private mutating func apply(
        _ operation: Operation, in name: RoomName
    ) throws(PostgresFailure) -> CommitOutcome {
        let reads = operation.readSet(in: name.kind, isThread: name.isThread)
        if let configuration = rooms[name]?.configuration {
            makePlaces(reads.tables(under: configuration), at: operation.instant, in: name)
        }
        guard var room = rooms[name] else { preconditionFailure("room \(name) was not locked") }
        let key = Key(room: name, id: operation.message ?? operation.command)
        // The room of a thread has no row before its first operation.
        let threadRules = name.parent.map { rooms[$0]?.configuration ?? RoomConfiguration(of: name.kind) }?.inThreads
        var fold = FoldBase(reads, of: threadRules ?? room.configuration)
        let row = fold.loadMessage { rows[Key(room: name, id: $0)]?.row }
        fold.loadThread { threads[name.thread(of: $0)] }
        fold.loadRoot {
            guard let root = name.root, rows[Key(room: name.ruling, id: root)] != nil else { return nil }
            return room.inserted == 0 ? people.firstFollowers[name] ?? [] : []
        }
        fold.loadStandings { standing(of: Person(room: name.ruling, user: $0)) }
        fold.loadMemberships { membership(of: Person(room: name, user: $0)) }
        fold.loadLastSend { lastSend(of: Person(room: name, user: $0)) }
        fold.loadSizes { _ in
            guard let sizes = room.sizes else { preconditionFailure("room \(name) was not counted") }
            return sizes
        }
        let base = CommitBase(
            revision: room.revision, earlier: commands[Key(room: name, id: operation.command)], fold: fold)
        let outcome = operation.outcome(
            onto: base, limits: limits, if: { operation.format(about: row, in: name) <= format })
        if case .committed(let next, let change) = outcome {
            room.sizes? += fold.growth(by: change)
            try write(change, of: operation, about: row, at: next, key, to: &room)
        }
        return outcome
    }

    private mutating func write(
        _ change: RowChange, of operation: Operation, about row: Message?, at next: Revision, _ key: Key,
        to room: inout Room
    ) throws(PostgresFailure) {
        let name = key.room
        room.revision = next
        room.isChanged = true
        room.count += apply(change, at: next, key, room)
        guard room.count >= 0 else { throw .senseless(column: "count", room: name) }
        if case .inserted = change { room.inserted += 1 }
        room.activity = change.activity(after: room.activity)
        apply(change, to: &room, named: name)
        apply(change, of: operation, at: next, in: room, named: name)
        rooms[name] = room
        let committed = CommittedOperation(
            revision: next, operation: operation.whole(about: row, change), change: change)
        commands[Key(room: name, id: operation.command)] = committed
        operations.append((room.id, committed, OperationColumns(committed, about: row, as: contentForm)))
    }

    func standing(of person: Person) -> Standing {
        guard let standing = people.standings[person] else {
            preconditionFailure("the standing of \(person) was not looked up")
        }
        return standing
    }

    func lastSend(of person: Person) -> Milliseconds? {
        guard let time = people.lastSends[person] else {
            preconditionFailure("the last message of \(person) was not looked up")
        }
        return time
    }

    private func membership(of person: Person) -> Membership {
        switch (people.memberships[person], people.counts[Account(person)]) {
        case (.member(let settings, _)?, _): .member(settings)
        case (.invited?, let counts?): .invited(counts)
        case (.outside?, let counts?): .guest(counts)
        case (nil, _), (_, nil): preconditionFailure("the membership of \(person) was not looked up")
        }
    }

    private mutating func apply(
        _ change: RowChange, of operation: Operation, at revision: Revision, in room: Room, named name: RoomName
    ) {
        for (user, kind) in change.comers {
            let person = Person(room: name, user: user)
            let isOwn = name.isThread || name.kind != .direct || user == operation.author
            move(person, to: kind == .member ? .member(RoomSettings(), isOwn: isOwn) : .invited)
            ownChanges[person] = nil
            changedMembers[person] = Joining(
                room: room.id, revision: kind == .member ? revision : 0, time: operation.instant,
                inviter: format < 17 ? nil : operation.inviter(to: kind),
                read: kind == .member ? change.read(at: revision) : 0)
        }
        if let user = change.leaver {
            let person = Person(room: name, user: user)
            move(person, to: .outside)
            changedMembers[person] = .some(nil)
            ownChanges[person] = nil
        }
        if let (user, revision) = change.mark { mark(Person(room: name, user: user), upTo: revision) }
        if case .settings(let user, let settings, let unreadFrom) = change {
            let person = Person(room: name, user: user)
            if case .member(_, let isOwn) = people.memberships[person] {
                move(person, to: .member(settings, isOwn: isOwn))
            }
            var most = unreadFrom.map { max($0, 1) - 1 } ?? .max
            if case .settings(_, let earlier) = ownChanges[person]?.last {
                ownChanges[person]?.removeLast()
                most = min(most, earlier)
            }
            ownChanges[person, default: []].append(.settings(settings, most: most))
        }
    }

    private mutating func move(_ person: Person, to place: Place) {
        let before = people.memberships.updateValue(place, forKey: person)
        if let share = before?.share { people.counts[Account(person)]? -= share }
        if let share = place.share { people.counts[Account(person)]? += share }
    }

    private mutating func apply(_ change: RowChange, to room: inout Room, named name: RoomName) {
        room.configuration.apply(change)
        switch change {
        case .inserted(let row, let instant, _):
            guard room.configuration.slowMode > 0 else { break }
            let sender = Person(room: name, user: row.author)
            people.lastSends[sender] = instant
            senders.insert(sender)
        case .ruled(.slowMode(0)):
            room.forgetsSends = true
            for person in people.lastSends.keys where person.room == name { people.lastSends[person] = .some(nil) }
        case .ruled, .reloaded, .reconfigured, .deleted, .joined, .left, .settings, .affiliated, .created,
            .nothing:
            break
        }
        for (user, standing) in change.standings {
            let person = Person(room: name, user: user)
            people.standings[person] = standing
            changedStandings.insert(person)
        }
    }

    private mutating func unmention(_ entry: Entry?, in room: Room) {
        // A damaged row does not say whom it mentions.
        guard let entry, entry.isStored, entry.row.isDamaged || !entry.row.mentions.isEmpty else { return }
        unmentioned.append((room.id, entry.row.sort))
    }

    /// Applies a change, and returns the number of rows that the list gains.
    private mutating func apply(_ change: RowChange, at revision: Revision, _ key: Key, _ room: Room) -> Int {
        switch change {
        case .inserted(let row, _, _):
            rows[key] = Entry(row: row, reloaded: revision, isStored: false, ordinal: room.inserted + 1)
        case .reloaded(let row):
            unmention(rows[key], in: room)
            rows[key]?.row = row
            rows[key]?.reloaded = revision
        case .reconfigured(let row):
            rows[key]?.row = row
        case .deleted(let id, _):
            guard let old = rows.removeValue(forKey: key) else { preconditionFailure("deleted \(id), not there") }
            written.remove(key)
            unmention(old, in: room)
            tombstones.append(Tombstone(room: room.id, row: old.row, changed: revision, isStored: old.isStored))
            return -1
        case .ruled, .joined, .left, .settings, .affiliated, .created, .nothing:
            return 0
        }
        written.insert(key)
        if case .inserted = change { return 1 }
        return 0
    }
}
