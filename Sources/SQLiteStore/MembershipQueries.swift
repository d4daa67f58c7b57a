import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// The statements that read memberships, with what is unread.
final class MembershipQueries {
    private let ofUser: Statement
    private let places: Statement
    private let inRoom: Statement
    private let after: Statement
    private let room: Statement
    private let member: Statement
    private let counts: Statement
    private let firstUnread: Statement
    private let lastMessage: Statement
    private let standing: Statement
    private let standings: Statement
    private let parent: Statement
    private let command: Statement
    private let message: Statement
    private let blockedMentions: Statement
    private let blocks: BlockStatements
    private let reader: MessageReader

    init(
        _ connection: borrowing Connection, _ reader: MessageReader, _ blocks: BlockStatements
    ) throws(RoomStoreError) {
        (self.reader, self.blocks) = (reader, blocks)
        blockedMentions = try Statement(.blockedMentions, on: connection)
        ofUser = try Statement(.membershipsOf, on: connection)
        places = try Statement(.placesOf, on: connection)
        inRoom = try Statement(.membershipIn, on: connection)
        after = try Statement(.membersAfter, on: connection)
        room = try Statement(.roomNumber, on: connection)
        member = try Statement(.member, on: connection)
        counts = try Statement(.memberCounts, on: connection)
        firstUnread = try Statement(.firstUnread, on: connection)
        lastMessage = try Statement(.messagesBefore, on: connection)
        standing = try Statement(.standing, on: connection)
        standings = try Statement(.standings, on: connection)
        parent = try Statement(.room, on: connection)
        command = try Statement(.command, on: connection)
        message = try Statement(.message, on: connection)
    }

    /// See ``RoomStore/memberships(of:)``. It runs within a transaction.
    func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        let blocks = try blocks.blocks(of: user)
        ofUser.bind(1, user.description)
        var readings: [MembershipReading] = []
        for member in try ofUser.sound(.max, { (row) throws(RoomStoreError) in try row.member() }) {
            do throws(RoomStoreError) {
                let parent = try parent(of: member.room)
                readings.append(
                    try member.reading(
                        last: try last(of: member), parent, try details(of: member, in: parent, blocks)))
            } catch {
                guard case .damaged = error else { throw error }
            }
        }
        return readings.sorted { $0.room.description.utf8.lexicographicallyPrecedes($1.room.description.utf8) }
    }

    /// See ``RoomStore/places(of:)``.
    func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] {
        let blocks = try blocks.blocks(of: user)
        places.bind(1, user.description)
        return try places.sound(.max) { (row) throws(RoomStoreError) in try row.place(blocks) }
    }

    /// See ``RoomStore/memberships(of:in:)-(UserName,_)``. It runs within a transaction.
    func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        var readings: [MembershipReading] = []
        for room in rooms {
            do throws(RoomStoreError) {
                readings += try memberships(of: [user], in: room).values
            } catch {
                guard case .damaged = error else { throw error }
            }
        }
        return readings
    }

    /// See ``RoomStore/memberships(of:in:)-([UserName],_)``. It runs within a transaction.
    func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        inRoom.bind(1, room.description)
        var readings: [UserName: MembershipReading] = [:]
        var last: Message??
        let parent = try parent(of: room)
        for user in users {
            inRoom.bind(2, user.description)
            guard let member = try inRoom.first({ (row) throws(RoomStoreError) in try row.member() }) else { continue }
            let message = if let last { last } else { try self.last(of: member) }
            last = message
            let blocks = try blocks.blocks(of: user, in: room)
            readings[user] = try member.reading(last: message, parent, try details(of: member, in: parent, blocks))
        }
        return readings
    }

    /// See ``RoomStore/members(of:after:limit:)``. It runs within a transaction.
    func members(of name: RoomName, after user: UserName?, limit: Int) throws(RoomStoreError) -> [RoomMember] {
        guard !name.isThread, let id = try number(of: name) else { return [] }
        bindPage(id, after: user, limit)
        let members = try after.all { (row) throws(RoomStoreError) in try row.roomMember() }
        return try appointed(members, in: id)
    }

    /// See ``RoomStore/members(_:of:)``. It runs within a transaction.
    func members(_ query: MembersQuery, of name: RoomName) throws(RoomStoreError) -> MembersReading {
        guard !name.isThread, let id = try number(of: name) else { return MembersReading(MemberCounts(), [:]) }
        var found: [RoomMember] = []
        if query.first > 0 {
            bindPage(id, after: nil, query.first)
            found = try after.sound(.max) { (row) throws(RoomStoreError) in try row.roomMember() }
        }
        member.bind(1, id)
        for user in query.names {
            member.bind(2, user.description)
            found += try member.sound(1) { (row) throws(RoomStoreError) in try row.roomMember() }
        }
        let people = Dictionary(found.map { ($0.user, $0) }) { first, _ in first }
        let members = try appointed(Array(people.values), in: id)
        return MembersReading(try counts(of: id), Dictionary(members.map { ($0.user, $0) }) { first, _ in first })
    }

    private func number(of name: RoomName) throws(RoomStoreError) -> Int64? {
        room.bind(1, name.description)
        return try room.first { $0.integer(0) }
    }

    private func bindPage(_ room: Int64, after user: UserName?, _ limit: Int) {
        after.bind(1, room)
        after.bind(2, user?.description ?? "")
        after.bind(3, Int64(limit))
    }

    /// Returns the members with the roles to which they were appointed.
    private func appointed(_ members: [RoomMember], in room: Int64) throws(RoomStoreError) -> [RoomMember] {
        var appointed: [RoomMember] = []
        appointed.reserveCapacity(members.count)
        for member in members { appointed.append(member.appointed(try standing(of: member.user, in: room).role)) }
        return appointed
    }

    private func counts(of room: Int64) throws(RoomStoreError) -> MemberCounts {
        counts.bind(1, room)
        return try counts.first { (row) throws(RoomStoreError) in
            MemberCounts(members: try row.count(0) - (try row.count(1)), invited: try row.count(1))
        } ?? MemberCounts()
    }

    private func last(of member: StoredMember) throws(RoomStoreError) -> Message? {
        lastMessage.bind(1, member.id)
        lastMessage.bind(2, UInt64.max)
        lastMessage.bind(3, Int64(1))
        return try lastMessage.first { (row) throws(RoomStoreError) in
            try reader.message(row, in: (member.id, member.room, member.revision)).0
        }
    }

    /// Reads what a thread has from its room; `nil` for a room that is no thread.
    private func parent(of thread: RoomName) throws(RoomStoreError) -> ThreadParent? {
        guard let name = thread.parent, let root = thread.root else { return nil }
        let room = try parent.room(named: name)
        return ThreadParent(name: name, room: room, root: try message(root, in: room, named: name))
    }

    private func message(_ id: MessageID, in room: StoredRoom, named name: RoomName) throws(RoomStoreError) -> Message?
    {
        guard let number = room.id else { return nil }
        command.bind(1, number)
        command.bind(2, id)
        guard let sort = try command.first({ (row) throws(RoomStoreError) in try row.revision(0) }) else { return nil }
        message.bind(1, number)
        message.bind(2, sort)
        message.bind(3, id)
        return try message.first { (row) throws(RoomStoreError) in
            try reader.message(row, in: (number, name, room.revision)).0
        }
    }

    private func details(
        of member: StoredMember, in parent: ThreadParent?, _ blocks: Blocks
    ) throws(RoomStoreError) -> StoredMember.Details {
        firstUnread.bind(1, member.id)
        firstUnread.bind(2, member.read)
        firstUnread.bind(3, member.user.description)
        let blocked = blocks.isEmpty ? 0 : try blockedMentions(of: member)
        let first = try firstUnread.first { (row) throws(RoomStoreError) in
            FirstUnread(
                ordinal: try row.count(1), deleted: try row.count(2) + row.count(3),
                mentions: try row.count(4) - blocked)
        }
        let people = try people(in: parent?.room.id ?? member.id, named: member.room)
        return StoredMember.Details(
            first: first, standing: try standing(of: member, in: parent), people: people, blocks: blocks)
    }

    private func blockedMentions(of member: StoredMember) throws(RoomStoreError) -> Int {
        blockedMentions.bind(1, member.id)
        blockedMentions.bind(2, member.user.description)
        blockedMentions.bind(3, member.read)
        return try blockedMentions.first { (row) throws(RoomStoreError) in try row.count(0) } ?? 0
    }

    private func standing(of member: StoredMember, in parent: ThreadParent?) throws(RoomStoreError) -> Standing {
        if let parent {
            return try parent.room.id.map { (id) throws(RoomStoreError) in try standing(of: member.user, in: id) }
                ?? Standing()
        }
        return member.isRuled ? try standing(of: member.user, in: member.id) : Standing()
    }

    func standing(of user: UserName, in room: Int64) throws(RoomStoreError) -> Standing {
        standing.bind(1, room)
        standing.bind(2, user.description)
        return try standing.first { (row) throws(RoomStoreError) in try row.standing().1 } ?? Standing()
    }

    /// Returns the people of a direct room; none for another one.
    private func people(in id: Int64, named room: RoomName) throws(RoomStoreError) -> [UserName] {
        guard room.kind == .direct else { return [] }
        standings.bind(1, id)
        let all = try standings.all { (row) throws(RoomStoreError) in try row.standing() }
        return RoomRules(of: .direct, standings: Dictionary(all) { $1 }).people
    }
}

/// The room of a thread, with the message that the thread answers.
private struct ThreadParent {
    let name: RoomName
    let room: StoredRoom
    /// `nil` if the message is not in the room any more.
    let root: Message?
}

/// A membership's row, with its room's.
private struct StoredMember {
    let id: Int64
    let room: RoomName
    let user: UserName
    let revision: Revision
    let joined: Revision
    let time: Milliseconds
    let inviter: UserName?
    let read: Revision
    let count: Int
    let inserted: Int
    let isRuled: Bool
    let title: RoomTitle?
    let settings: RoomSettings
    let picture: Picture?
    let activity: ActivityStamp

    struct Details {
        let first: FirstUnread?
        let standing: Standing
        let people: [UserName]
        let blocks: Blocks
    }

    /// - Parameter parent: of a thread, what it has from its room.
    func reading(
        last: Message?, _ parent: ThreadParent?, _ details: Details
    ) throws(RoomStoreError) -> MembershipReading {
        let unread = details.first.map { $0.count(of: inserted) } ?? 0
        let reading = MembershipReading(
            room: room, user: user, revision: revision, joined: joined, time: time, inviter: inviter,
            read: read, settings: settings, unread: unread, mentions: details.first?.mentions ?? 0, last: last,
            activity: activity, ruled: parent?.room.revision, standing: details.standing,
            title: parent.map(\.room.title) ?? title, picture: parent.map(\.room.picture) ?? picture,
            people: details.people, root: parent?.root, blocks: details.blocks)
        if let contradiction = reading.contradiction(count: count) {
            throw .damaged("room \(room): \(contradiction): put a backup in place")
        }
        return reading
    }
}

extension Row {
    fileprivate func place(_ blocks: Blocks) throws(RoomStoreError) -> MembershipPlace {
        let (room, pinned) = (try room(0), try revision(3))
        return MembershipPlace(
            room: room, kind: try revision(1) == 0 ? .invited : .member, time: try time(2),
            pinned: pinned == 0 ? nil : pinned, isArchived: integer(4) != 0,
            standing: isNull(6) ? Standing() : try standing(6), activity: try activity(5),
            isHidden: blocks.hides(room))
    }

    fileprivate func roomMember() throws(RoomStoreError) -> RoomMember {
        try requireSum(5)
        return RoomMember(
            try user(0), try revision(1) == 0 ? .invited : .member, at: try time(2),
            by: isNull(3) ? nil : try user(3), read: try revision(4))
    }

    fileprivate func member() throws(RoomStoreError) -> StoredMember {
        try requireSum(18)
        try requireSum(20)
        return StoredMember(
            id: integer(6), room: try room(0), user: try user(1), revision: try revision(2), joined: try revision(3),
            time: try time(4), inviter: isNull(16) ? nil : try user(16), read: try revision(5), count: try count(7),
            inserted: try count(8),
            isRuled: integer(9) != 0, title: try title(10), settings: try settings(11),
            picture: try picture(15), activity: try activity(17))
    }
}
