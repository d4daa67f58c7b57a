import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// The statements that put a room's tables right.
enum RoomRepair {
    static func writes(for repairs: [Repair], in room: Int64) -> [Connection.Step] {
        var steps = repairs.flatMap { writes(for: $0, in: .integer(room)) }
        if repairs.contains(where: \.isAboutPeople) { steps += writes(for: .sizes, in: .integer(room)) }
        if repairs.contains(where: \.isInLists) {
            // Clients may hold the wrong row, and have passed its revision.
            steps.append(.run(Query.beginEpoch.sql, .text(UniqueID.random().description), .integer(0)))
        }
        return steps
    }

    private static func writes(for repair: Repair, in room: Parameter) -> [Connection.Step] {
        switch repair {
        case .columns(let right): [columns(right, of: room)]
        case .standing(let user, let right): [standing(right, of: user, in: room)]
        case .membership(let user, let right): [membership(right, of: user, in: room)]
        case .message(let right): [message(right, in: room)]
        case .ordinal(let sort, let right):
            [
                .run(
                    "UPDATE messages SET ordinal = $3::bigint WHERE room = $1::bigint AND sort = $2::bigint", room,
                    .revision(sort), .integer(Int64(right)))
            ]
        case .mentions(let sort, let right):
            [.run("DELETE FROM mentions WHERE room = $1::bigint AND sort = $2::bigint", room, .revision(sort))]
                + right.map { mention($0, in: room) }
        case .tombstone(let revision, let right):
            [.run("DELETE FROM tombstones WHERE room = $1::bigint AND changed = $2::bigint", room, .revision(revision))]
                + (right.map { [tombstone($0, at: revision, in: room)] } ?? [])
        case .notDeleted(let sort):
            [.run("DELETE FROM deleted WHERE room = $1::bigint AND sort = $2::bigint", room, .revision(sort))]
        case .lastSend(let user, let time):
            [.run("DELETE FROM last_sends WHERE room = $1::bigint AND person = $2::text", room, .text("\(user)"))]
                + (time.map {
                    [
                        .run(
                            "INSERT INTO last_sends VALUES($1::bigint, $2::text, $3::bigint)", room, .text("\(user)"),
                            .integer($0))
                    ]
                } ?? [])
        case .sizes: [.run("UPDATE rooms SET sized = -1 WHERE id = $1::bigint", room)]
        // Operations are found by their commands themselves.
        case .commands: []
        // The database's pages have checksums of their own.
        case .sums: []
        }
    }

    private static func columns(_ right: RoomColumns, of room: Parameter) -> Connection.Step {
        .run(
            """
            UPDATE rooms SET revision = $2::bigint, count = $3::bigint, slow = $4::bigint, read_only = $5::bigint,
                inserted = $6::bigint, title = $7::text, topic = $8::text, picture = $9::text,
                activity = coalesce($10::bigint, activity),
                stamped = CASE WHEN $10::bigint IS NULL THEN stamped ELSE $6::bigint END, pins = $11::bytea
            WHERE id = $1::bigint
            """, room, .revision(right.revision), .integer(Int64(right.count)), .integer(right.configuration.slowMode),
            .integer(right.configuration.isReadOnly ? 1 : 0), .integer(Int64(right.inserted)),
            text(right.configuration.title?.description), text(right.configuration.topic?.description),
            text(right.configuration.picture?.description), right.activity.map { .integer($0.rawValue) } ?? .null,
            Parameter(bytes: right.configuration.pins.column))
    }

    private static func standing(_ right: Standing, of user: UserName, in room: Parameter) -> Connection.Step {
        .run(
            """
            INSERT INTO standings(room, person, role, muted, banned, kicked)
            VALUES($1::bigint, $2::text, $3::bigint, $4::bigint, $5::bigint, $6::bigint)
            ON CONFLICT (room, person) DO UPDATE SET role = excluded.role, muted = excluded.muted,
                banned = excluded.banned, kicked = excluded.kicked
            """, room, .text("\(user)"), .integer(Int64(right.role.rawValue)), .integer(right.mutedUntil),
            .integer(right.isBanned ? 1 : 0), .revision(right.kicked))
    }

    private static func membership(_ right: StoredMembership?, of user: UserName, in room: Parameter) -> Connection.Step
    {
        guard let right else {
            return .run("DELETE FROM memberships WHERE room = $1::bigint AND person = $2::text", room, .text("\(user)"))
        }
        return .run(
            """
            INSERT INTO memberships(room, person, joined, time, read, pinned, silenced, archived, marked, inviter)
            VALUES($1::bigint, $2::text, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint,
                $9::bigint, $10::text)
            ON CONFLICT (room, person) DO UPDATE SET joined = excluded.joined, time = excluded.time,
                read = excluded.read, pinned = excluded.pinned, silenced = excluded.silenced,
                archived = excluded.archived, marked = excluded.marked, inviter = excluded.inviter
            """, room, .text("\(user)"), .revision(right.joined), .integer(right.time), .revision(right.read),
            .revision(right.settings.pinned ?? 0), .integer(right.settings.isMuted ? 1 : 0),
            .integer(right.settings.isArchived ? 1 : 0), .revision(right.settings.marked),
            text(right.inviter?.description))
    }

    /// Replaces the row, or keeps its text and mentions where the operation that has them is not known.
    private static func message(_ right: RightRow, in room: Parameter) -> Connection.Step {
        let keeps = right.content == nil
        return .run(
            """
            INSERT INTO messages(room, sort, id, changed, reloaded, author, time, text, edited, reply, reactions, ordinal,
                mentions)
            SELECT sent.room, sent.revision, sent.command, $3::bigint, $4::bigint, sent.author, sent.time, coalesce($9::bytea, said.text),
                $5::bigint, sent.target, $6::bytea, $7::bigint, said.mentions
            FROM operations AS sent JOIN operations AS said ON said.room = $1::bigint AND said.revision = $8::bigint
            WHERE sent.room = $1::bigint AND sent.revision = $2::bigint
            ON CONFLICT (room, sort) DO UPDATE SET id = excluded.id, changed = excluded.changed,
                reloaded = excluded.reloaded, author = excluded.author, time = excluded.time,
                edited = excluded.edited, reply = excluded.reply, reactions = excluded.reactions,
                ordinal = excluded.ordinal\(keeps ? "" : ", text = excluded.text, mentions = excluded.mentions")
            """, room, .revision(right.sort), .revision(right.changed), .revision(right.reloaded),
            right.edited.map { .integer($0) } ?? .null,
            right.light.isEmpty ? .null : Parameter(bytes: LightBytes.encoding(right.light)),
            .integer(Int64(right.ordinal)), .revision(right.content ?? right.sort),
            right.text.map { Parameter(bytes: Array($0.utf8)) } ?? .null)
    }

    private static func mention(_ row: MentionRow, in room: Parameter) -> Connection.Step {
        .run(
            "INSERT INTO mentions(room, person, sort, author) VALUES($1::bigint, $2::text, $3::bigint, $4::text)", room,
            .text(row.user), .revision(row.sort), text(row.author))
    }

    private static func tombstone(
        _ right: StoredTombstone, at revision: Revision, in room: Parameter
    ) -> Connection.Step {
        .run(
            "INSERT INTO tombstones(room, changed, id, sort) VALUES($1::bigint, $2::bigint, $3::uuid, $4::bigint)",
            room,
            .revision(revision), .id(right.id), .revision(right.sort))
    }

    private static func text(_ value: String?) -> Parameter { value.map { .text($0) } ?? .null }
}
