import ChatRoom
import ChatWire
import RoomStore

/// Commits batches of its part of the rooms over a connection of its own. It is confined to its owner.
final class StoreWriter {
    private let lane: CommitLane
    private let limits: WireLimits
    /// The latest format that this server knows.
    private let knows: Int
    /// Rooms that are probably in the table of rooms.
    private var known: Set<RoomName> = []

    private static let mostKnown = 65_536

    init(_ lane: CommitLane, limits: WireLimits, knows: Int) {
        (self.lane, self.limits, self.knows) = (lane, limits, knows)
    }

    /// Folds the batch and makes it durable: two round trips, one transaction.
    ///
    /// The rooms are locked in the order of their names, so that two servers never wait for each other. Repeated
    /// commands and the format in force are looked up under the locks. So a server never folds onto operations of a
    /// format that it does not know, and never writes one that another server does not know.
    ///
    /// A repeated command is answered only once it is durable: its first commit may have been cut off before that.
    ///
    /// - Errors: `outgrown`; after `lost` and `late` the batch may have been committed.
    func commit(
        _ batch: [BatchEntry], until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> CommittedWork {
        try lane.run(until: end) { (connection) throws(PostgresFailure) in
            let operations = batch.compactMap(\.operation)
            let names = Set(operations.map(\.room))
            let all = Set(batch.map(\.room)).union(names.compactMap(\.parent))
            let answers = try begin(operations, names, locking: all, over: connection, until: CommitLane.limit(end))
            let line = try StoreLine(answers.line, knows: knows)
            try lane.history.apply(line, from: connection.origin)
            guard let count = try answers.witness.rows.first?.integer(0) else {
                throw .senseless(column: "count", room: nil)
            }
            try lane.history.check(count, of: lane.number)
            let batch = line.format < Schema.storeTime ? batch.map(\.byTimeOfDay) : batch
            var (rooms, people) = (try rooms(answers), try people(answers))
            try require(names, in: rooms)
            let demand = PlaceDemand(of: batch.compactMap(\.operation), in: rooms, limits)
            try demand.load(in: &rooms, &people, over: connection, until: CommitLane.limit(end))
            let rows = try rows(answers.messages)
            try loadFirstFollowers(batch, rooms, rows, &people, over: connection, until: CommitLane.limit(end))
            var fold = BatchFold(
                rooms: rooms, commands: try commands(answers.commands), rows: rows,
                threads: try threads(answers.lastReplies), people: people,
                limits: limits, format: line.format)
            try fold.apply(batch)
            try self.end(fold, over: connection, until: CommitLane.limit(end))
            remember(fold)
            guard fold.isAnswered || fold.hasMarks else {
                return CommittedWork(outcomes: fold.outcomes, epoch: line.epoch, count: nil)
            }
            lane.history.acknowledged(count, of: lane.number)
            return CommittedWork(
                outcomes: fold.outcomes, epoch: line.epoch, count: LaneCount(lane: lane.number, count: count))
        }
    }

    /// See ``RoomStore/write(_:)``. The people are locked, so that two servers never write what the other has outdated.
    ///
    /// A change that was written before is answered only once that is durable, too.
    ///
    /// - Errors: as of ``commit(_:until:)``.
    func write(
        _ changes: [ProfileChange], until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> (written: Set<UserName>, count: LaneCount) {
        let names = Set(changes.map(\.user.description))
        return try rewrite(names, reading: [.run(.profiles, .texts(Array(names)))], until: end) {
            (answers) throws(PostgresFailure) in
            let written = changes.applied(to: try answers[0].profiles)
            let entries = Array(written)
            let put = Connection.Step.run(
                .putProfiles, .texts(entries.map(\.key.description)),
                .texts(entries.map(\.value.profile.name?.description)),
                .texts(entries.map(\.value.profile.picture?.description)), .integers(entries.map(\.value.second)))
            return ([put], Set(written.keys))
        }
    }

    /// See ``RoomStore/write(_:keeping:)``. The people are locked, as for their profiles.
    func write(
        _ changes: [DraftChange], keeping most: Int, until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> LaneCount {
        let names = Set(changes.map(\.user.description))
        let (kept, gone) = (changes.last.filter { $0.content != nil }, changes.last.filter { $0.content == nil })
        let writes: [Connection.Step] = [
            .run(
                .removeDrafts, .texts(gone.map(\.user.description)), .texts(gone.map(\.room.description))),
            .run(
                .putDrafts, .texts(kept.map(\.user.description)), .texts(kept.map(\.room.description)),
                .integers(kept.map(\.time)), .texts(kept.map { $0.content?.stored })),
            .run(.removeOldDrafts, .texts(Array(names)), .integer(Int64(most))),
        ]
        return try rewrite(names, reading: [], until: end) { _ in (writes, ()) }.count
    }

    /// See ``RoomStore/write(_:most:)``. The people are locked, as for their profiles.
    func write(
        _ changes: [LaterChange], most: Int, until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> (outcomes: [Result<StoredLater, LaterRefusal>], count: LaneCount) {
        let names = Set(changes.map(\.user.description))
        let (outcomes, count) = try rewrite(names, reading: [.run(.later, .texts(Array(names)))], until: end) {
            (answers) throws(PostgresFailure) in
            let (outcomes, people) = changes.applied(to: try answers[0].laterOfPeople, most: most)
            let changed = people.flatMap { user, items in items.changed.map { (user, $0, items.items[$0]) } }
            let kept = changed.compactMap { user, _, item in item.map { (user: user, item: $0) } }
            let gone = changed.filter { $0.2 == nil }
            let writes: [Connection.Step] = [
                .run(.removeLater, .texts(gone.map(\.0.description)), .ids(gone.map(\.1))),
                .run(
                    .putLater, .texts(kept.map(\.user.description)), .ids(kept.map(\.item.id)),
                    .integers(kept.map(\.item.due)), .integers(kept.map(\.item.held)),
                    .integers(kept.map { Int64($0.item.role.rawValue) }), .texts(kept.map(\.item.light.stored))),
            ]
            return (writes, outcomes)
        }
        return (outcomes, count)
    }

    /// See ``RoomStore/write(_:most:)-([BlockChange],_)``. The people are locked, as for their profiles.
    func write(
        _ changes: [BlockChange], most: Int, until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> (accepted: [Bool], count: LaneCount) {
        let names = Set(changes.map(\.user.description))
        let (accepted, count) = try rewrite(names, reading: [.run(.blocks, .texts(Array(names)))], until: end) {
            (answers) throws(PostgresFailure) in
            let (accepted, changes) = changes.applied(to: try answers[0].blocksOfPeople, most: most)
            let writes = changes.map { change -> Connection.Step in
                let (user, block) = (Parameter.text(change.user.description), change.block)
                return change.isOn
                    ? .run(
                        .putBlock, user, .text(block.user.description), .text(block.room.description),
                        .integer(block.time))
                    : .run(.removeBlock, user, .text(block.user.description))
            }
            return (writes, accepted)
        }
        return (accepted, count)
    }

    /// Writes what is kept of people, after reading something of it.
    private func rewrite<Written>(
        _ people: Set<String>, reading reads: [Connection.Step], until end: ContinuousClock.Instant,
        _ body: ([Answer]) throws(PostgresFailure) -> ([Connection.Step], Written)
    ) throws(PostgresFailure) -> (written: Written, count: LaneCount) {
        try lane.run(until: end) { (connection) throws(PostgresFailure) in
            let answers = try connection.run(
                [.run("BEGIN")] + lock(people) + [.run(.line), .run(.witness, lane.witness)] + reads,
                until: CommitLane.limit(end))
            try lane.history.apply(StoreLine(answers[2], knows: knows), from: connection.origin)
            guard let count = try answers[3].rows.first?.integer(0) else {
                throw .senseless(column: "count", room: nil)
            }
            try lane.history.check(count, of: lane.number)
            let (writes, written) = try body(Array(answers.dropFirst(4)))
            try connection.runDurably(writes + [.run("COMMIT")], until: CommitLane.limit(end))
            lane.history.acknowledged(count, of: lane.number)
            return (written, LaneCount(lane: lane.number, count: count))
        }
    }

    private struct Answers {
        /// The request.
        let reads: BatchReads
        let line, witness, rooms, commands, messages, standings, lastSends: Answer
        /// The answer about members; `nil` for a batch that changes no memberships.
        let members: Answer?
        /// The answer about threads; `nil` for a batch that summarizes none.
        let lastReplies: Answer?
    }

    private func begin(
        _ batch: [RoomOperation], _ names: Set<RoomName>, locking all: Set<RoomName>, over connection: Connection,
        until end: ContinuousClock.Instant
    ) throws(PostgresFailure) -> Answers {
        func sorted(_ names: Set<RoomName>) -> Parameter {
            .texts(names.map(\.description).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
        let commands = Set(batch.map { BatchFold.Key(room: $0.room, id: $0.operation.command) })
        let newcomers = Set(batch.flatMap { $0.operation.newcomers(in: $0.room) }.map(\.description))
        let reads = BatchReads(batch)
        let (messages, members) = (reads.messages, reads.memberships)
        let many = many(batch)
        let new = names.subtracting(known)
        let steps: [Connection.Step] =
            [.run("BEGIN")] + lock(newcomers) + (new.isEmpty ? [] : [.run(.addRooms, sorted(new))]) + [
                .run(.lockRooms, sorted(all)), .run(.line), .run(.witness, lane.witness),
                .run(.commands, .texts(commands.map(\.room.description)), .ids(commands.map(\.id))),
                .run(.messages, .texts(messages.map(\.room.description)), .ids(messages.map(\.id))),
                .run(.standings, .rooms(of: reads.standings), .users(of: reads.standings)),
                .run(.lastSends, .rooms(of: reads.senders), .users(of: reads.senders)),
            ] + (members.isEmpty ? [] : [.run(.members, .rooms(of: members), .users(of: members), .integer(many))])
            + (reads.threads.isEmpty
                ? []
                : [
                    .run(
                        .lastReplies, .texts(reads.threads.map(\.description)), .integer(Int64(ThreadSummary.window)))
                ])
        let answers = try connection.run(steps, until: end)
        let first = answers.endIndex - 7 - (members.isEmpty ? 0 : 1) - (reads.threads.isEmpty ? 0 : 1)
        return Answers(
            reads: reads, line: answers[first + 1], witness: answers[first + 2], rooms: answers[first],
            commands: answers[first + 3], messages: answers[first + 4], standings: answers[first + 5],
            lastSends: answers[first + 6], members: members.isEmpty ? nil : answers[first + 7],
            lastReplies: reads.threads.isEmpty ? nil : answers.last)
    }

    /// The number of rooms from which on it matters which they are: a person may get one more with each operation.
    private func many(_ batch: [RoomOperation]) -> Int64 { Int64(max(0, limits.memberships - batch.count)) }

    /// Looks up the people who follow new threads from their first reply on, which the roots decide.
    private func loadFirstFollowers(
        _ batch: [BatchEntry], _ rooms: [RoomName: BatchFold.Room], _ rows: [BatchFold.Key: BatchFold.Entry],
        _ people: inout BatchFold.People, over connection: Connection, until end: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        let operations = batch.compactMap(\.operation)
        let threads = Set(operations.map(\.room)).filter { $0.isThread && rooms[$0]?.inserted == 0 }
        guard !threads.isEmpty else { return }
        var followers: [BatchFold.Person] = []
        let direct = Set(threads.filter { $0.kind == .direct }.map(\.ruling.description))
        let step = Connection.Step.run(.companionsIn, .texts(Array(direct)))
        let companions = direct.isEmpty ? [:] : try connection.run([step], until: end)[0].people
        for thread in threads {
            let author = thread.root.flatMap { rows[BatchFold.Key(room: thread.ruling, id: $0)]?.row.author }
            let first = thread.kind == .direct ? companions[thread.ruling] ?? [] : author.map { [$0] } ?? []
            let known = first.filter { $0 != UserName.unknown }
            people.firstFollowers[thread] = known
            followers += known.map { BatchFold.Person(room: thread, user: $0) }
        }
        followers.removeAll { people.memberships[$0] != nil }
        guard !followers.isEmpty else { return }
        for person in followers { people.memberships[person] = .outside }
        let members = Connection.Step.run(
            .members, .rooms(of: followers), .users(of: followers), .integer(many(operations)))
        for row in try connection.run([members], until: end)[0].rows { try people.note(row) }
    }

    /// All writers use the order of the names, so that no two wait for each other.
    private func lock(_ newcomers: Set<String>) -> [Connection.Step] {
        guard !newcomers.isEmpty else { return [] }
        let sorted = newcomers.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return [.run(.lockPeople, .text(lane.failoverCheck.address.schema), .texts(sorted))]
    }

    private func rooms(_ answers: Answers) throws(PostgresFailure) -> [RoomName: BatchFold.Room] {
        var rooms: [RoomName: BatchFold.Room] = [:]
        for row in answers.rooms.rows {
            guard let name = RoomName(known: row.text(1)) else { throw row.senseless(1) }
            let revision = try row.natural(2)
            rooms[name] = BatchFold.Room(
                id: try row.integer(0), revision: revision, count: Int(try row.natural(3)),
                inserted: Int(try row.natural(6)), activity: try row.activity(10),
                configuration: RoomConfiguration(
                    of: name.kind, slowMode: try row.integer(4), isReadOnly: try row.integer(5) != 0,
                    title: try row.title(7), topic: try row.topic(8), picture: try row.picture(9),
                    pins: try row.pins(15, since: try row.revision(16))),
                sizes: try row.integer(11) != 0 ? try row.sizes(12) : revision == 0 ? RoomSizes() : nil)
        }
        return rooms
    }

    /// Returns a value for everybody whom the batch names, also where the database has none.
    private func people(_ answers: Answers) throws(PostgresFailure) -> BatchFold.People {
        let reads = answers.reads
        var people = BatchFold.People(
            standings: reads.standings.reduce(into: [:]) { $0[$1] = Standing() },
            lastSends: reads.senders.reduce(into: [:]) { $0[$1] = .some(nil) },
            memberships: reads.memberships.reduce(into: [:]) { $0[$1] = .outside },
            counts: [:])
        for row in answers.standings.rows {
            let (user, standing) = try row.standing()
            people.standings[BatchFold.Person(room: try row.room(), user: user)] = standing
        }
        for row in answers.lastSends.rows {
            people.lastSends[BatchFold.Person(room: try row.room(), user: try row.user(1))] = try row.integer(2)
        }
        for row in answers.members?.rows ?? [] { try people.note(row) }
        for person in reads.memberships where people.counts[BatchFold.Account(person)] == nil {
            throw .senseless(column: "person", room: person.room)
        }
        return people
    }

    /// Requires that the rooms exist. A known room can be gone only if history was lost.
    private func require(
        _ names: Set<RoomName>, in rooms: [RoomName: BatchFold.Room]
    ) throws(PostgresFailure) {
        for name in names where rooms[name] == nil {
            guard known.remove(name) != nil else { throw .senseless(column: "name", room: name) }
            throw .refused(state: "40001", "room \(name) is gone")
        }
    }

    private func commands(_ answer: Answer) throws(PostgresFailure) -> [BatchFold.Key: CommittedOperation] {
        var done: [BatchFold.Key: CommittedOperation] = [:]
        for row in answer.rows {
            let room = try row.room()
            let operation = try row.committedOperation(in: room)
            done[BatchFold.Key(room: room, id: operation.operation.command)] = operation
        }
        return done
    }

    private func rows(_ answer: Answer) throws(PostgresFailure) -> [BatchFold.Key: BatchFold.Entry] {
        var rows: [BatchFold.Key: BatchFold.Entry] = [:]
        for row in answer.rows {
            let (message, reloaded) = try row.messageToChange()
            let key = BatchFold.Key(room: try row.room(), id: message.id)
            rows[key] = BatchFold.Entry(row: message, reloaded: reloaded, isStored: true)
        }
        return rows
    }

    /// Returns what the roots of threads are to say. A thread without replies is left out.
    private func threads(_ answer: Answer?) throws(PostgresFailure) -> [RoomName: ThreadSummary] {
        var threads: [RoomName: (count: Int, last: [(author: UserName?, time: Milliseconds)])] = [:]
        for row in answer?.rows ?? [] {
            let (room, count) = (try row.room(), Int(try row.natural(1)))
            threads[room, default: (count, [])].last.append((UserName(known: row.text(2)), try row.time(3)))
        }
        return threads.compactMapValues { ThreadSummary(count: $0.count, last: $0.last) }
    }

    private func end(
        _ fold: BatchFold, over connection: Connection, until end: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        guard fold.isAnswered || fold.hasMarks else {
            try connection.run([.run("ROLLBACK")], until: end)
            return
        }
        try connection.runDurably(fold.writes + [.run("COMMIT")], until: end)
    }

    private func remember(_ fold: BatchFold) {
        if known.count > Self.mostKnown { known = [] }
        if fold.isAnswered { known.formUnion(fold.rooms.filter { $0.value.revision > 0 }.keys) }
    }
}

/// The results of a transaction.
struct CommittedWork: Sendable {
    let outcomes: [CommitOutcome]
    let epoch: Epoch
    /// `nil` if it was rolled back, because nothing was to be written.
    let count: LaneCount?
}

extension BatchEntry {
    /// The entry for servers of earlier versions, which go by the time of day.
    fileprivate var byTimeOfDay: BatchEntry {
        guard case .operation(let entry) = self else { return self }
        var operation = entry.operation
        operation.instant = operation.time
        return .operation(RoomOperation(room: entry.room, operation: operation))
    }
}

extension BatchFold.People {
    /// Notes a row of ``Query/members``.
    fileprivate mutating func note(_ row: Row) throws(PostgresFailure) {
        let person = BatchFold.Person(room: try row.room(), user: try row.user(1))
        counts[BatchFold.Account(person)] = RoomCounts(
            own: Int(try row.natural(8)), given: Int(try row.natural(9)), all: Int(try row.natural(3)))
        guard !row.isNull(2) else { return }
        memberships[person] =
            try row.integer(2) > 0 ? .member(row.settings(4), isOwn: row.integer(10) != 0) : .invited
    }
}

/// The dependencies of all operations of a batch together.
private struct BatchReads {
    private(set) var messages: Set<BatchFold.Key> = []
    private(set) var standings: Set<BatchFold.Person> = []
    private(set) var memberships: Set<BatchFold.Person> = []
    private(set) var senders: Set<BatchFold.Person> = []
    /// The threads that are to be summarized.
    private(set) var threads: Set<RoomName> = []

    init(_ batch: [RoomOperation]) {
        for entry in batch {
            let room = entry.room
            let reads = entry.operation.readSet(in: room.kind, isThread: room.isThread)
            func person(_ user: UserName) -> BatchFold.Person { BatchFold.Person(room: room, user: user) }
            if let message = reads.message { messages.insert(BatchFold.Key(room: room, id: message)) }
            if let root = reads.thread { threads.insert(room.thread(of: root)) }
            if reads.needsRoot, let root = room.root { messages.insert(BatchFold.Key(room: room.ruling, id: root)) }
            if let sender = reads.sender { senders.insert(person(sender)) }
            for user in reads.standings { standings.insert(BatchFold.Person(room: room.ruling, user: user)) }
            for user in reads.memberships { memberships.insert(person(user)) }
        }
    }
}

extension Parameter {
    fileprivate static func rooms(of people: some Collection<BatchFold.Person>) -> Parameter {
        .texts(people.map(\.room.description))
    }

    fileprivate static func users(of people: some Collection<BatchFold.Person>) -> Parameter {
        .texts(people.map(\.user.description))
    }
}
