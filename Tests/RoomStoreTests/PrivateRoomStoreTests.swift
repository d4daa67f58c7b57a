import ChatRoom
import ChatWire
import PostgresStore
import RoomStore
import TestSupport
import Testing

/// Private and direct rooms in every store.
struct PrivateRoomStoreTests {
    private let folder = TemporaryFolder()
    private static let cid = UserName("cid")!
    private static let plans = RoomTitle("Plans ☕️ \"7\"")!
    private static let secret = RoomName(privateRoomOf: id(1))
    private static let pair = RoomName("@00112233445566778899aabbccddeeff")!

    private static func create(_ people: [UserName] = [Someone.bob], title: RoomTitle? = plans) -> RoomOperation {
        .act(1, .create(.private(people: people, title: title)), by: Someone.ann, in: secret)
    }

    private static func direct(_ number: UInt64, by author: UserName = Someone.ann, with other: UserName = Someone.bob)
        -> RoomOperation
    {
        .act(number, .create(.direct(people: [other])), by: author, in: pair)
    }

    private static func moderate(_ number: UInt64, _ moderation: Moderation, by author: UserName = Someone.ann)
        -> RoomOperation
    {
        .act(number, .moderate(moderation), by: author, in: secret)
    }

    private func reading(of user: UserName, in room: RoomName, _ store: any RoomStore) throws -> MembershipReading? {
        let reading = try store.memberships(of: [user], in: room)[user]
        #expect(try store.memberships(of: user).first { $0.room == room } == reading)
        return reading
    }

    @Test(arguments: StoreUnderTest.allCases)
    func anInvitationIsAMembershipThatHasReadNothing(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let send = RoomOperation.act(
            2, .send(MessageContent("@bob", mentions: [Someone.bob])), by: Someone.ann, in: Self.secret)

        let outcomes = try store.commit([Self.create(), send])

        #expect(outcomes.map(\.revision) == [1, 2])
        let invited = try #require(try reading(of: Someone.bob, in: Self.secret, store))
        #expect((invited.kind, invited.joined, invited.read, invited.time) == (.invited, 0, 0, 1_001))
        #expect((invited.unread, invited.mentions, invited.title) == (1, 1, Self.plans))
        #expect(invited.last?.id == id(2) && invited.people == [] && invited.standing == Standing(role: .write))
        let owner = try #require(try reading(of: Someone.ann, in: Self.secret, store))
        #expect((owner.kind, owner.joined, owner.read, owner.unread) == (.member, 1, 2, 0), "the owner said it")
        #expect(owner.standing == Standing(role: .own))
        #expect(try store.read(Self.secret, tail: 0, since: nil, atMost: 0).rules.title == Self.plans)

        let join = RoomOperation.act(3, .join, by: Someone.bob, in: Self.secret)
        #expect(
            try store.commit([join, .act(4, .join, by: Self.cid, in: Self.secret)]) == [
                .committed(3, .joined(Someone.bob)), .refused(.notGranted(.read, .none)),
            ])
        let joined = try #require(try reading(of: Someone.bob, in: Self.secret, store))
        #expect((joined.kind, joined.joined, joined.read, joined.unread, joined.mentions) == (.member, 3, 3, 0, 0))
    }

    @Test(arguments: StoreUnderTest.allCases)
    func anInvitationTellsWhoInvitedFirstUntilItIsAnswered(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        func inviters(after operations: RoomOperation...) throws -> [UserName: UserName] {
            #expect(try store.commit(operations).allSatisfy { $0.revision != nil }, "\(operations)")
            let people = [Someone.ann, Someone.bob, Self.cid]
            return try store.memberships(of: people, in: Self.secret).compactMapValues(\.inviter)
        }

        #expect(
            try inviters(after: Self.create([Someone.bob, Self.cid])) == [
                Someone.bob: Someone.ann, Self.cid: Someone.ann,
            ])
        #expect(try reading(of: Someone.bob, in: Self.secret, store)?.inviter == Someone.ann)
        let promotion = Self.moderate(2, .appoint(Self.cid, .own))
        let accepted = try inviters(after: promotion, .act(3, .join, by: Self.cid, in: Self.secret))
        #expect(accepted == [Someone.bob: Someone.ann], "an answer ends it")
        let others = [
            Self.moderate(4, .invite(Someone.bob), by: Self.cid),
            Self.moderate(5, .appoint(Someone.bob, .read), by: Self.cid),
        ]
        #expect(try inviters(after: others[0], others[1]) == [Someone.bob: Someone.ann], "the first one stays")
        let anew = [
            Self.moderate(6, .appoint(Someone.bob, .none)), Self.moderate(7, .invite(Someone.bob), by: Self.cid),
        ]
        #expect(try inviters(after: anew[0], anew[1]) == [Someone.bob: Self.cid])
        let ban = [Self.moderate(8, .ban(Someone.bob)), Self.moderate(9, .unban(Someone.bob), by: Someone.ann)]
        #expect(try inviters(after: ban[0], ban[1]) == [Someone.bob: Someone.ann], "to unban is to invite again")
        #expect(try inviters(after: .act(10, .leave, by: Someone.bob, in: Self.secret)) == [:])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aReadMarkOfWhoIsOnlyInvitedDoesNothing(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        _ = try store.commit([Self.create()], marking: [ReadMark(room: Self.secret, user: Someone.bob, revision: 1)])

        #expect(try reading(of: Someone.bob, in: Self.secret, store)?.read == 0)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aDirectRoomIsOneAndSaysWhoseItIs(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        let outcomes = try store.commit([
            Self.direct(1), Self.direct(2, by: Someone.bob, with: Someone.ann), Self.direct(1),
        ])

        #expect(outcomes.map(\.revision) == [1, nil, nil] && outcomes.dropFirst() == [.repeated(1), .repeated(1)])
        for user in [Someone.ann, Someone.bob] {
            let reading = try #require(try reading(of: user, in: Self.pair, store))
            #expect((reading.kind, reading.joined, reading.title) == (.member, 1, nil))
            #expect(reading.people == [Someone.ann, Someone.bob])
        }
        #expect(try store.commit([.act(3, .leave, by: Someone.bob, in: Self.pair)]) == [.refused(.direct)])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aPrivateRoomIsCreatedOnceAndItsRepeatIsItsFirstAnswer(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let other = RoomOperation.act(1, .create(.private(people: [])), by: Self.cid, in: Self.secret)

        #expect(try store.commit([Self.create(), Self.create(), other]).map(\.revision) == [1, nil, nil])
        #expect(try store.commit([Self.create(), other, Self.create([])]) == [.repeated(1), .conflict, .conflict])
        let stranger = RoomOperation.act(1, .send("x"), by: Self.cid, in: Self.secret)
        #expect(
            try store.commit([stranger]) == [.refused(.notGranted(.write, .none))], "whether or not the room exists")
        let never = RoomOperation.act(
            1, .send("x"), by: Self.cid, in: RoomName(privateRoomOf: id(9)))
        #expect(try store.commit([never]) == [.refused(.notGranted(.write, .none))])
        #expect(try store.rooms(after: nil, limit: 9).map(\.name) == [Self.secret])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func theOperationsAndTheAuditLogReadBack(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let people = [Someone.bob, Self.cid]
        let batch = [
            Self.create(people), Self.moderate(2, .title(nil)), Self.moderate(3, .title(Self.plans)), Self.direct(4),
        ]
        let bare = RoomOperation.act(
            9, .create(.private(people: [])), by: Someone.ann, in: RoomName(privateRoomOf: id(9)))

        _ = try store.commit(batch + [bare])

        #expect(
            try store.operations(Self.secret, since: 0, limit: 9).map(\.operation.action)
                == batch.prefix(3).map(\.operation.action))
        #expect(
            try store.operations(Self.pair, since: 0, limit: 9).map(\.operation.action) == [batch[3].operation.action])
        #expect(try store.operations(bare.room, since: 0, limit: 9).map(\.operation.action) == [bare.operation.action])
        #expect(
            try store.audit(Self.secret, before: .max, limit: 9).entries.map(\.deed) == [
                .created(.private(people: people, title: Self.plans)), .moderated(.title(nil)),
                .moderated(.title(Self.plans)),
            ])
        #expect(
            try store.audit(Self.pair, before: .max, limit: 9).entries.map(\.deed) == [
                .created(.direct(people: [Someone.bob]))
            ])
    }

    @Test(arguments: [StoreUnderTest.memory, .sqlite, .postgres])
    func invitationsCountAgainstWhatOthersMayGive(kind: StoreUnderTest) throws {
        var limits = WireLimits()
        limits.memberships = 2
        let store = try kind.make(in: folder, limits: limits)
        let rooms = (1...3 as ClosedRange<UInt64>).map { RoomName(privateRoomOf: id($0)) }
        let batch = rooms.enumerated().map { index, room in
            RoomOperation.act(
                UInt64(index) + 1, .create(.private(people: [Someone.bob])), by: UserName("owner-\(index)")!, in: room)
        }

        #expect(try store.commit(batch).last == .refused(.tooManyGiven))
        #expect(try store.commit([.act(4, .join, by: Someone.bob)]).map(\.revision) == [1])
        let swap: [RoomOperation] = [
            .act(5, .join, by: Someone.bob, in: rooms[0]), .act(6, .leave, by: Someone.bob, in: rooms[1]), batch[2],
        ]
        #expect(try store.commit(swap).map(\.revision) == [2, 2, 1])
        #expect(Set(try store.memberships(of: Someone.bob).map(\.room)) == [lobby, rooms[0], rooms[2]])
    }

    /// Something else wrote to the database.
    @Test(arguments: [
        "UPDATE rooms SET title = ''", "UPDATE rooms SET title = E'a\\nb'", "UPDATE rooms SET title = repeat('é', 101)",
        "UPDATE memberships SET read = 9 WHERE person = 'bob'",
        "UPDATE memberships SET joined = 9 WHERE person = 'bob'",
        "UPDATE memberships SET inviter = '' WHERE person = 'bob'",
        "UPDATE memberships SET inviter = 'bob' WHERE person = 'ann'",
        "UPDATE standings SET role = 0", "UPDATE standings SET banned = 1", "UPDATE standings SET role = 7",
        "DELETE FROM standings",
        "UPDATE operations SET mentions = E'bob\\n\\nbob', text = E'a\\nb'", "UPDATE operations SET kind = 17",
    ])
    func rowsThatMakeNoSenseTellNothingAndTouchNoOtherRoom(change: String) throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        let attic = RoomName(privateRoomOf: id(7))
        _ = try store.commit([Self.create()])
        let schema = address.schema
        let table = change.split(separator: " ").first {
            ["rooms", "memberships", "standings", "operations"].contains($0)
        }!
        try ThrowawayPostgres.shared.get().query(
            change.replacing(table, with: "\(schema).\(table)", maxReplacements: 1))
        _ = try store.commit([.act(7, .create(.private(people: [Someone.bob])), by: Someone.ann, in: attic)])

        let asks: [() throws -> Void] = [
            { _ = try store.soundReading(of: Self.secret, tail: 9, since: nil, atMost: 0) },
            { _ = try store.memberships(of: [Someone.bob], in: Self.secret) },
            { _ = try store.operations(Self.secret, since: 0, limit: 9) },
            { _ = try store.audit(Self.secret, before: .max, limit: 9) },
            { _ = try store.commit([.act(8, .join, by: Someone.bob, in: Self.secret)]) },
            { _ = try store.commit([.act(9, .leave, by: Someone.bob, in: Self.secret)]) },
            { _ = try store.commit([Self.moderate(10, .appoint(Self.cid, .read)), Self.create()]) },
        ]
        for ask in asks {
            do { try ask() } catch RoomStoreError.damagedRoom(Self.secret, _) {}
        }

        #expect(try store.memberships(of: Someone.bob).contains { $0.room == attic && $0.kind == .invited })
        let stranger = RoomOperation.act(11, .join, by: UserName("dan")!, as: .own, in: attic)
        #expect(try store.commit([stranger]) == [.refused(.notGranted(.read, .none))])
    }

    // MARK: - Any history

    /// What every store does with any operations is what the store in memory does, one after the other or in batches.
    @Test(arguments: StoreUnderTest.histories(150).filter { $0.0 != .memory })
    func everyStoreDoesTheSame(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (store, model) = (try kind.make(in: folder), InMemoryStore())
        for round in 0..<12 as Range<UInt64> {
            let batch = (0..<UInt64.random(in: 1...6, using: &random)).map {
                Self.operation(round * 10 + $0 + 2, using: &random)
            }
            let user = Self.people.randomElement(using: &random)!
            let mark = ReadMark(
                room: Self.rooms.randomElement(using: &random)!, user: user,
                revision: .random(in: 0...30, using: &random))

            let expected = try model.commit(batch, marking: [mark])
            #expect(try store.commit(batch, marking: [mark]) == expected, "\(batch)")

            for user in Self.people {
                let memberships = try model.memberships(of: user)
                #expect(try store.memberships(of: user) == memberships)
            }
            for room in Self.rooms {
                let reading = try store.soundReading(of: room, tail: 9, since: nil, atMost: 0)
                let modelled = try model.read(room, tail: 9, since: nil, atMost: 0)
                #expect(reading == modelled)
                for user in Self.people {
                    #expect(try store.standing(of: user, in: room) == modelled.rules.standing(of: user))
                }
                try checkAppointments(reading.rules, in: room, store)
            }
        }
    }

    /// Whoever is invited was invited by the author of the operation since which they are.
    @Test(arguments: StoreUnderTest.histories(60))
    func theInviterIsTheAuthorOfWhatInvited(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder)
        var inviters: [UserName: UserName] = [:]
        for number in 2..<60 as Range<UInt64> {
            let entry = number == 2 ? Self.create() : Self.operation(number, using: &random)

            _ = try store.commit([entry])

            let readings = try store.memberships(of: Self.people, in: Self.secret)
            for user in Self.people {
                let isInvited = readings[user]?.kind == .invited
                inviters[user] = isInvited ? inviters[user] ?? entry.operation.author : nil
            }
            #expect(readings.compactMapValues(\.inviter) == inviters, "\(entry)")
        }
    }

    /// Who is appointed and not banned is a member or invited, and nobody else.
    private func checkAppointments(_ rules: RoomRules, in room: RoomName, _ store: any RoomStore) throws {
        guard room.kind != .open else { return }
        let members = try store.memberships(of: Self.people, in: room).keys
        #expect(Set(members) == Set(rules.standings.filter { $0.value.isAdmitted }.keys))
    }

    private static let people = [Someone.ann, Someone.bob, cid]
    private static let rooms = [secret, pair, lobby]

    private static func operation(_ number: UInt64, using random: inout SplitMix64) -> RoomOperation {
        let (author, other) = (people.randomElement(using: &random)!, people.randomElement(using: &random)!)
        let room = rooms.randomElement(using: &random)!
        let role = [Role.write, .write, .read, .own, .none].randomElement(using: &random)!
        let action: RoomAction
        switch Int.random(in: 0..<16, using: &random) {
        case 0...1 where room.kind == .private:
            return create([Someone.bob], title: [nil, plans].randomElement(using: &random)!)
        case 0...1 where room.kind == .direct:
            return author == cid
                ? direct(number) : direct(number, by: author, with: author == Someone.ann ? Someone.bob : Someone.ann)
        case 0...3: action = .join
        case 4: action = .leave
        case 5...6: action = .send(MessageContent("text", mentions: [other]))
        case 7: action = .moderate(.ban(other))
        case 8: action = .moderate(.unban(other))
        case 9: action = .moderate(.title([nil, plans].randomElement(using: &random)!))
        case 14: action = .moderate(.topic([nil, RoomTopic("What we do")].randomElement(using: &random)!))
        case 15:
            action = .moderate(
                .picture([nil, Picture("https://a.example/p.png")].randomElement(using: &random)!))
        case 12...13: action = .moderate(.invite(other))
        default: action = .moderate(.appoint(other, Role.allCases.randomElement(using: &random)!))
        }
        var operation = RoomOperation.act(number, action, by: author, as: role, in: room)
        if Int.random(in: 0..<3, using: &random) == 0, case .moderate = action {
            operation = operation.byService
        }
        return operation
    }
}

extension RoomOperation {
    fileprivate var byService: RoomOperation {
        var operation = operation
        operation.requester = .service
        return RoomOperation(room: room, operation: operation)
    }
}
