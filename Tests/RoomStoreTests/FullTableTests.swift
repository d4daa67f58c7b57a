import ChatRoom
import ChatWire
import RoomStore
import StoreEngine
import TestSupport
import Testing

@testable import SQLiteStore

/// Each table of a room's people has a maximum. Rows that no decision depends on give their places to others.
struct FullTableTests {
    private let folder = TemporaryFolder()
    private static let owner = UserName("owner")!
    private static let fullStandings = CommitOutcome.refused(.full(.standings, most: 6))
    private static let fullMembers = CommitOutcome.refused(.full(.members, most: 3))
    private static let fullSenders = CommitOutcome.refused(.full(.senders, most: 2))

    private static let limits = {
        var limits = WireLimits()
        (limits.members, limits.standings, limits.senders) = (3, 6, 2)
        return limits
    }()

    private static func user(_ number: UInt64) -> UserName { UserName("user-\(number)")! }

    /// An operation of the owner at an instant.
    private static func rule(
        _ number: UInt64, _ moderation: Moderation, at time: Milliseconds = 5_000, in room: RoomName = lobby
    ) -> RoomOperation {
        .act(number, .moderate(moderation), by: owner, as: .own, in: room).at(time)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aRoomKeepsAsManyStandingsAsTheLimitSays(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder, limits: Self.limits)
        let bans = (1...9 as ClosedRange<UInt64>).map { Self.rule($0, .ban(Self.user($0))) }

        let outcomes = try store.commit(bans)

        #expect(outcomes.prefix(6).map(\.revision) == [1, 2, 3, 4, 5, 6])
        #expect(outcomes.dropFirst(6).allSatisfy { $0 == Self.fullStandings }, "\(outcomes)")
        // Nothing stands in the way of what needs no place.
        let rest = try store.commit([
            .send(20), Self.rule(21, .unban(Self.user(1))), Self.rule(22, .ban(Self.user(7))),
            Self.rule(23, .ban(Self.user(8))), Self.rule(24, .mute(Self.user(2), for: 10)), Self.rule(25, .slowMode(0)),
        ])
        #expect(rest.map(\.revision) == [7, 8, 9, nil, 10, 11], "\(rest)")
    }

    /// Earlier versions had no maximum, so a room may have many more standings than the limit.
    @Test func aRoomOfAHundredThousandStandingsIsOpenedForOnePersonByAFewOfThem() throws {
        let path = folder.file("rooms.db")
        let muted = Self.rule(1, .mute(Self.user(7), for: 1_000_000))
        _ = try SQLiteStore(path: path).commit([muted, .send(2), .send(3)])
        try Connection.open(path).execute(
            """
            DELETE FROM sizes;
            INSERT OR REPLACE INTO standings(room, user, role, muted, banned, kicked, sum)
            WITH RECURSIVE numbers(number) AS (
                SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 100000
            )
            SELECT 1, 'user-' || number, 0, 4000000000000, 0, 0, row_sum('user-' || number, 0, 4000000000000, 0, 0, 1)
            FROM numbers
            """)
        let store = try SQLiteStore(path: path)
        let (one, stranger) = (Self.user(99_999), UserName("stranger")!)

        var rules = RoomRules(of: .open)
        let opening = try work {
            rules = try store.read(
                lobby, tail: 50, since: nil, atMost: 0, standings: .upTo(RoomState.fewStandings, or: [one, stranger])
            ).rules
        }
        var all = 0
        let whole = try work {
            all = try store.read(lobby, tail: 0, since: nil, atMost: 0).rules.standings.count
        }
        #expect(all == 100_000)

        #expect(rules.standing(of: one).mutedUntil == 4_000_000_000_000)
        #expect(rules.standings.count == 1 && rules.standing(of: stranger) == Standing())
        #expect(opening < whole / 10, "\(opening) ns for one person, \(whole) ns for all")
        #expect(try store.standing(of: one, in: lobby).mutedUntil == 4_000_000_000_000)
        let outcomes = try store.commit([
            .send(10), Self.rule(11, .ban(stranger)), Self.rule(12, .unmute(one)), Self.rule(13, .ban(one)),
        ])
        #expect(outcomes.map { $0.revision != nil } == [true, false, true, false], "\(outcomes)")
    }

    /// One action after another that fills a table and frees a place of it.
    @Test(arguments: StoreUnderTest.allCases, [true, false])
    func whatSaysNothingAnyMoreGivesItsPlaceAway(kind: StoreUnderTest, isOneBatch: Bool) throws {
        let store = try kind.make(in: folder, limits: Self.limits)
        func commit(_ operations: [RoomOperation]) throws -> [CommitOutcome] {
            isOneBatch ? try store.commit(operations) : try operations.flatMap { try store.commit([$0]) }
        }
        let kicks = (1...40 as ClosedRange<UInt64>).map { Self.rule($0, .kick(Self.user($0))) }
        #expect(try commit(kicks).allSatisfy { $0.revision != nil }, "kicks free the places of kicks")

        // The last three kicks are recent.
        let bans = (41...46 as ClosedRange<UInt64>).map { Self.rule($0, .ban(Self.user($0))) }
        #expect(try commit(bans).allSatisfy { $0.revision != nil }, "bans get the places of kicks")
        #expect(try commit([Self.rule(47, .mute(Self.user(47), for: 10))]) == [Self.fullStandings])

        let mutes: [RoomOperation] = [
            Self.rule(48, .unban(Self.user(41))), Self.rule(49, .mute(Self.user(48), for: 1_000)),
            Self.rule(50, .mute(Self.user(49), for: 1_000), at: 5_999),
            Self.rule(51, .mute(Self.user(50), for: 1_000), at: 6_000),
            Self.rule(52, .unmute(Self.user(50)), at: 6_001),
            Self.rule(53, .appoint(Self.user(51), .moderate), at: 6_001),
            Self.rule(54, .appoint(Self.user(52), .moderate), at: 6_001),
            Self.rule(55, .appoint(Self.user(51), .none), at: 6_001),
            Self.rule(56, .appoint(Self.user(52), .moderate), at: 6_001),
        ]
        let outcomes = try commit(mutes)
        let isFull = outcomes.map { $0 == Self.fullStandings }
        #expect(isFull == [false, false, true, false, false, false, true, false, false], "\(outcomes)")
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aRoomHasAsManyMembersAsTheLimitSays(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder, limits: Self.limits)
        let joins = (1...5 as ClosedRange<UInt64>).map { RoomOperation.act($0, .join, by: Self.user($0)) }

        let outcomes = try store.commit(joins)

        #expect(
            outcomes == [
                .committed(1, .joined(Self.user(1))), .committed(2, .joined(Self.user(2))),
                .committed(3, .joined(Self.user(3))), Self.fullMembers, Self.fullMembers,
            ])
        let rest = try store.commit([
            .act(10, .join, by: Self.user(1)), .act(11, .leave, by: Self.user(1)), .act(12, .join, by: Self.user(4)),
            Self.rule(13, .ban(Self.user(2))), .act(14, .join, by: Self.user(5)), .act(15, .join, by: Self.user(6)),
            Self.rule(16, .mute(Self.user(2), for: 10)), .act(17, .join, by: Self.user(6)),
        ])
        #expect(
            rest.map { $0 == Self.fullMembers } == [false, false, false, false, false, true, false, true], "\(rest)")
        #expect(try store.members(of: lobby, after: nil, limit: 9).count == 3)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func invitationsAreMembersToo(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder, limits: Self.limits)
        let room = RoomName(privateRoomOf: id(1))
        let new = RoomAction.create(.private(people: [Self.user(1)]))

        let outcomes = try store.commit([
            .act(1, new, by: Self.owner, in: room), Self.rule(2, .invite(Self.user(2)), in: room),
            Self.rule(3, .invite(Self.user(3)), in: room), Self.rule(4, .appoint(Self.user(4), .write), in: room),
            .act(5, .join, by: Self.user(1), in: room), .act(6, .leave, by: Self.user(1), in: room),
            Self.rule(7, .invite(Self.user(3)), in: room), Self.rule(8, .ban(Self.user(3)), in: room),
            Self.rule(9, .invite(Self.user(4)), in: room), Self.rule(10, .unban(Self.user(3)), in: room),
        ])

        let isFull = outcomes.map { $0 == Self.fullMembers }
        #expect(isFull == [false, false, true, true, false, false, false, false, false, true], "\(outcomes)")
    }

    @Test(arguments: StoreUnderTest.allCases, [true, false])
    func slowModeKeepsAsManyTimesAsTheLimitSays(kind: StoreUnderTest, isOneBatch: Bool) throws {
        let store = try kind.make(in: folder, limits: Self.limits)
        func commit(_ operations: [RoomOperation]) throws -> [CommitOutcome] {
            isOneBatch ? try store.commit(operations) : try operations.flatMap { try store.commit([$0]) }
        }
        func say(_ number: UInt64, at time: Milliseconds) -> RoomOperation {
            .send(number, by: Self.user(number)).at(time)
        }

        let outcomes = try commit([
            say(1, at: 1_000), Self.rule(2, .slowMode(1_000), at: 1_000), say(3, at: 1_000), say(4, at: 1_400),
            say(5, at: 1_500), say(6, at: 2_000), say(7, at: 2_399), say(8, at: 2_400),
            Self.rule(9, .slowMode(0), at: 2_400), say(10, at: 2_400), Self.rule(11, .slowMode(1_000), at: 2_400),
            say(12, at: 2_400), say(13, at: 2_400), say(14, at: 2_400),
        ])

        let isFull = outcomes.map { $0 == Self.fullSenders }
        #expect(
            isFull == [false, false, false, false, true, false, true, false, false, false, false, false, false, true],
            "\(outcomes)")
    }

    /// Wrong numbers with a right checksum are found and put right; those with a wrong checksum are not used.
    @Test(arguments: [
        "UPDATE sizes SET members = 3, sum = row_sum(room, 3, standings, senders)",
        "UPDATE sizes SET standings = 0, sum = row_sum(room, members, 0, senders)",
    ])
    func wrongNumbersAreFoundAndPutRight(damage: String) throws {
        let path = folder.file("rooms.db")
        do {
            let store = try SQLiteStore(path: path, limits: Self.limits)
            _ = try store.commit([.act(1, .join, by: Self.user(1)), Self.rule(2, .ban(Self.user(2)))])
        }
        try Connection.open(path).execute(damage)
        var problems: [String] = []
        _ = try StoreCheck.check(path) { problems.append($0) }
        #expect(problems.count == 1 && problems[0].contains("are counted, and there are 1"), "\(problems)")

        let report = try StoreCheck.repair(path) { _ in }

        #expect((report.repaired, report.remaining) == (1, 0))
        #expect(try StoreCheck.check(path) { _ in } == 0)
        try Connection.open(path).execute("UPDATE sizes SET members = 3")
        let store = try SQLiteStore(path: path, limits: Self.limits)
        #expect(try store.commit([.act(3, .join, by: Self.user(3))]).map(\.revision) == [3])
    }

    /// Any history of a room fills no table above its limit, refuses nothing while there is a place, and is the same however
    /// it is cut into batches.
    @Test(arguments: StoreUnderTest.histories(60))
    func afterAnyHistoryTheTablesAreThoseOfANaiveCount(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: Self.limits)
        var crowd = Crowd(limits: Self.limits)
        for round in 0..<10 as Range<UInt64> {
            let batch = (0..<UInt64.random(in: 1...14, using: &random)).map { number in
                crowd.act(round * 100 + number + 1, using: &random)
            }
            for (entry, outcome) in zip(batch, try store.commit(batch)) {
                let expected = crowd.apply(entry.operation)
                #expect(Crowd.Verdict(outcome) == expected, "\(entry) came out as \(outcome)")
                if case .committed(let revision, _) = outcome { #expect(Int(revision) == crowd.revision, "\(entry)") }
            }
        }
        let members = try store.members(of: lobby, after: nil, limit: 100)
        #expect(members.map(\.user) == crowd.members.sorted())
        #expect(try store.read(lobby, tail: 0, since: nil, atMost: 0).rules.standings.count == crowd.standings.count)
    }
}

/// The people of one open room, as plainly as they can be kept.
private struct Crowd {
    static let people = (1...9).map { UserName("user-\($0)")! }

    struct Place: Equatable {
        var until: Milliseconds = 0
        var isBanned = false
        var role = Role.none
        var kicked = 0
    }

    let limits: WireLimits
    private(set) var members: Set<UserName> = []
    private(set) var standings: [UserName: Place] = [:]
    private var sends: [UserName: Milliseconds] = [:]
    private var slowMode: Milliseconds = 0
    private(set) var revision = 0
    private var time: Milliseconds = 1_000

    init(limits: WireLimits) { self.limits = limits }

    mutating func act(_ number: UInt64, using random: inout SplitMix64) -> RoomOperation {
        time += Milliseconds.random(in: 0...40, using: &random)
        let user = Self.people.randomElement(using: &random)!
        let owner = UserName("owner")!
        func rule(_ moderation: Moderation) -> RoomOperation {
            .act(number, .moderate(moderation), by: owner, as: .own).at(time)
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: return rule(.mute(user, for: .random(in: 1...200, using: &random)))
        case 3: return rule(.unmute(user))
        case 4, 5, 6: return rule(.kick(user))
        case 7: return rule(.ban(user))
        case 8: return rule(.unban(user))
        case 9: return rule(.appoint(user, [.none, .moderate].randomElement(using: &random)!))
        case 10: return rule(.slowMode([0, 60, 90].randomElement(using: &random)!))
        case 11, 12: return .act(number, .leave, by: user, as: .own).at(time)
        case 13, 14: return .act(number, .join, by: user, as: .own).at(time)
        // The owner writes whenever they want.
        default:
            let text = RoomAction.send(MessageContent("hello"))
            return .act(number, text, by: UserName("sender-\(number % 5)")!, as: .own).at(time)
        }
    }

    enum Verdict: Equatable {
        case accepted, refused
        case full(PeopleTable)

        init(_ outcome: CommitOutcome) {
            switch outcome {
            case .committed, .repeated: self = .accepted
            case .refused(.full(let table, _)): self = .full(table)
            case .refused, .conflict: self = .refused
            }
        }
    }

    mutating func apply(_ operation: Operation) -> Verdict {
        let verdict = verdict(of: operation)
        // A leave creates no room.
        if verdict == .accepted, revision > 0 || operation.action != .leave { revision += 1 }
        return verdict
    }

    private mutating func verdict(of operation: Operation) -> Verdict {
        let (author, instant) = (operation.author, operation.instant)
        switch operation.action {
        case .join:
            if standings[author]?.isBanned == true { return .refused }
            if !members.contains(author), members.count == limits.members { return .full(.members) }
            members.insert(author)
        case .leave:
            members.remove(author)
        case .send:
            guard slowMode > 0 else { break }
            if sends.count == limits.senders { sends = sends.filter { $0.value + slowMode > instant } }
            if sends[author] == nil, sends.count == limits.senders { return .full(.senders) }
            sends[author] = instant
        case .moderate(.slowMode(let span)):
            slowMode = span
            if span == 0 { sends = [:] }
        case .moderate(.unmute(let user)): change(user) { $0.until = 0 }
        case .moderate(let moderation): return follow(moderation, at: instant)
        case .edit, .grow, .delete, .react, .summarize, .settings, .create: break
        }
        return .accepted
    }

    private mutating func follow(_ moderation: Moderation, at instant: Milliseconds) -> Verdict {
        let recent = limits.standings / 2
        if standings.count == limits.standings {
            standings = standings.filter { _, one in
                one.isBanned || one.role != .none || one.until > instant
                    || one.kicked > 0 && one.kicked + recent > revision
            }
        }
        guard let user = moderation.user else { return .accepted }
        let (before, next) = (standings, revision + 1)
        change(user) { standing in
            switch moderation {
            case .mute(_, let span): standing.until = instant + span
            case .kick: standing.kicked = next
            case .ban: standing.isBanned = true
            case .unban: standing.isBanned = false
            case .appoint(_, let role): standing.role = role
            default: break
            }
        }
        if standings.count > limits.standings {
            standings = before
            return .full(.standings)
        }
        if standings[user]?.isBanned == true { members.remove(user) }
        return .accepted
    }

    private mutating func change(_ user: UserName, _ body: (inout Place) -> Void) {
        var standing = standings[user] ?? Place()
        body(&standing)
        standings[user] = standing == Place() ? nil : standing
    }
}
