import ChatRoom
import ChatWire
import Dispatch
import Locking
import RoomStore
import Synchronization

/// The search index of a store: a file beside the data, and the queue that keeps it up to date.
///
/// It follows the commits: a commit only notes its rooms. A search first indexes the newest changes of its rooms, so it finds
/// what a look at each message finds. Each message is compared with the query as it is at that time.
final class SearchIndex: Sendable {
    private let file: Guarded<SearchIndexFile?>
    private let backlog = Guarded(Backlog())
    private let answered = Atomic(0)
    private let queue = DispatchQueue(label: "diffroom.search.index", qos: .utility)

    private struct Backlog {
        /// The rooms whose changes are to be indexed.
        var rooms: Set<RoomName> = []
        /// Whether all rooms that have changed since the last run are known.
        var isListed = false
        var isScheduled = false
        var hasEnded = false

        /// Returns a room that is due. If there is none, the next commit begins another run.
        mutating func next() -> RoomName? {
            if hasEnded || rooms.isEmpty { isScheduled = false }
            return hasEnded ? nil : rooms.first
        }
    }

    /// The messages that are indexed in one transaction, and the most changes of a room that are indexed without
    /// reading the room anew.
    private static let step = 500, mostChanges = 20_000
    /// The pause after a commit before its changes are indexed. A message that grows is indexed as a whole each time.
    private static let pause = DispatchTimeInterval.seconds(1)
    /// The most steps of indexing that a search waits for.
    private static let mostSteps = 40
    /// The most rooms for which the index itself looks up the room.
    private static let fewRooms = 16
    private static let batch = 128, mostCompared = 2_000, mostCandidates = 100_000

    init(_ path: String, of epoch: Epoch) throws(RoomStoreError) {
        file = Guarded(try SearchIndexFile(path, of: epoch))
    }

    /// Finds the rooms that have changed since the last run, and begins to index them.
    func start(_ store: SQLiteStore) {
        queue.async { [weak self, weak store] in
            guard let self, let store else { return }
            try? self.list(store)
            self.run(store)
        }
    }

    /// Notes that rooms have changed.
    func touch(_ rooms: some Sequence<RoomName>, of store: SQLiteStore) {
        let isDue = backlog.withLock { backlog in
            backlog.rooms.formUnion(rooms)
            defer { backlog.isScheduled = true }
            return !backlog.isScheduled && !backlog.hasEnded
        }
        guard isDue else { return }
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self, weak store] in
            if let self, let store { self.run(store) }
        }
    }

    /// The number of searches that the index has answered.
    var answers: Int { answered.load(ordering: .relaxed) }

    /// Waits until what was due when it was called is indexed.
    func wait() { queue.sync {} }

    func close() {
        backlog.withLock { $0.hasEnded = true }
        file.withLock { $0 = nil }
    }

    /// The number of rooms that are not indexed as they are now.
    var pending: Int { backlog.withLock { $0.isListed ? $0.rooms.count : max(1, $0.rooms.count) } }

    private func list(_ store: SQLiteStore) throws(RoomStoreError) {
        var last: RoomName?
        while true {
            let rooms = try store.rooms(after: last, limit: 1_000)
            let known = try indexedRooms() ?? [:]
            let changed = rooms.filter { room in
                guard let known = known[room.name] else { return true }
                return !known.isComplete || known.revision != room.revision
            }.map(\.name)
            backlog.withLock { $0.rooms.formUnion(changed) }
            guard let next = rooms.last?.name else { break }
            last = next
        }
        backlog.withLock { $0.isListed = true }
    }

    /// Indexes what is due, step by step.
    private func run(_ store: SQLiteStore) {
        while let room = backlog.withLock({ $0.next() }) {
            guard (try? advance(room, store)) != nil else { break }
        }
        backlog.withLock { $0.isScheduled = false }
    }

    /// Indexes a room anew: its messages were repaired.
    func rebuild(_ name: RoomName, of store: SQLiteStore) {
        // Not at once: a step of indexing may have found the damage.
        queue.async { [weak self, weak store] in
            guard let self, let store else { return }
            try? self.file.withLock { (file) throws(RoomStoreError) in
                _ = try file.with { (file) throws(RoomStoreError) in
                    guard var room = file.rooms[name] else { return }
                    room.built = 0
                    try file.write { [room] (file) throws(RoomStoreError) in try file.set(room, of: name) }
                }
            }
            self.touch([name], of: store)
        }
    }

    /// Indexes a step of a room.
    ///
    /// - Returns: whether the room is indexed as it was at the call.
    @discardableResult
    private func advance(_ name: RoomName, _ store: SQLiteStore) throws(RoomStoreError) -> Bool {
        _ = backlog.withLock { $0.rooms.remove(name) }
        do throws(RoomStoreError) {
            let isDone = try file.withLock { (file) throws(RoomStoreError) in
                try file.with { (file) throws(RoomStoreError) in try Self.advance(name, store, &file) }
            }
            guard let isDone else { return true }
            if !isDone { _ = backlog.withLock { $0.rooms.insert(name) } }
            return isDone
        } catch {
            _ = backlog.withLock { $0.rooms.insert(name) }
            throw error
        }
    }

    private static func advance(
        _ name: RoomName, _ store: SQLiteStore, _ file: inout SearchIndexFile
    ) throws(RoomStoreError) -> Bool {
        let known = file.rooms[name]
        let since = known?.isComplete == true ? known?.revision : nil
        let reading = try store.read(name, tail: 0, since: since, atMost: mostChanges, standings: .upTo(0, or: []))
        guard var room = file.rooms[name] else {
            try file.write { (file) throws(RoomStoreError) in _ = try file.room(name, at: reading.revision) }
            return reading.revision == 0
        }
        guard room.isComplete else { return try build(&room, name, store, &file) }
        switch reading.changes {
        case .all(let changes):
            try apply(changes, from: reading, to: &room, name, &file)
            return true
        case .none, .tooMany, .gone, .future:
            (room.revision, room.built) = (reading.revision, 0)
            try file.write { [room] (file) throws(RoomStoreError) in
                try file.remove(before: SearchIndexFile.IndexedRoom.complete, of: room)
                try file.set(room, of: name)
            }
            return false
        }
    }

    private static func build(
        _ room: inout SearchIndexFile.IndexedRoom, _ name: RoomName, _ store: SQLiteStore,
        _ file: inout SearchIndexFile
    ) throws(RoomStoreError) -> Bool {
        let rows = try store.neighbours(of: room.built, in: name, before: 0, after: step).after
        let isLast = rows.count < step
        room.built = isLast ? SearchIndexFile.IndexedRoom.complete : (rows.last?.sort ?? 0) + 1
        try file.write { [room] (file) throws(RoomStoreError) in
            for row in rows where row.sort <= room.revision { try file.index(row, in: room) }
            try file.set(room, of: name)
        }
        return false
    }

    private static func apply(
        _ changes: [RoomChange], from reading: RoomReading, to room: inout SearchIndexFile.IndexedRoom,
        _ name: RoomName, _ file: inout SearchIndexFile
    ) throws(RoomStoreError) {
        guard reading.revision > room.revision else { return }
        let since = room.revision
        room.revision = reading.revision
        try file.write { [room] (file) throws(RoomStoreError) in
            for change in changes {
                switch change {
                case .row(let row, let reloaded): if reloaded > since { try file.index(row, in: room) }
                case .tombstone(_, let sort, _): try file.remove(sort, of: room)
                }
            }
            try file.remove(before: reading.start, of: room)
            try file.set(room, of: name)
        }
    }

    // MARK: - Searching

    /// Searches by the index; `nil` if it has not got that far.
    func search(
        _ query: SearchQuery, in rooms: Set<RoomName>, before place: SearchPlace?, limit: Int, _ store: SQLiteStore
    ) throws(RoomStoreError) -> SearchReading? {
        guard try catchUp(rooms, store) else { return nil }
        var search = IndexedSearch(query, before: place, limit: limit)
        guard let known = try indexedRooms(), let terms = try terms() else { return nil }
        let names = Dictionary(rooms.compactMap { room in known[room].map { ($0.id, room) } }) { $1 }
        if names.isEmpty { search.finish() }
        search.prepare(terms, ids: names.count <= Self.fewRooms ? names.keys.sorted() : [])
        while search.isOpen {
            let found = try file.withLock { [search] (file) throws(RoomStoreError) in
                try file.with { (file) throws(RoomStoreError) in
                    try file.candidates(search.match, in: search.documents, limit: Self.batch)
                }
            }
            guard let found else { return nil }
            for candidate in found {
                guard search.advance(to: candidate) else { break }
                if let room = names[candidate.room] { try search.compare(candidate, room, store) }
                let isMuch = search.compared >= Self.mostCompared || search.candidates >= Self.mostCandidates
                if isMuch, search.mayStop {
                    return search.stopped(rooms.min())
                }
            }
            if found.count < Self.batch { search.finish() }
        }
        answered.add(1, ordering: .relaxed)
        return search.reading
    }

    private func indexedRooms() throws(RoomStoreError) -> [RoomName: SearchIndexFile.IndexedRoom]? {
        try file.withLock { (file) throws(RoomStoreError) in
            try file.with { (file) throws(RoomStoreError) in file.rooms }
        }
    }

    private func terms() throws(RoomStoreError) -> SearchTerms? {
        try file.withLock { (file) throws(RoomStoreError) in
            try file.with { (file) throws(RoomStoreError) in file.terms }
        }
    }

    /// Indexes the newest changes of some rooms, and returns whether that is done.
    private func catchUp(_ rooms: Set<RoomName>, _ store: SQLiteStore) throws(RoomStoreError) -> Bool {
        var due = backlog.withLock { $0.isListed ? Array($0.rooms.intersection(rooms)) : nil }
        var steps = 0
        while let room = due?.last, steps < Self.mostSteps {
            if try advance(room, store) { due?.removeLast() }
            steps += 1
        }
        return due?.isEmpty ?? false
    }
}

/// A search by the index, as far as it has got.
private struct IndexedSearch {
    private let query: SearchQuery
    private let place: SearchPlace?
    private let limit: Int
    private(set) var match = ""
    /// The documents that are still to be looked at.
    private(set) var documents: ClosedRange<Int64> = 0...0
    private(set) var isOpen: Bool
    private(set) var compared = 0, candidates = 0
    private var results: [SearchResult] = []
    private var time: Milliseconds = 0
    /// The time of the first candidate.
    private var first: Milliseconds?

    init(_ query: SearchQuery, before place: SearchPlace?, limit: Int) {
        (self.query, self.place, self.limit) = (query, place, limit)
        let first = SearchIndexFile.document(at: query.after ?? 0)
        let end = min(
            place.map { SearchIndexFile.document(at: $0.time + 1) } ?? .max,
            query.before.map { SearchIndexFile.document(at: $0) } ?? .max)
        isOpen = first < end
        if isOpen { documents = first...end - 1 }
    }

    mutating func prepare(_ terms: SearchTerms, ids: [Int64]) {
        var groups = terms.groups(of: query)
        if !ids.isEmpty { groups.append(ids.map(terms.term(ofRoom:))) }
        match = SearchTerms.match(groups)
    }

    /// Goes on to a candidate, and returns false if the page is full, with all messages of its last time.
    mutating func advance(to candidate: SearchIndexFile.Candidate) -> Bool {
        let time = candidate.document / SearchIndexFile.documentsOfATime
        // One more than the page shows that there are more.
        if results.count > limit, let last = results.last, time < last.row.time { isOpen = false }
        guard isOpen else { return false }
        self.time = time
        first = first ?? time
        candidates += 1
        if candidate.document > documents.lowerBound {
            documents = documents.lowerBound...candidate.document - 1
        } else {
            isOpen = false
        }
        return true
    }

    /// Compares a candidate with the query as the message is now.
    mutating func compare(
        _ candidate: SearchIndexFile.Candidate, _ room: RoomName, _ store: SQLiteStore
    ) throws(RoomStoreError) {
        compared += 1
        let row = try store.neighbours(of: candidate.sort, in: room, before: 0, after: 1).after.first
        guard let row, row.sort == candidate.sort, let matches = query.matches(in: row) else { return }
        let result = SearchResult(room: room, row: row, matches: matches)
        if place?.isNewer(than: result.place) ?? true { results.append(result) }
    }

    mutating func finish() { isOpen = false }

    /// Whether a page that ends here gets on.
    var mayStop: Bool { time < first ?? time }

    /// The page of all that was found.
    var reading: SearchReading {
        SearchReading(
            merging: [SearchReading(page: SearchPage(results: results, before: nil), examined: compared)], limit: limit)
    }

    /// The page when too many messages had to be compared: without those of the last time, which may not be all.
    func stopped(_ room: RoomName?) -> SearchReading {
        var found = results.filter { $0.row.time > time }
        found.sort { $0.place.isNewer(than: $1.place) }
        let end = room.map { SearchPlace(time: time + 1, room: $0, sort: 0) }
        let page = SearchReading(page: SearchPage(results: found, before: end), examined: compared)
        return SearchReading(merging: [page], limit: limit)
    }
}
