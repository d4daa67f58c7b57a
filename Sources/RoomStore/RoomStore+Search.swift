package import ChatWire

/// The results of a search of a store.
package struct SearchReading: Equatable, Sendable {
    package var page: SearchPage
    /// The number of messages that were read.
    package var examined: Int

    package init(page: SearchPage, examined: Int) {
        (self.page, self.examined) = (page, examined)
    }
}

extension SearchReading {
    /// The most messages that one search reads.
    package static let mostExamined = 10_000

    /// Joins the results of several stores.
    ///
    /// - Parameter readings: each of the newest results up to a limit, and the place down to which it has searched.
    package init(merging readings: [SearchReading], limit: Int) {
        let reached = readings.compactMap(\.page.before).max { $1.isNewer(than: $0) }
        var results = readings.flatMap(\.page.results).sorted { $0.place.isNewer(than: $1.place) }
        if let reached { results.removeAll { reached.isNewer(than: $0.place) } }
        var before = reached
        if results.count > limit {
            results.removeLast(results.count - limit)
            before = results.last?.place
        }
        self.init(page: SearchPage(results: results, before: before), examined: readings.reduce(0) { $0 + $1.examined })
    }
}

extension RoomStore {
    /// Returns the threads of a room that have or had replies, in any order.
    ///
    /// - Complexity: O(log rooms + threads).
    package func threads(of room: RoomName) throws(RoomStoreError) -> [RoomName] {
        guard !room.isThread else { return [] }
        var threads: [RoomName] = []
        // The names of a room's threads follow each other, after this one, which no message can have made.
        var last = room.thread(of: MessageID(high: 0, low: 0))
        while true {
            let page = try rooms(after: last, limit: 1_000).map(\.name)
            let found = page.prefix { $0.parent == room }
            threads += found
            guard found.count == 1_000, let end = found.last else { return threads }
            last = end
        }
    }

    /// Searches by reading the rooms' messages, newest first, at most ``SearchReading/mostExamined`` of them.
    ///
    /// A store without an index searches in this way, and an index must give the same results.
    package func scan(
        _ query: SearchQuery, in rooms: [RoomName], before place: SearchPlace?, limit: Int
    ) throws(RoomStoreError) -> SearchReading {
        var scan = SearchScan(query, before: place, limit: limit)
        for room in Set(rooms) { try scan.open(room, in: self) }
        while let room = scan.next { try scan.examine(room, in: self) }
        return scan.reading
    }
}

/// A search that reads messages, newest first, of several rooms at once.
private struct SearchScan {
    /// A room of which some messages are still to be examined.
    struct OpenRoom {
        let name: RoomName
        /// Ascending; never empty.
        var rows: ArraySlice<Message>
        /// Whether there may be earlier rows.
        var hasMore: Bool

        var place: SearchPlace? {
            rows.last.map { SearchPlace(time: $0.time, room: name, sort: $0.sort) }
        }
    }

    private let query: SearchQuery
    private let start: SearchPlace?
    private let limit: Int
    /// The rooms, those with the newest messages last.
    private var rooms: [OpenRoom] = []
    private var results: [SearchResult] = []
    private var examined = 0
    private var last: SearchPlace?
    private static let chunk = 128

    init(_ query: SearchQuery, before start: SearchPlace?, limit: Int) {
        (self.query, self.start, self.limit) = (query, start, limit)
    }

    /// The index of the room with the newest message; `nil` when the search ends.
    var next: Int? {
        rooms.isEmpty || results.count >= limit || examined >= SearchReading.mostExamined ? nil : rooms.count - 1
    }

    var reading: SearchReading {
        SearchReading(page: SearchPage(results: results, before: rooms.isEmpty ? nil : last), examined: examined)
    }

    mutating func open(_ room: RoomName, in store: some RoomStore) throws(RoomStoreError) {
        var sort = UInt64(Int64.max)
        if start?.room == room {
            sort = start?.sort ?? sort
        } else if let end = [start.map { $0.time + 1 }, query.before].compactMap(\.self).min() {
            sort = try store.sort(of: .time(end), in: room) ?? sort
        }
        try load(room, below: sort, in: store)
    }

    /// Examines the newest message of a room.
    mutating func examine(_ index: Int, in store: some RoomStore) throws(RoomStoreError) {
        var room = rooms.remove(at: index)
        let row = room.rows.removeLast()
        let place = SearchPlace(time: row.time, room: room.name, sort: row.sort)
        examined += 1
        last = place
        if let matches = query.matches(in: row) {
            results.append(SearchResult(room: room.name, row: row, matches: matches))
        }
        guard row.time >= query.after ?? .min else { return }
        if room.rows.isEmpty {
            if room.hasMore { try load(room.name, below: row.sort, in: store) }
        } else {
            insert(room)
        }
    }

    private mutating func load(
        _ room: RoomName, below sort: UInt64, in store: some RoomStore
    ) throws(RoomStoreError) {
        let found = try store.neighbours(of: sort, in: room, before: Self.chunk, after: 0).before
        var rows = found[...]
        if let start {
            while let row = rows.last,
                !start.isNewer(than: SearchPlace(time: row.time, room: room, sort: row.sort))
            {
                rows.removeLast()
            }
        }
        if rows.isEmpty {
            if let first = found.first, found.count == Self.chunk { try load(room, below: first.sort, in: store) }
        } else {
            insert(OpenRoom(name: room, rows: rows, hasMore: found.count == Self.chunk))
        }
    }

    private mutating func insert(_ room: OpenRoom) {
        guard let place = room.place else { return }
        var (low, high) = (0, rooms.count)
        while low < high {
            let middle = (low + high) / 2
            if let other = rooms[middle].place, other.isNewer(than: place) { high = middle } else { low = middle + 1 }
        }
        rooms.insert(room, at: low)
    }
}
