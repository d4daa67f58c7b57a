import ChatRoom
import ChatWire
import Glibc
import RoomStore

/// The file of the search index: which messages have which terms.
///
/// It is derived from the data, and may be lost, damaged or old: then it is made again. It is not in backups.
///
/// - Shape: a document is a message as it was indexed. Documents are numbered in the order of the messages' times, so that the
///   newest ones are found first.
struct SearchIndexFile: ~Copyable {
    private let connection: Connection
    private let statements: SearchStatements
    let terms: SearchTerms
    /// The rooms by name.
    private(set) var rooms: [RoomName: IndexedRoom]

    /// A room as far as it is indexed.
    struct IndexedRoom {
        let id: Int64
        /// The index has all messages as of this revision, whose sort keys are not above `built`.
        var revision: Revision
        /// The last sort key that was read when the index of the room was made; above all once it is complete.
        var built: UInt64

        var isComplete: Bool { built == Self.complete }
        static let complete = UInt64(Int64.max)
    }

    /// The number of documents of one millisecond.
    static let documentsOfATime: Int64 = 1 << 20

    private static let tables = """
        CREATE TABLE meta(epoch TEXT NOT NULL, key INTEGER NOT NULL) STRICT;
        CREATE TABLE rooms(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, built INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE documents(id INTEGER PRIMARY KEY, room INTEGER NOT NULL, sort INTEGER NOT NULL) STRICT;
        CREATE UNIQUE INDEX documents_sort ON documents(room, sort);
        CREATE VIRTUAL TABLE terms USING fts5(
            hashes, content = '', detail = 'none', columnsize = 0, tokenize = 'ascii');
        """

    /// Opens the file, and empties it unless it is of this epoch and format.
    init(_ path: String, of epoch: Epoch) throws(RoomStoreError) {
        let connection = try Connection.open(path)
        try connection.requireWriteAheadLog()
        // The index makes again, after a power loss, what it lacks: each room has its revision in the same transaction.
        try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384")
        try Self.prepare(connection, of: epoch)
        let statements = try SearchStatements(connection)
        let key = try connection.number("SELECT key FROM meta")
        let stored = try Statement("SELECT id, name, revision, built FROM rooms", on: connection)
        let rooms = try stored.all { (row) throws(RoomStoreError) in
            let room = IndexedRoom(
                id: row.integer(0), revision: try row.revision(2), built: UInt64(clamping: row.integer(3)))
            return (try row.room(1), room)
        }
        self.rooms = Dictionary(rooms) { $1 }
        self.statements = statements
        self.connection = connection
        terms = SearchTerms(key: UInt64(bitPattern: key))
    }

    private static func prepare(_ connection: borrowing Connection, of epoch: Epoch) throws(RoomStoreError) {
        if try connection.number("PRAGMA user_version") == 1 {
            let stored = try Statement("SELECT epoch FROM meta", on: connection).first { (row) throws(RoomStoreError) in
                try row.text(0)
            }
            if stored == epoch.description { return }
        }
        try connection.transaction(.writing) { () throws(RoomStoreError) in
            for table in ["meta", "rooms", "documents", "terms"] {
                try connection.execute("DROP TABLE IF EXISTS \(table)")
            }
            try connection.execute(tables)
            let key = Int64.random(in: .min ... .max)
            try connection.execute("INSERT INTO meta VALUES('\(epoch)', \(key)); PRAGMA user_version = 1")
        }
    }

    /// Removes a file that cannot be read, to make it again.
    static func remove(_ path: String) {
        for end in ["", "-wal", "-shm"] { unlink(path + end) }
    }

    /// Runs changes in one transaction.
    mutating func write(
        _ body: (inout SearchIndexFile) throws(RoomStoreError) -> Void
    ) throws(RoomStoreError) {
        let before = rooms
        try connection.execute("BEGIN IMMEDIATE")
        do throws(RoomStoreError) {
            try body(&self)
            try connection.execute("COMMIT")
        } catch {
            rooms = before
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Returns a room, and adds it first if it is new.
    mutating func room(_ name: RoomName, at revision: Revision) throws(RoomStoreError) -> IndexedRoom {
        if let room = rooms[name] { return room }
        statements.addRoom.bind(1, name.description)
        statements.addRoom.bind(2, revision)
        guard let id = try statements.addRoom.first({ (row) throws(RoomStoreError) in row.integer(0) }) else {
            throw .damaged("the search index returns no number for a room")
        }
        let room = IndexedRoom(id: id, revision: revision, built: 0)
        rooms[name] = room
        return room
    }

    mutating func set(_ room: IndexedRoom, of name: RoomName) throws(RoomStoreError) {
        statements.setRoom.bind(1, room.id)
        statements.setRoom.bind(2, room.revision)
        statements.setRoom.bind(3, room.built)
        try statements.setRoom.run()
        rooms[name] = room
    }

    /// Indexes a message in place of what was indexed of it before.
    func index(_ row: Message, in room: IndexedRoom) throws(RoomStoreError) {
        try remove(row.sort, of: room)
        guard !row.isDamaged else { return }
        let first = Self.document(at: row.time)
        statements.add.bind(1, first)
        statements.add.bind(2, room.id)
        statements.add.bind(3, row.sort)
        statements.add.bind(4, first + Self.documentsOfATime - 1)
        guard let id = try statements.add.first({ (row) throws(RoomStoreError) in row.integer(0) }) else { return }
        statements.addTerms.bind(1, id)
        statements.addTerms.bind(2, SearchTerms.text(terms.terms(of: row, in: room.id).sorted()))
        try statements.addTerms.run()
    }

    func remove(_ sort: UInt64, of room: IndexedRoom) throws(RoomStoreError) {
        statements.remove.bind(1, room.id)
        statements.remove.bind(2, sort)
        try statements.remove.run()
    }

    func remove(before sort: UInt64, of room: IndexedRoom) throws(RoomStoreError) {
        statements.removeBefore.bind(1, room.id)
        statements.removeBefore.bind(2, sort)
        try statements.removeBefore.run()
    }

    struct Candidate {
        let document: Int64
        let room: Int64
        let sort: UInt64
    }

    /// Returns the newest messages that may match, those of times in a range.
    func candidates(
        _ match: String, in documents: ClosedRange<Int64>, limit: Int
    ) throws(RoomStoreError) -> [Candidate] {
        statements.find.bind(1, match)
        statements.find.bind(2, documents.lowerBound)
        statements.find.bind(3, documents.upperBound)
        statements.find.bind(4, Int64(limit))
        return try statements.find.all { (row) throws(RoomStoreError) in
            Candidate(document: row.integer(0), room: row.integer(1), sort: try row.revision(2))
        }
    }

    /// Returns the first number of the documents of a time.
    static func document(at time: Milliseconds) -> Int64 {
        min(max(time, 0), 1 << 42) * documentsOfATime
    }
}

/// The statements of the search index.
private struct SearchStatements: ~Copyable {
    let addRoom: Statement
    let setRoom: Statement
    let add: Statement
    let addTerms: Statement
    let remove: Statement
    let removeBefore: Statement
    let find: Statement
}

extension SearchStatements {
    fileprivate init(_ connection: borrowing Connection) throws(RoomStoreError) {
        self.init(
            addRoom: try Statement(
                "INSERT INTO rooms(name, revision, built) VALUES(?1, ?2, 0) RETURNING id", on: connection),
            setRoom: try Statement("UPDATE rooms SET revision = ?2, built = ?3 WHERE id = ?1", on: connection),
            add: try Statement(
                """
                INSERT INTO documents(id, room, sort)
                VALUES(max(?1, coalesce((SELECT max(id) + 1 FROM documents WHERE id BETWEEN ?1 AND ?4), 0)), ?2, ?3)
                RETURNING id
                """, on: connection),
            addTerms: try Statement("INSERT INTO terms(rowid, hashes) VALUES(?1, ?2)", on: connection),
            remove: try Statement("DELETE FROM documents WHERE room = ?1 AND sort = ?2", on: connection),
            removeBefore: try Statement("DELETE FROM documents WHERE room = ?1 AND sort < ?2", on: connection),
            find: try Statement(
                """
                SELECT documents.id, documents.room, documents.sort
                FROM terms CROSS JOIN documents ON documents.id = terms.rowid
                WHERE terms MATCH ?1 AND terms.rowid BETWEEN ?2 AND ?3 ORDER BY terms.rowid DESC LIMIT ?4
                """, on: connection))
    }
}

extension SearchIndexFile? {
    /// Runs `body` on the file; `nil` once it is closed.
    mutating func with<Result>(
        _ body: (inout SearchIndexFile) throws(RoomStoreError) -> Result
    ) throws(RoomStoreError) -> Result? {
        guard var file = take() else { return nil }
        do throws(RoomStoreError) {
            let result = try body(&file)
            self = consume file
            return result
        } catch {
            self = consume file
            throw error
        }
    }
}
