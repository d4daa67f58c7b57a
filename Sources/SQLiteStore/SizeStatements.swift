import ChatRoom
import ChatWire
import RoomStore

/// A commit's statements for the sizes of rooms' tables of people.
///
/// A room's sizes are counted when they are first needed, and kept from then on.
struct SizeStatements: ~Copyable {
    private let sizes: Statement
    private let count: Statement
    private let set: Statement
    private let removeStandings: Statement
    private let removeSends: Statement
    private let limits: WireLimits
}

extension SizeStatements {
    init(_ connection: borrowing Connection, limits: WireLimits) throws(RoomStoreError) {
        self.init(
            sizes: try Statement(.sizes, on: connection),
            count: try Statement(.countRows, on: connection),
            set: try Statement(.setSizes, on: connection),
            removeStandings: try Statement(.removeStaleStandings, on: connection),
            removeSends: try Statement(.removeStaleSends, on: connection),
            limits: limits
        )
    }

    /// Returns the sizes of a room's tables. If one of `tables` is full, its stale rows are removed first.
    ///
    /// - Complexity: O(log rows + stale rows), but O(rows of the tables) when a room is counted.
    borrowing func find(
        _ tables: [PeopleTable], in room: StoredRoom, at instant: Milliseconds
    ) throws(RoomStoreError) -> RoomSizes {
        guard let id = room.id else { return RoomSizes() }
        var sizes: RoomSizes
        if let known = try known(id) {
            sizes = known
        } else {
            count.bind(1, id)
            sizes = try count.first { (row) throws(RoomStoreError) in try row.sizes() } ?? RoomSizes()
            try write(sizes, of: id)
        }
        let stale = StaleRows(at: instant, room.revision, room.configuration, limits: limits)
        for table in tables where table.size(in: sizes) >= table.limit(limits) {
            let growth = RoomSizes(removed: try removeStale(table, stale, in: id), from: table)
            guard growth != RoomSizes() else { continue }
            sizes += growth
            try write(sizes, of: id)
        }
        return sizes
    }

    borrowing func write(growth: RoomSizes, of room: Int64) throws(RoomStoreError) {
        guard growth != RoomSizes(), var sizes = try known(room) else { return }
        sizes += growth
        try write(sizes, of: room)
    }

    private borrowing func known(_ room: Int64) throws(RoomStoreError) -> RoomSizes? {
        sizes.bind(1, room)
        return try sizes.first { (row) throws(RoomStoreError) in try row.sizes() }
    }

    private borrowing func write(_ sizes: RoomSizes, of room: Int64) throws(RoomStoreError) {
        set.bind(1, room)
        set.bind(2, Int64(sizes.members))
        set.bind(3, Int64(sizes.standings))
        set.bind(4, Int64(sizes.senders))
        try set.run()
    }

    /// Returns the number of removed rows.
    private borrowing func removeStale(
        _ table: PeopleTable, _ stale: StaleRows, in room: Int64
    ) throws(RoomStoreError) -> Int {
        switch table {
        case .members:
            return 0
        case .standings:
            removeStandings.bind(1, room)
            removeStandings.bind(2, stale.instant)
            removeStandings.bind(3, stale.kicked)
            try removeStandings.run()
            return removeStandings.changes
        case .senders:
            removeSends.bind(1, room)
            removeSends.bind(2, stale.sent)
            try removeSends.run()
            return removeSends.changes
        }
    }
}

extension Row {
    /// Reads the first three columns.
    func sizes() throws(RoomStoreError) -> RoomSizes {
        RoomSizes(members: try count(0), standings: try count(1), senders: try count(2))
    }
}
