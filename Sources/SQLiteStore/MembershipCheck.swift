import ChatRoom
import ChatWire
import RoomStore

/// The statements that check what a room's memberships are read with.
struct MembershipCheck: ~Copyable {
    private let ordinals: Statement
    private let deleted: Statement
    private let members: Statement
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
                SELECT user, joined, time, read,
                    (SELECT banned FROM standings WHERE room = ?1 AND standings.user = memberships.user)
                FROM memberships WHERE room = ?1
                """, on: connection)
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
                isBanned: !row.isNull(4) && row.integer(4) != 0)
        }
        let first = unnumbered.last?.sort ?? 0
        for member in members where !member.isSound(from: first, to: room.revision) {
            problems.append("\(member.user) joined at \(member.joined) and has read \(member.read)")
        }
        return problems
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
        let isBanned: Bool

        func isSound(from first: UInt64, to revision: Revision) -> Bool {
            !isBanned && first <= joined && joined <= read && read <= revision
        }
    }
}
