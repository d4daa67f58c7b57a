import ChatRoom
import ChatWire
import RoomStore

/// The rooms of a batch whose operations may add rows to a table of people that was not counted, or that may become full.
/// Such a room is counted, and the rows that may be stale by then are loaded.
struct PlaceDemand {
    private struct Room {
        let id: Int64
        let name: RoomName
        /// The rows that may be stale for the last operation of the batch.
        let stale: StaleRows
    }

    private let rooms: [Room]

    init(of batch: [RoomOperation], in rooms: [RoomName: BatchFold.Room], _ limits: WireLimits) {
        var instants: [RoomName: Milliseconds] = [:]
        var due: Set<RoomName> = []
        let slowed = Set(batch.filter(\.setsSlowMode).map(\.room))
        for entry in batch {
            let (name, operation) = (entry.room, entry.operation)
            guard let room = rooms[name] else { continue }
            instants[name] = max(instants[name] ?? .min, operation.instant)
            let reads = operation.readSet(in: name.kind, isThread: name.isThread)
            let tables = slowed.contains(name) ? reads.tables : reads.tables(under: room.configuration)
            let mayBeFull = tables.contains { table in
                room.sizes.map { table.size(in: $0) + batch.count > table.limit(limits) } ?? true
            }
            if mayBeFull { due.insert(name) }
        }
        self.rooms = due.compactMap { name in
            guard let room = rooms[name], let instant = instants[name] else { return nil }
            var configuration = room.configuration
            if slowed.contains(name) { configuration.slowMode = 0 }
            let last = room.revision + Revision(batch.count)
            return Room(id: room.id, name: name, stale: StaleRows(at: instant, last, configuration, limits: limits))
        }
    }

    /// Counts the rooms, and loads the rows that may be stale.
    func load(
        in rooms: inout [RoomName: BatchFold.Room], _ people: inout BatchFold.People, over connection: Connection,
        until end: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        guard !self.rooms.isEmpty else { return }
        let ids = Parameter.integers(self.rooms.map(\.id))
        let names = Parameter.texts(self.rooms.map(\.name.description))
        let stale = self.rooms.map(\.stale)
        let answers = try connection.run(
            [
                .run(
                    .staleStandings, ids, names, .integers(stale.map(\.instant)), .revisions(stale.map(\.kicked))),
                .run(.staleSends, ids, names, .integers(stale.map(\.sent))),
                .run(.countRows, ids, names),
            ], until: end)
        for row in answers[0].rows {
            let (user, standing) = try row.standing()
            let person = BatchFold.Person(room: try row.room(), user: user)
            if people.standings[person] == nil { people.standings[person] = standing }
        }
        for row in answers[1].rows {
            let person = BatchFold.Person(room: try row.room(), user: try row.user(1))
            if people.lastSends[person] == nil { people.lastSends[person] = try row.integer(2) }
        }
        for row in answers[2].rows { rooms[try row.room()]?.sizes = try row.sizes(1) }
    }
}

extension RoomOperation {
    fileprivate var setsSlowMode: Bool {
        if case .moderate(.slowMode) = operation.action { true } else { false }
    }
}

extension BatchFold {
    /// Removes the stale rows from each of these tables that is full.
    mutating func makePlaces(_ tables: [PeopleTable], at instant: Milliseconds, in name: RoomName) {
        guard var room = rooms[name], var sizes = room.sizes else { return }
        let stale = StaleRows(at: instant, room.revision, room.configuration, limits: limits)
        for table in tables where table.size(in: sizes) >= table.limit(limits) {
            sizes += RoomSizes(removed: removeStale(table, stale, in: name), from: table)
        }
        guard sizes != room.sizes else { return }
        room.sizes = sizes
        room.isChanged = true
        rooms[name] = room
    }

    /// Returns the number of removed rows.
    private mutating func removeStale(_ table: PeopleTable, _ stale: StaleRows, in name: RoomName) -> Int {
        switch table {
        case .members:
            return 0
        case .standings:
            let gone = people.standings.filter { person, standing in
                person.room == name && standing != Standing() && stale.contains(standing)
            }.keys
            for person in gone { people.standings[person] = Standing() }
            changedStandings.formUnion(gone)
            return gone.count
        case .senders:
            let gone = people.lastSends.filter { person, time in
                person.room == name && time.map { stale.contains(lastSend: $0) } ?? false
            }.keys
            for person in gone { people.lastSends[person] = .some(nil) }
            senders.formUnion(gone)
            return gone.count
        }
    }
}

extension Row {
    /// Reads the sizes of a room's tables from this column and the two after it.
    func sizes(_ column: Int32) throws(PostgresFailure) -> RoomSizes {
        RoomSizes(
            members: Int(try natural(column)), standings: Int(try natural(column + 1)),
            senders: Int(try natural(column + 2)))
    }
}
