import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

extension StoreReader {
    /// See ``RoomStore/memberships(of:)``.
    ///
    /// - Parameter rooms: only these; `nil` for all.
    func memberships(
        of user: UserName, in rooms: [RoomName]? = nil
    ) throws(PostgresFailure) -> [MembershipReading] {
        let person = Parameter.text(user.description)
        // Each once, because each is looked up.
        let names = rooms.map { Parameter.texts(Set($0).map(\.description)) }
        let queries = [
            Query.memberships, Query.lastMessages, Query.ownStandings, Query.companions, Query.roots,
        ]
        let steps = queries.map { $0.step(person, in: names) }
        let answers = try atOneMoment(steps + Self.blocks(of: [user]))
        let blocks = try answers[5...].blocks[user] ?? .none
        let (lasts, standings) = (answers[1].rowsOfRooms, answers[2].rowsOfRooms)
        let (companions, roots) = (answers[3].people, answers[4].rowsOfRooms)
        var readings: [MembershipReading] = []
        for row in answers[0].rows {
            do throws(PostgresFailure) {
                let room = try row.room()
                readings.append(
                    try row.membership(
                        last: try lasts[room].map { (last) throws(PostgresFailure) in
                            try reader.message(last, in: room, at: row.revision(2)).0
                        },
                        root: try roots[room].map { (root) throws(PostgresFailure) in
                            try reader.message(root, in: room.ruling, at: row.revision(19)).0
                        }, standing: standings[room], people: companions[room] ?? [], blocks))
            } catch {
                guard case .senseless = error else { throw error }
            }
        }
        return readings.sorted { $0.room.description.utf8.lexicographicallyPrecedes($1.room.description.utf8) }
    }

    /// See ``RoomStore/places(of:)``.
    func places(of user: UserName) throws(PostgresFailure) -> [MembershipPlace] {
        let answers = try atOneMoment(
            [
                .run(.placesOf, .text(user.description))
            ] + Self.blocks(of: [user]))
        let blocks = try answers[1...].blocks[user] ?? .none
        var places: [MembershipPlace] = []
        places.reserveCapacity(answers[0].rows.count)
        for row in answers[0].rows {
            do throws(PostgresFailure) {
                places.append(try row.place(blocks))
            } catch {
                guard case .senseless = error else { throw error }
            }
        }
        return places
    }

    /// See ``RoomStore/memberships(of:in:)``.
    func memberships(
        of users: [UserName], in room: RoomName
    ) throws(PostgresFailure) -> [UserName: MembershipReading] {
        let name = Parameter.text(room.description)
        let names = Parameter.texts(users.map(\.description))
        let (ruling, root) = (room.ruling.description, room.root.map { [$0] } ?? [])
        let answers = try atOneMoment(
            [
                .run(.membershipsIn, name, names), .run(.messagesBefore, name, .integer(.max), .integer(1)),
                .run(.standings, .texts(users.map { _ in ruling }), names), .run(.companionsIn, .texts([ruling])),
                .run(.messages, .texts(root.map { _ in ruling }), .ids(root)),
            ] + Self.blocks(of: users, in: room))
        let blocks = try answers[5...].blocks
        let standings = Dictionary(answers[2].rows.map { ($0.text(1), $0) }) { first, _ in first }
        var readings: [UserName: MembershipReading] = [:]
        for row in answers[0].rows {
            let (user, standing) = (try row.user(1), standings[row.text(1)])
            let last = try answers[1].rows.first.map { (last) throws(PostgresFailure) in
                try reader.message(last, in: room, at: row.revision(2)).0
            }
            let root = try answers[4].rows.first.map { (root) throws(PostgresFailure) in
                try reader.message(root, in: room.ruling, at: row.revision(19)).0
            }
            readings[user] = try row.membership(
                last: last, root: root, standing: standing, people: answers[3].people[room.ruling] ?? [],
                blocks[user] ?? .none)
        }
        return readings
    }
}

extension StoreReader {
    /// See ``RoomStore/mentions(of:in:before:limit:)``.
    func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(PostgresFailure) -> [MentionReading] {
        let (person, names) = (Parameter.text(user.description), Parameter.texts(rooms.map(\.description)))
        let step: Connection.Step =
            if let place {
                .run(
                    .mentionsBefore, person, names, .integer(Int64(limit)), .integer(place.instant),
                    .text(place.id.room.description), .id(place.id.message))
            } else {
                .run(.mentionsOf, person, names, .integer(Int64(limit)))
            }
        let threads = rooms.filter(\.isThread)
        let standings = Connection.Step.run(
            .standings, .texts(threads.map(\.ruling.description)), .texts(threads.map { _ in user.description }))
        let answers = try atOneMoment([step] + (threads.isEmpty ? [] : [standings]))
        let readable = try threads.readable(by: answers.dropFirst().first)
        var readings: [MentionReading] = []
        for row in answers[0].rows {
            do throws(PostgresFailure) {
                let room = try row.room()
                guard !room.isThread || readable.contains(room) else { continue }
                let read = row.isNull(12) ? nil : try row.revision(12)
                let message = try row.message().0
                let instant = message.time.addingReportingOverflow(try row.integer(13))
                guard !instant.overflow, instant.partialValue.isOnTheWire else { throw row.senseless(13) }
                readings.append(
                    MentionReading(message, in: room, at: instant.partialValue, read: read))
            } catch {
                guard case .senseless = error else { throw error }
            }
        }
        return readings.newest(limit)
    }

    /// See ``RoomStore/profiles(of:)``.
    func profiles(of users: [UserName]) throws(PostgresFailure) -> [UserName: StoredProfile] {
        let answers = try atOneMoment([.run(.profiles, .texts(users.map(\.description)))])
        return try answers[0].profiles
    }

    /// See ``RoomStore/drafts(of:)``.
    func drafts(of users: [UserName]) throws(PostgresFailure) -> [UserName: [StoredDraft]] {
        let answers = try atOneMoment([.run(.drafts, .texts(users.map(\.description)))])
        var drafts: [UserName: [StoredDraft]] = [:]
        for row in answers[0].rows {
            do throws(PostgresFailure) {
                drafts[try row.user(0), default: []].append(try row.draft(1))
            } catch {
                guard case .senseless = error else { throw error }
            }
        }
        return drafts
    }

    /// The questions for what is hidden from people: in all of their rooms, or in one with its threads.
    private static func blocks(of users: [UserName], in room: RoomName? = nil) -> [Connection.Step] {
        let names = Parameter.texts(users.map(\.description))
        return [
            .run(.blocks, names),
            room.map { .run(.blockedRoom, names, .text($0.ruling.description)) } ?? .run(.blockedRooms, names),
        ]
    }

    /// See ``RoomStore/blocks(of:)``.
    func blocks(of users: [UserName]) throws(PostgresFailure) -> [UserName: [StoredBlock]] {
        try atOneMoment([.run(.blocks, .texts(users.map(\.description)))])[0].blocksOfPeople
    }

    /// See ``RoomStore/blockers(of:)``.
    func blockers(of user: UserName) throws(PostgresFailure) -> [UserName] {
        try atOneMoment([.run(.blockers, .text(user.description))])[0].blocksOfPeople.keys.sorted()
    }

    /// See ``RoomStore/later(of:)``.
    func later(of users: [UserName]) throws(PostgresFailure) -> [UserName: [StoredLater]] {
        let answers = try atOneMoment([.run(.later, .texts(users.map(\.description)))])
        return try answers[0].laterOfPeople
    }

    /// See ``RoomStore/nextLater(limit:)``.
    func nextLater(limit: Int) throws(PostgresFailure) -> [(user: UserName, item: StoredLater)] {
        try atOneMoment([.run(.nextLater, .integer(Int64(limit)))])[0].later
    }
}

extension StoreReader {
    /// See ``RoomStore/members(of:after:limit:)``.
    func members(of room: RoomName, after user: UserName?, limit: Int) throws(PostgresFailure) -> [RoomMember] {
        if room.isThread { return [] }
        let answers = try atOneMoment([Self.page(of: room, after: user, limit)])
        return try answers[0].rows.map { (row) throws(PostgresFailure) in try row.roomMember() }.sorted {
            $0.user < $1.user
        }
    }

    private static func page(of room: RoomName, after user: UserName?, _ limit: Int) -> Connection.Step {
        .run(.membersAfter, .text(room.description), .text(user?.description ?? ""), .integer(Int64(limit)))
    }

    /// See ``RoomStore/members(_:of:)``.
    func members(_ query: MembersQuery, of room: RoomName) throws(PostgresFailure) -> MembersReading {
        if room.isThread { return MembersReading(MemberCounts(), [:]) }
        let name = Parameter.text(room.description)
        let answers = try atOneMoment([
            Self.page(of: room, after: nil, query.first),
            .run(.namedMembers, name, .texts(query.names.map(\.description))), .run(.memberCounts, name),
        ])
        var people: [UserName: RoomMember] = [:]
        for row in answers[0].rows + answers[1].rows {
            do throws(PostgresFailure) {
                let member = try row.roomMember()
                people[member.user] = member
            } catch {
                guard case .senseless = error else { throw error }
            }
        }
        guard let row = answers[2].rows.first else { return MembersReading(MemberCounts(), people) }
        let counts = MemberCounts(members: Int(try row.natural(0)), invited: Int(try row.natural(1)))
        return MembersReading(counts, people)
    }
}

extension [RoomName] {
    /// Returns the threads of rooms that a person may read. They may follow others all the same.
    ///
    /// - Parameter standings: the person's, in the rooms.
    fileprivate func readable(by standings: Answer?) throws(PostgresFailure) -> Set<RoomName> {
        var known: [RoomName: Standing] = [:]
        for row in standings?.rows ?? [] { known[try row.room()] = try row.standing().1 }
        return Set(filter { (known[$0.ruling] ?? Standing()).mayRead($0.kind) })
    }
}

extension ArraySlice<Answer> {
    /// The blocks of people with the rooms that they hide, by two answers: ``Query/blocks``, and ``Query/blockedRooms`` or ``Query/blockedRoom``.
    fileprivate var blocks: [UserName: Blocks] {
        get throws(PostgresFailure) {
            let blocks = try self[startIndex].blocksOfPeople
            guard !blocks.isEmpty else { return [:] }
            var rooms: [UserName: [RoomName]] = [:]
            for row in self[startIndex + 1].rows {
                guard let room = RoomName(known: row.text(1)) else { continue }
                rooms[try row.user(0), default: []].append(room)
            }
            return Dictionary(uniqueKeysWithValues: blocks.map { ($0, Blocks($1, besides: rooms[$0] ?? [])) })
        }
    }
}

extension Answer {
    /// The stored profiles of ``Query/profiles``, but for damaged ones.
    var profiles: [UserName: StoredProfile] {
        get throws(PostgresFailure) {
            var profiles: [UserName: StoredProfile] = [:]
            for row in rows {
                do throws(PostgresFailure) {
                    profiles[try row.user(0)] = try row.profile(1)
                } catch {
                    guard case .senseless = error else { throw error }
                }
            }
            return profiles
        }
    }

    /// The blocks of ``Query/blocks``, but for damaged ones, by their people.
    var blocksOfPeople: [UserName: [StoredBlock]] {
        get throws(PostgresFailure) {
            var blocks: [UserName: [StoredBlock]] = [:]
            for row in rows {
                do throws(PostgresFailure) {
                    blocks[try row.user(0), default: []].append(
                        StoredBlock(user: try row.user(1), room: try row.direct(), time: try row.time(3)))
                } catch {
                    guard case .senseless = error else { throw error }
                }
            }
            return blocks
        }
    }

    /// The items of ``Query/later``, but for damaged ones, by their people.
    var laterOfPeople: [UserName: [StoredLater]] {
        get throws(PostgresFailure) {
            Dictionary(grouping: try later, by: \.user).mapValues { $0.map(\.item) }
        }
    }

    /// The items of ``Query/later`` or ``Query/nextLater``, but for damaged ones.
    fileprivate var later: [(user: UserName, item: StoredLater)] {
        get throws(PostgresFailure) {
            var items: [(user: UserName, item: StoredLater)] = []
            for row in rows {
                do throws(PostgresFailure) {
                    items.append(try row.later())
                } catch {
                    guard case .senseless = error else { throw error }
                }
            }
            return items
        }
    }

    /// By the names of their rooms, of which each has one at most.
    fileprivate var rowsOfRooms: [RoomName: Row] {
        let rows = rows.compactMap { row in RoomName(known: row.text(0)).map { ($0, row) } }
        return Dictionary(rows) { first, _ in first }
    }

    /// The people in the second column, by the names of their rooms; in the order of their names' bytes.
    var people: [RoomName: [UserName]] {
        var people: [RoomName: [UserName]] = [:]
        for row in rows {
            guard let room = RoomName(known: row.text(0)), let user = UserName(known: row.text(1)) else { continue }
            people[room, default: []].append(user)
        }
        return people.mapValues { $0.sorted() }
    }
}

extension Row {
    fileprivate func roomMember() throws(PostgresFailure) -> RoomMember {
        RoomMember(
            try user(0), try natural(1) == 0 ? .invited : .member, at: try time(2),
            by: isNull(3) ? nil : try user(3), read: try natural(4), role: isNull(5) ? .none : try role(5))
    }

    fileprivate func place(_ blocks: Blocks) throws(PostgresFailure) -> MembershipPlace {
        let (room, pinned) = (try room(), try revision(3))
        return MembershipPlace(
            room: room, kind: try revision(1) == 0 ? .invited : .member, time: try time(2),
            pinned: pinned == 0 ? nil : pinned, isArchived: try integer(4) != 0,
            standing: isNull(6) ? Standing() : try standing(6), activity: try activity(5),
            isHidden: blocks.hides(room))
    }

    /// The room of a row of ``Query/blocks``.
    fileprivate func direct() throws(PostgresFailure) -> RoomName {
        guard let room = RoomName(known: text(2)) else { throw senseless(2) }
        return room
    }

    /// - Parameters:
    ///   - last: the room's last message.
    ///   - root: the message that a thread answers.
    ///   - standing: the row of the person's standing.
    ///   - blocks: the person's.
    fileprivate func membership(
        last: Message?, root: Message?, standing: Row?, people: [UserName], _ blocks: Blocks
    ) throws(PostgresFailure) -> MembershipReading {
        let inserted = Int(try natural(7))
        let first =
            isNull(8)
            ? nil
            : FirstUnread(
                ordinal: Int(try natural(8)), deleted: Int(try natural(9)), mentions: Int(try natural(10)))
        let reading = MembershipReading(
            room: try room(), user: try user(1), revision: try natural(2), joined: try natural(3),
            time: try time(4), inviter: isNull(17) ? nil : try user(17), read: try natural(5),
            settings: try settings(12), unread: first?.count(of: inserted) ?? 0, mentions: first?.mentions ?? 0,
            last: last, activity: try activity(18), ruled: try natural(19),
            standing: try standing?.standing().1 ?? Standing(), title: try title(11), picture: try picture(16),
            people: people, root: root, blocks: blocks)
        guard reading.contradiction(count: Int(try natural(6))) == nil else { throw senseless(5) }
        return reading
    }
}
