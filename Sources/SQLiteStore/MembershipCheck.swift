import ChatRoom
import ChatWire
import RoomStore

/// The statements that check the columns from which a room's memberships are read.
struct MembershipCheck: ~Copyable {
    private let ordinals: Statement
    private let deleted: Statement
    private let members: Statement
    private let outsiders: Statement
    private let mentioning: Statement
    private let mentions: Statement
}

extension MembershipCheck {
    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        self.init(
            ordinals: try Statement("SELECT sort, ordinal FROM messages WHERE room = ?1 ORDER BY sort", on: connection),
            deleted: try Statement(
                """
                SELECT sort FROM tombstones WHERE room = ?1
                UNION ALL SELECT sort FROM deleted WHERE room = ?1 ORDER BY sort
                """, on: connection),
            members: try Statement(
                """
                SELECT memberships.user, joined, time, read, coalesce(role, 0), coalesce(banned, 0),
                    pinned, silenced, archived, marked, inviter
                FROM memberships LEFT JOIN standings
                    ON standings.room = memberships.room AND standings.user = memberships.user
                WHERE memberships.room = ?1
                """, on: connection),
            outsiders: try Statement(
                """
                SELECT user FROM standings WHERE room = ?1 AND role > 0 AND banned = 0
                    AND NOT EXISTS (SELECT 1 FROM memberships AS m WHERE m.room = ?1 AND m.user = standings.user)
                """, on: connection),
            mentioning: try Statement(
                """
                SELECT sort, id, changed, reloaded, author, time, text, edited, reply, reactions, mentions FROM messages
                WHERE room = ?1 AND mentions IS NOT NULL
                """, on: connection),
            mentions: try Statement("SELECT sort, user, author FROM mentions WHERE room = ?1", on: connection)
        )
    }

    /// Returns contradictions that no operations can cause.
    ///
    /// - Complexity: O(messages + deletions + members).
    borrowing func contradictions(in id: Int64, _ room: StoredRoom) throws(RoomStoreError) -> [String] {
        ordinals.bind(1, id)
        let messages = try ordinals.all { (row) throws(RoomStoreError) in
            Placed(sort: try row.revision(0), ordinal: try row.count(1))
        }
        deleted.bind(1, id)
        let deleted = try deleted.all { (row) throws(RoomStoreError) in try row.revision(0) }
        let unnumbered = messages.prefix { $0.ordinal == 0 }
        var problems: [String] = []
        let end = Placed(sort: .max, ordinal: room.inserted + 1)
        if let gap = Self.gap(in: messages.dropFirst(unnumbered.count) + [end], deleted) {
            problems.append("row \(gap.sort) is number \(gap.ordinal), which is not what was deleted before it")
        }
        members.bind(1, id)
        let members = try members.all { (row) throws(RoomStoreError) in
            Member(
                user: try row.user(0), joined: try row.revision(1), time: try row.time(2), read: try row.revision(3),
                standing: Standing(role: try row.role(4), isBanned: row.integer(5) != 0),
                settings: try row.settings(6), inviter: row.isNull(10) ? nil : try row.user(10))
        }
        let first = unnumbered.last?.sort ?? 0
        for member in members where !member.isSound(from: first, to: room.revision, of: room.kind) {
            problems.append("\(member.user) joined at \(member.joined) and has read \(member.read)")
        }
        for member in members {
            guard let contradiction = member.contradiction(at: room.revision) else { continue }
            problems.append("\(member.user) \(contradiction)")
        }
        return problems + (try wronglyAppointed(in: id, room.kind)) + (try wronglyCounted(in: id))
    }

    /// Returns those who are appointed in a private or direct room, and neither members nor invited.
    private borrowing func wronglyAppointed(in id: Int64, _ kind: RoomName.Kind) throws(RoomStoreError) -> [String] {
        guard kind != .open else { return [] }
        outsiders.bind(1, id)
        return try outsiders.all { (row) throws(RoomStoreError) in
            "\(try row.user(0)) is appointed, and neither a member nor invited"
        }
    }

    /// Returns the mentions that messages have and the table lacks, and the other way round.
    private borrowing func wronglyCounted(in id: Int64) throws(RoomStoreError) -> [String] {
        mentioning.bind(1, id)
        let called = try mentioning.all { (row) throws(RoomStoreError) in try row.message().0.mentionRows }
            .flatMap(\.self)
        mentions.bind(1, id)
        let counted = try mentions.all { (row) throws(RoomStoreError) in
            MentionRow(sort: try row.revision(0), user: try row.text(1), author: row.isNull(2) ? nil : try row.text(2))
        }
        return Set(called).symmetricDifference(counted).sorted { ($0.sort, $0.user) < ($1.sort, $1.user) }
            .map { "row \($0.sort) and the table of mentions differ about \($0.user.isEmpty ? "everyone" : $0.user)" }
    }

    /// Between two messages that are there as many numbers are missing as were deleted.
    ///
    /// - Parameters: both ascending.
    private static func gap(in messages: [Placed], _ deleted: [UInt64]) -> Placed? {
        var (last, gone) = (messages.first, deleted[...])
        for message in messages.dropFirst() {
            guard let before = last else { break }
            gone = gone.drop { $0 <= before.sort }
            let missing = gone.prefix { $0 <= message.sort }.count
            guard message.ordinal == before.ordinal + 1 + missing else { return message }
            last = message
        }
        return nil
    }

    private struct Placed {
        let sort: UInt64
        let ordinal: Int
    }

    private struct Member {
        let user: UserName
        let joined: Revision
        let time: Milliseconds
        let read: Revision
        let standing: Standing
        let settings: RoomSettings
        let inviter: UserName?

        func contradiction(at revision: Revision) -> String? {
            if joined == 0, settings != RoomSettings() { return "is invited, and has settings" }
            if joined > 0, let inviter { return "is a member, and invited by \(inviter)" }
            return settings.contradiction(at: revision)
        }

        /// - Parameter first: the sort key of the last message without a number.
        func isSound(from first: UInt64, to revision: Revision, of kind: RoomName.Kind) -> Bool {
            if joined == 0, read > 0 || kind != .private { return false }
            guard kind == .open ? !standing.isBanned : standing.isAdmitted else { return false }
            return first <= joined && joined <= read && read <= revision
        }
    }
}
