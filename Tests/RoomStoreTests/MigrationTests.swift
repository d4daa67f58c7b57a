import CSQLite
import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

/// Files of earlier formats open with their contents.
struct MigrationTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    /// A file of format 1, as the first version wrote it, with one edited and one deleted message.
    private static let version1 = """
        CREATE TABLE store(epoch TEXT NOT NULL) STRICT;
        CREATE TABLE rooms(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, count INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE commands(
            room INTEGER NOT NULL, command BLOB NOT NULL, revision INTEGER NOT NULL,
            PRIMARY KEY(room, command)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE operations(
            room INTEGER NOT NULL, revision INTEGER NOT NULL, command BLOB NOT NULL, author TEXT NOT NULL,
            time INTEGER NOT NULL, kind INTEGER NOT NULL, target BLOB, text TEXT,
            PRIMARY KEY(room, revision)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE messages(
            room INTEGER NOT NULL, sort INTEGER NOT NULL, id BLOB NOT NULL, changed INTEGER NOT NULL,
            reloaded INTEGER NOT NULL, author TEXT NOT NULL, time INTEGER NOT NULL, text TEXT NOT NULL,
            edited INTEGER, reply BLOB, reactions BLOB,
            PRIMARY KEY(room, sort)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX messages_touched ON messages(room, changed) WHERE changed <> sort;
        CREATE TABLE tombstones(
            room INTEGER NOT NULL, changed INTEGER NOT NULL, id BLOB NOT NULL, sort INTEGER NOT NULL,
            PRIMARY KEY(room, changed)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO store VALUES('epoch of version 1');
        INSERT INTO rooms VALUES(1, 'lobby', 5, 1);
        INSERT INTO commands VALUES
            (1, x'00000000000000000000000000000001', 1), (1, x'00000000000000000000000000000002', 2),
            (1, x'00000000000000000000000000000003', 3), (1, x'00000000000000000000000000000004', 4),
            (1, x'00000000000000000000000000000005', 5);
        INSERT INTO operations VALUES
            (1, 1, x'00000000000000000000000000000001', 'ann', 1001, 1, NULL, 'hello'),
            (1, 2, x'00000000000000000000000000000002', 'ann', 1002, 1, x'00000000000000000000000000000001', 'reply'),
            (1, 3, x'00000000000000000000000000000003', 'ann', 1003, 2, x'00000000000000000000000000000001', 'bye'),
            (1, 4, x'00000000000000000000000000000004', 'ann', 1004, 3, x'00000000000000000000000000000002', NULL),
            (1, 5, x'00000000000000000000000000000005', 'bob', 1005, 4, x'00000000000000000000000000000001', '👍');
        INSERT INTO messages VALUES(
            1, 1, x'00000000000000000000000000000001', 5, 3, 'ann', 1001, 'bye', 1003, NULL,
            x'04F09F918D0103626F62');
        INSERT INTO tombstones VALUES(1, 4, x'00000000000000000000000000000002', 2);
        PRAGMA application_id = 1147556461;
        PRAGMA user_version = 1;
        """

    private func write(_ sql: String) throws {
        var handle: OpaquePointer?
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    @Test func aFileOfVersion1OpensWithAllThatIsInIt() throws {
        try write(Self.version1)

        let store = try SQLiteStore(path: path)

        let row = Message(
            id: id(1), section: .history, sort: 1, rev: 5, author: Someone.ann, time: 1_001, content: "bye",
            edited: 1_003,
            reactions: [Reaction(emoji: "👍", users: [Someone.bob])])
        #expect(store.epoch.description == "epoch of version 1")
        #expect(
            try store.read(lobby, tail: 10, since: 2, atMost: 10)
                == RoomReading(
                    revision: 5, count: 1, tail: [row],
                    changes: .all([.tombstone(id(2), sort: 2, rev: 4), .row(row, reloaded: 3)]),
                    rules: RoomRules(of: .open)))
        #expect(
            try store.operations(lobby, since: 0, limit: 10).map(\.operation)
                == [
                    RoomOperation.send(1, "hello"),
                    .act(2, .send(MessageContent("reply", replyTo: id(1))), by: Someone.ann), .edit(3, 1, "bye"),
                    .delete(4, 2),
                    .react(5, 1, "👍"),
                ].map(\.operation))
    }

    @Test func aNewFileHasTheTablesOfTheLatestVersionAndItsFormatNumber() throws {
        _ = try SQLiteStore(path: path)
        let connection = try Connection.open(path)

        #expect(try connection.number("PRAGMA application_id") == 1_147_556_461)
        #expect(try connection.number("PRAGMA user_version") == 30)
    }

    /// Messages from before are read when somebody joins, so nothing that is unread lacks a number.
    @Test func whoJoinsARoomOfBeforeHasWhatCameSinceUnread() throws {
        try write(Self.version1)
        let store = try SQLiteStore(path: path)
        _ = try store.commit([.send(6), .act(7, .join, by: Someone.bob), .send(8), .send(9), .delete(10, 8)])

        let before = try store.memberships(of: Someone.bob)
        _ = try store.commit([.delete(11, 1), .delete(12, 6), .send(13)])
        let after = try store.memberships(of: Someone.bob)

        #expect(before.map(\.joined) == [7] && before.map(\.read) == [7])
        #expect(before.map(\.unread) == [1] && after.map(\.unread) == [2])
        let found = try problems()
        #expect(found == [])
    }

    /// A join at revision 6, as a version with memberships wrote it.
    private static let join = """
        INSERT INTO memberships(room, user, joined, time, read) VALUES(1, 'bob', 6, 1006, 6);
        INSERT INTO operations(room, revision, command, author, time, kind)
            VALUES(1, 6, x'00000000000000000000000000000006', 'bob', 1006, 0);
        INSERT INTO commands VALUES(1, x'00000000000000000000000000000006', 6);
        UPDATE rooms SET revision = 6;
        """

    @Test func whoWasAMemberBeforeHasSettingsFromThenOn() throws {
        try write(Self.version1)
        let connection = try Connection.open(path)
        try Schema(migrations: Array(Schema.current.migrations[..<12])).migrate(connection, from: 1)
        try connection.execute(Self.join)
        let store = try SQLiteStore(path: path)

        #expect(try store.memberships(of: Someone.bob).map(\.settings) == [RoomSettings()])
        let change = SettingsChange(pinned: .at(3), isMuted: true, isMarked: true)
        _ = try store.commit([.act(7, .settings(change), by: Someone.bob)])
        #expect(
            try store.memberships(of: Someone.bob).map(\.settings)
                == [RoomSettings(pinned: 3, isMuted: true, marked: 7)])
        let found = try problems()
        #expect(found == [])
    }

    @Test func theLastMessageOfBeforeTellsARoomsPlace() throws {
        try write(Self.version1)
        let connection = try Connection.open(path)
        try Schema(migrations: Array(Schema.current.migrations[..<15])).migrate(connection, from: 1)
        try connection.execute(Self.join)
        let store = try SQLiteStore(path: path)

        let before = try #require(try store.places(of: Someone.bob).first)
        let last = try store.memberships(of: Someone.bob).first?.last
        #expect(last != nil && before.activity == ActivityStamp(of: last!.time))
        _ = try store.commit([.send(7)])
        #expect(try store.places(of: Someone.bob).first?.activity == ActivityStamp(of: 1_007))
        let found = try problems()
        #expect(found == [])
    }

    /// A clock of before was ahead: the rooms that it stamped keep their order, and come first until something is said.
    @Test func roomsThatAClockStampedAheadDoNotStayInFront() throws {
        try write(Self.version1)
        do {
            let connection = try Connection.open(path)
            try Schema(migrations: Array(Schema.current.migrations[..<19])).migrate(connection, from: 1)
            let ahead = Milliseconds.timeOfDay + 365 * 86_400_000
            try connection.execute(
                """
                INSERT INTO rooms(id, name, revision, count, activity) VALUES
                    (2, 'late', 1, 0, \(ahead * 512)), (3, 'later', 1, 0, \(ahead * 512 + 512));
                INSERT INTO memberships(room, user, joined, time, read) VALUES
                    (1, 'bob', 5, 1005, 5), (2, 'bob', 1, 9, 1), (3, 'bob', 1, 9, 1);
                """)
        }
        let store = try SQLiteStore(path: path)
        func order() throws -> [String] {
            try store.places(of: Someone.bob).sorted { $0.activity > $1.activity }.map(\.room.description)
        }

        #expect(try order() == ["later", "late", "lobby"])
        var operation = RoomOperation.send(6).at(.timeOfDay).operation
        operation.instant = try #require(store.clock(of: lobby)).now
        _ = try store.commit([RoomOperation(room: lobby, operation: operation)])
        #expect(try order() == ["lobby", "later", "late"])
    }

    @Test func whoInvitedPeopleIsKnownFromThenOn() throws {
        try write(Self.version1)
        let connection = try Connection.open(path)
        try Schema(migrations: Array(Schema.current.migrations[..<16])).migrate(connection, from: 1)
        let room = RoomName(privateRoomOf: id(9))
        try connection.execute(
            """
            INSERT INTO rooms(name, revision, count, is_ruled) VALUES('\(room)', 1, 0, 1);
            INSERT INTO memberships(room, user, joined, time, read) VALUES(2, 'bob', 0, 9, 0), (2, 'ann', 1, 9, 1);
            INSERT INTO standings VALUES(2, 'bob', 2, 0, 0, 0), (2, 'ann', 4, 0, 0, 0);
            """)
        let store = try SQLiteStore(path: path)

        #expect(
            try store.memberships(of: Someone.bob).map { [$0.kind == .invited, $0.inviter == nil] } == [[true, true]])
        _ = try store.commit([.act(10, .moderate(.invite(UserName("cid")!)), by: Someone.ann, in: room)])
        #expect(try store.memberships(of: UserName("cid")!).map(\.inviter) == [Someone.ann])
    }

    /// Two messages that answer one and mention people, in the columns of format 21.
    private static let contents = """
        INSERT INTO operations(room, revision, command, author, time, kind, target, text, mentions) VALUES
            (1, 6, x'00000000000000000000000000000006', 'ann', 1006, 1, x'00000000000000000000000000000001', '@bob yes', 'bob'),
            (1, 7, x'00000000000000000000000000000007', 'ann', 1007, 1, NULL, 'no', NULL),
            (1, 8, x'00000000000000000000000000000008', 'ann', 1008, 2, x'00000000000000000000000000000007', '@room no', '');
        INSERT INTO commands VALUES
            (1, x'00000000000000000000000000000006', 6), (1, x'00000000000000000000000000000007', 7),
            (1, x'00000000000000000000000000000008', 8);
        INSERT INTO messages(room, sort, id, changed, reloaded, author, time, text, edited, reply, mentions) VALUES
            (1, 6, x'00000000000000000000000000000006', 6, 6, 'ann', 1006, '@bob yes', NULL,
                x'00000000000000000000000000000001', 'bob'),
            (1, 7, x'00000000000000000000000000000007', 8, 8, 'ann', 1007, '@room no', 1008, NULL, '');
        INSERT INTO mentions(room, user, sort, author) VALUES(1, 'bob', 6, NULL), (1, '', 7, 'ann');
        UPDATE rooms SET revision = 8, count = 3, activity = 1007 * 512;
        """

    @Test func contentsOfBeforeAreReadAsTheyWereAndAnEditKeepsTheRest() throws {
        try write(Self.version1)
        do {
            let connection = try Connection.open(path)
            try Schema(migrations: Array(Schema.current.migrations[..<21])).migrate(connection, from: 1)
            try connection.execute(Self.contents)
        }
        let store = try SQLiteStore(path: path)
        func contents() throws -> [MessageContent] {
            try #require(try store.page(lobby, .before(9), limit: 10)).rows.map(\.content)
        }
        let everyone = Mentioned([], everyone: true)
        let answer = MessageContent("@bob yes", replyTo: id(1), mentions: [Someone.bob])

        #expect(try contents() == ["bye", answer, MessageContent("@room no", mentions: everyone)])
        #expect(
            try store.operations(lobby, since: 5, limit: 10).map(\.operation.action)
                == [.send(answer), .send("no"), .edit(id(7), ContentEdit("@room no", mentions: everyone))])
        let operation = RoomOperation.act(6, .send(answer), by: Someone.ann)
        #expect(try store.commit([operation]) == [.repeated(6)])
        #expect(try store.commit([.edit(9, 6, "maybe")]).map(\.revision) == [9])
        #expect(try contents()[1] == MessageContent("maybe", replyTo: id(1)))
        #expect(
            try store.operations(lobby, since: 8, limit: 10).map(\.operation.action) == [.edit(id(6), "maybe")])
        let found = try problems()
        #expect(found == [])
    }

    private func problems() throws -> [String] {
        var problems: [String] = []
        _ = try StoreCheck.check(path) { problems.append($0) }
        return problems
    }

    // MARK: - The machinery, with future migrations

    private func open(_ migrations: String...) throws(RoomStoreError) -> SQLiteStore {
        let schema = Schema(migrations: Schema.current.migrations + migrations)
        return try SQLiteStore(path: path, limits: WireLimits(), schema: schema)
    }

    @Test func everyStepThatIsMissingIsTakenInOrder() throws {
        try write(Self.version1)

        _ = try open("CREATE TABLE future(room INTEGER)", "ALTER TABLE future ADD COLUMN id BLOB")

        let connection = try Connection.open(path)
        #expect(try connection.number("PRAGMA user_version") == 32)
        #expect(try connection.number("SELECT count(*) FROM pragma_table_info('future')") == 2)
    }

    @Test func aStepThatFailsLeavesTheFileAsItWas() throws {
        try write(Self.version1)

        #expect(throws: RoomStoreError.self) {
            try open("CREATE TABLE future(room INTEGER)", "ALTER TABLE nothing ADD COLUMN id BLOB")
        }

        #expect(try Connection.open(path).number("SELECT count(*) FROM sqlite_schema WHERE name = 'drafts'") == 0)
        #expect(try SQLiteStore(path: path).read(lobby, tail: 0, since: nil, atMost: 0).revision == 5)
    }
}
