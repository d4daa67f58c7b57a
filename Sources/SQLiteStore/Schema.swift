import ChatWire
import RoomStore

/// The file's tables, as a list of migrations.
///
/// - Shape: `migrations[n]` leads from format n to format n + 1; the file's `user_version` holds its format. A released
///   migration is never changed.
struct Schema {
    let migrations: [String]

    /// The mark of our files: "DfRm".
    static let applicationID: Int64 = 0x4466_526D

    static let current = Schema(migrations: [
        version1, version2, version3, version4, version5, version6, version7, version8, version9,
        version10, version11, version12, version13, version14, version15, version16, version17, version18,
        version19, version20, version21, version22, version23, version24, version25, version26,
        version27, version28, version29, version30,
    ])

    /// - `commands`: the revision of each command. A send's command is its message's id, so this table also finds
    ///   messages: a message's sort key is the revision that inserted it.
    /// - `messages_touched`: the rows that were touched after they were inserted, in the order of the last touch. The
    ///   other rows are in that order by their key, so a send does not write to this index.
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
        """

    /// - `role`: the author's role at the time. Before, everybody had the role `write`.
    private static let version2 = "ALTER TABLE operations ADD COLUMN role INTEGER NOT NULL DEFAULT 2"

    /// - `rooms.is_ruled`: whether any user has a standing. A room without moderators skips the search for one.
    /// - `operations.subject`, `value`: the affected user of a moderation or the author of a deleted message; the span,
    ///   the interval or the role.
    /// - `operations_audited`: actions on the room or on another person's message.
    /// - `last_sends`: of rooms in slow mode.
    private static let version3 = """
        ALTER TABLE rooms ADD COLUMN slow INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE rooms ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE rooms ADD COLUMN is_ruled INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE operations ADD COLUMN subject TEXT;
        ALTER TABLE operations ADD COLUMN value INTEGER;
        CREATE INDEX operations_audited ON operations(room, revision) WHERE kind > 5;
        CREATE TABLE standings(
            room INTEGER NOT NULL, user TEXT NOT NULL, role INTEGER NOT NULL, muted INTEGER NOT NULL,
            banned INTEGER NOT NULL, kicked INTEGER NOT NULL,
            PRIMARY KEY(room, user)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE last_sends(
            room INTEGER NOT NULL, user TEXT NOT NULL, time INTEGER NOT NULL,
            PRIMARY KEY(room, user)
        ) STRICT, WITHOUT ROWID;
        """

    /// - `rooms.start`: rows with smaller sort keys were trimmed. `floor`: operations up to that revision may be
    ///   forgotten.
    private static let version4 = """
        ALTER TABLE rooms ADD COLUMN start INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE rooms ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
        """

    /// - `deliveries`: the revision up to which each room was delivered; a row for room 0 marks that deliveries have
    ///   begun.
    private static let version5 = """
        CREATE TABLE deliveries(room INTEGER PRIMARY KEY, revision INTEGER NOT NULL) STRICT;
        """

    /// - `store.session`: the number of the session that has the file open; 0 after an orderly close.
    private static let version6 = "ALTER TABLE store ADD COLUMN session INTEGER NOT NULL DEFAULT 0"

    /// - `tombstones_sort`: the deletions among the rows that a returning reader holds.
    private static let version7 = "CREATE INDEX tombstones_sort ON tombstones(room, sort)"

    /// - `memberships`: the members of each room, with the revision and time of the join, and the read mark.
    /// - `messages.ordinal`: the number of the message in the order in which the room's were inserted; `rooms.inserted`
    ///   is the number of them all. Messages from before this format have no ordinal and need none: everybody has
    ///   joined, and has read, after them.
    /// - `deleted`: the sort keys of deleted messages whose tombstones are forgotten.
    private static let version8 = """
        CREATE TABLE memberships(
            room INTEGER NOT NULL, user TEXT NOT NULL, joined INTEGER NOT NULL, time INTEGER NOT NULL,
            read INTEGER NOT NULL,
            PRIMARY KEY(room, user)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX memberships_user ON memberships(user, room);
        ALTER TABLE rooms ADD COLUMN inserted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE messages ADD COLUMN ordinal INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE deleted(room INTEGER NOT NULL, sort INTEGER NOT NULL, PRIMARY KEY(room, sort)) STRICT, WITHOUT ROWID;
        """

    /// - `messages.mentions`: the people whom the message mentions, and `operations.mentions` those of a send or edit; NULL
    ///   for none.
    /// - `mentions`: each of them but the author, to count them.
    private static let version9 = """
        ALTER TABLE messages ADD COLUMN mentions TEXT;
        ALTER TABLE operations ADD COLUMN mentions TEXT;
        CREATE TABLE mentions(
            room INTEGER NOT NULL, user TEXT NOT NULL, sort INTEGER NOT NULL,
            PRIMARY KEY(room, user, sort)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX mentions_sort ON mentions(room, sort);
        """

    /// - `rooms.title`: NULL for none. In `memberships` a person who is only invited has `joined` 0.
    private static let version10 = "ALTER TABLE rooms ADD COLUMN title TEXT"

    /// Invitations, which `operations` has as a kind of their own. Servers of before cannot read them.
    private static let version11 = ""

    /// - `mentions.author`: a message that mentions everybody has one row, whose `user` is empty, with its author, for whom
    ///   it does not count. In `messages.mentions` and `operations.mentions` an empty first line stands for everybody.
    private static let version12 = """
        ALTER TABLE mentions ADD COLUMN author TEXT;
        CREATE INDEX mentions_author ON mentions(room, author, sort) WHERE author IS NOT NULL;
        """

    /// - `memberships.pinned`: the place among the person's pinned rooms; 0 for none. `marked`: the revision at which the
    ///   person marked the room as unread; 0 for none. `silenced`: muted, but not by a moderator.
    private static let version13 = """
        ALTER TABLE memberships ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE memberships ADD COLUMN silenced INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE memberships ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE memberships ADD COLUMN marked INTEGER NOT NULL DEFAULT 0;
        """

    /// - `rooms.topic`, `rooms.picture`: NULL for none.
    private static let version14 = """
        ALTER TABLE rooms ADD COLUMN topic TEXT;
        ALTER TABLE rooms ADD COLUMN picture TEXT;
        """

    /// - `profiles`: what people are called and look like, as of a second; NULL for none.
    private static let version15 = """
        CREATE TABLE profiles(
            user TEXT PRIMARY KEY, name TEXT, picture TEXT, second INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// - `rooms.said`, `said_time`: the sort key and the time of the last message of the list; 0 for none. `memberships_user` has all that tells a room's place in a person's list but that.
    private static let version16 = """
        ALTER TABLE rooms ADD COLUMN said INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE rooms ADD COLUMN said_time INTEGER NOT NULL DEFAULT 0;
        UPDATE rooms SET (said, said_time) = (SELECT sort, time FROM messages WHERE room = rooms.id ORDER BY sort DESC LIMIT 1)
            WHERE EXISTS(SELECT 1 FROM messages WHERE room = rooms.id);
        DROP INDEX memberships_user;
        CREATE INDEX memberships_user ON memberships(user, room, joined, time, pinned, archived);
        """

    /// - `memberships.inviter`: of a person who is only invited; NULL where it was not kept.
    private static let version17 = "ALTER TABLE memberships ADD COLUMN inviter TEXT"

    /// The creation of open rooms, which `operations` has as a kind of its own. Servers of before cannot read it.
    private static let version18 = ""

    /// - `rooms.activity`: the stamp of the last message that was said, also if it is not there any more; 0 for none.
    private static let version19 = """
        ALTER TABLE rooms RENAME COLUMN said_time TO activity;
        UPDATE rooms SET activity = activity * 512;
        ALTER TABLE rooms DROP COLUMN said;
        """

    /// - `sum`: of the row, as ``Query`` says; 0 for none, in rows from before this format. `store.summed`: whether all rows
    ///   have one. A migration that changes columns of these tables writes new sums in place of the right ones, and leaves
    ///   wrong ones wrong. A column that it adds enters the sum only where it differs from its default, as `drift` does.
    private static let version20 = """
        ALTER TABLE store ADD COLUMN summed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE rooms ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE operations ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE messages ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE tombstones ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE standings ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE memberships ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE profiles ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
        """

    /// - `operations.drift`: what is to be added to `time` for the operation's instant in the store's time.
    /// - `store.latest`: no instant that was given is later. `lead`: the time by which the store's time was last ahead of the
    ///   clock.
    ///
    /// Before, the clocks decided. Operations that a clock stamped ahead of this moment get an instant right before it: the
    /// rooms keep their order, and mutes their length.
    private static let version21 = """
        ALTER TABLE operations ADD COLUMN drift INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN latest INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN lead INTEGER NOT NULL DEFAULT 0;
        CREATE TEMP TABLE ahead AS
            SELECT id, present.time AS now, present.time - row_number() OVER (ORDER BY activity DESC, id) AS instant
            FROM rooms, (SELECT unixepoch() * 1000 AS time) AS present
            WHERE activity > present.time * 512
                OR id IN (SELECT room FROM memberships WHERE time > unixepoch() * 1000)
                OR id IN (SELECT room FROM standings WHERE muted > unixepoch() * 1000);
        UPDATE operations SET drift = instant - time,
            sum = CASE sum
                WHEN row_sum(revision, command, author, time, kind, target, text, role, subject, value, mentions, room)
                THEN row_sum(revision, command, author, time, kind, target, text, role, subject, value, mentions, room,
                    instant - time)
                ELSE sum END
            FROM ahead WHERE room = ahead.id AND time > now;
        UPDATE rooms SET activity = ahead.place,
            sum = CASE sum
                WHEN row_sum(revision, count, slow, read_only, is_ruled, start, floor, inserted, title,
                    topic, picture, activity, name)
                THEN row_sum(revision, count, slow, read_only, is_ruled, start, floor, inserted, title,
                    topic, picture, ahead.place, name)
                ELSE sum END
            FROM (
                SELECT id, now, instant * 512 + max(1, (
                    SELECT count(*) FROM operations WHERE room = ahead.id AND kind = 1 AND time > now
                )) - 1 AS place FROM ahead
            ) AS ahead WHERE rooms.id = ahead.id AND activity > now * 512;
        UPDATE memberships SET time = instant,
            sum = CASE sum
                WHEN row_sum(room, user, joined, time, read, pinned, silenced, archived, marked, inviter)
                THEN row_sum(room, user, joined, instant, read, pinned, silenced, archived, marked, inviter)
                ELSE sum END
            FROM ahead WHERE room = ahead.id AND time > now;
        UPDATE last_sends SET time = instant FROM ahead WHERE room = ahead.id AND time > now;
        CREATE TEMP TABLE mutes AS
            SELECT room, user, time + drift + value AS until, max(revision)
            FROM standings JOIN ahead ON room = ahead.id JOIN operations USING (room)
            WHERE muted > now AND kind > 5 AND kind = 7 AND subject = user AND value BETWEEN 0 AND 1 << 53
            GROUP BY room, user;
        UPDATE standings SET muted = until,
            sum = CASE sum
                WHEN row_sum(standings.user, role, muted, banned, kicked, standings.room)
                THEN row_sum(standings.user, role, until, banned, kicked, standings.room)
                ELSE sum END
            FROM mutes WHERE standings.room = mutes.room AND standings.user = mutes.user;
        DROP TABLE mutes;
        DROP TABLE ahead;
        """

    /// Contents in the column `text`, as ``ContentColumns`` says. Servers of before would show them as they stand there. Rows
    /// from before stay as they are: dropping two columns would write the whole file anew, and NULL takes a byte.
    private static let version22 = ""

    /// - `sizes`: the numbers of rows of a room's tables of people. A room without a row was not counted yet.
    /// - `standings_over`, `last_sends_time`: the rows that may be stale, in the order in which they become so.
    private static let version23 = """
        CREATE TABLE sizes(
            room INTEGER PRIMARY KEY, members INTEGER NOT NULL, standings INTEGER NOT NULL, senders INTEGER NOT NULL,
            sum INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX standings_over ON standings(room, muted, kicked) WHERE role = 0 AND banned = 0;
        CREATE INDEX last_sends_time ON last_sends(room, time);
        """

    /// - `pins`: the pinned messages of a room, as ``PinBytes``. A room without them has no row.
    private static let version24 = """
        CREATE TABLE pins(room INTEGER PRIMARY KEY, entries BLOB NOT NULL, sum INTEGER NOT NULL) STRICT;
        """

    /// - `drafts`: what people have written and not sent, as ``MessageContent/stored``. `place`: the name of the room.
    private static let version25 = """
        CREATE TABLE drafts(
            user TEXT NOT NULL, place TEXT NOT NULL, time INTEGER NOT NULL, content TEXT NOT NULL, sum INTEGER NOT NULL,
            PRIMARY KEY(user, place)
        ) STRICT, WITHOUT ROWID;
        """

    /// Messages that grow: operations of the kinds -3 and -4, and contents that are open or ended early.
    private static let version26 = ""

    /// A thread is a room with a name that earlier servers cannot read, and a message's row may say that it has one.
    private static let version27 = ""

    /// The followers of a thread are its members. `operations.subject` of a send in a thread: the people who follow it from
    /// then on, each on a line.
    private static let version28 = ""

    /// - `later`: the items of `me/later`, with `item` as ``LaterItem/Light/stored``. `due`: see ``StoredLater``; NULL for what
    ///   no server sends.
    private static let version29 = """
        CREATE TABLE later(
            user TEXT NOT NULL, id BLOB NOT NULL, due INTEGER, held INTEGER NOT NULL, role INTEGER NOT NULL,
            item TEXT NOT NULL, sum INTEGER NOT NULL,
            PRIMARY KEY(user, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX later_due ON later(due) WHERE due IS NOT NULL;
        """

    /// - `blocks`: see ``StoredBlock``. `direct` is the direct room of the two.
    private static let version30 = """
        CREATE TABLE blocks(
            user TEXT NOT NULL, blocked TEXT NOT NULL, direct TEXT NOT NULL, time INTEGER NOT NULL, sum INTEGER NOT NULL,
            PRIMARY KEY(user, blocked)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX blocks_blocked ON blocks(blocked);
        """

    /// Returns the file's format; 0 if it is empty. Changes nothing.
    ///
    /// - Errors: `notAStore` for a database of another program, `newer` for an unknown format.
    func format(of connection: borrowing Connection) throws(RoomStoreError) -> Int {
        let application = try connection.number("PRAGMA application_id")
        let format = Int(try connection.number("PRAGMA user_version"))
        if application == Self.applicationID, format > 0 {
            guard format <= migrations.count else { throw .newer(found: format, supported: migrations.count) }
            return format
        }
        let tables = try connection.number("SELECT count(*) FROM sqlite_schema")
        if application == 0, format == 0, tables == 0 { return 0 }
        let path = RoomStoreError.path(of: connection.handle)
        throw .notAStore("\(path) is the database of another program: choose another --data")
    }

    /// False for the formats of before, which tests make.
    private var hasSums: Bool { migrations.count >= 20 }

    /// Migrates a file to the latest format in one transaction. An empty one gets the tables and an epoch.
    func migrate(_ connection: borrowing Connection, from format: Int) throws(RoomStoreError) {
        guard format < migrations.count else { return }
        try connection.transaction(.writing) { () throws(RoomStoreError) in
            for migration in migrations[format...] { try connection.execute(migration) }
            if format == 0 { try connection.execute("INSERT INTO store(epoch) VALUES('\(UniqueID.random())')") }
            if format == 0, hasSums { try connection.execute("UPDATE store SET summed = 1") }
            try connection.execute(
                "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(migrations.count)")
        }
    }
}
