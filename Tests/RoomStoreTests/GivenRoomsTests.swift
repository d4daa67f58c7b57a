import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// Rooms that others make for somebody are bounded, and take nothing from the rooms that this person joins or creates.
struct GivenRoomsTests {
    private let folder = TemporaryFolder()
    private let otherFolder = TemporaryFolder()
    private static let most = 4
    private static let victim = UserName("victim")!

    private static let limits = {
        var limits = WireLimits()
        limits.memberships = most
        return limits
    }()

    private static func direct(_ number: UInt64, by author: UserName, with other: UserName = victim) -> RoomOperation {
        .act(number, .create(.direct(people: [other])), by: author, in: RoomName(directRoomOf: id(number)))
    }

    /// Many people make rooms with one, who joins and creates as many as ever.
    @Test(arguments: StoreUnderTest.allCases.filter { $0 != .sharded })
    func whatOthersMakeTakesNobodysOwnRooms(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder, limits: Self.limits)
        let attack = (1...20 as ClosedRange<UInt64>).map { Self.direct($0, by: UserName("mallory-\($0)")!) }

        let outcomes = try store.commit(attack)

        #expect(outcomes.count { $0.revision == 1 } == Self.most)
        #expect(outcomes.dropFirst(Self.most).allSatisfy { $0 == .refused(.tooManyGiven) }, "\(outcomes)")
        let joins = (1...3 as ClosedRange<UInt64>).map {
            RoomOperation.act(100 + $0, .join, by: Self.victim, in: RoomName("room-\($0)")!)
        }
        #expect(try store.commit(joins).map(\.revision) == [1, 1, 1])
        #expect(try store.commit([Self.direct(200, by: Self.victim, with: Someone.bob)]).map(\.revision) == [1])
        let full = CommitOutcome.refused(.tooManyMemberships(most: Self.most))
        let more: [RoomOperation] = [
            .act(201, .join, by: Self.victim), Self.direct(202, by: Self.victim, with: Someone.ann),
            .act(203, .leave, by: Self.victim, in: RoomName("room-1")!), .act(204, .join, by: Self.victim),
        ]
        let answers = try store.commit(more)
        #expect(answers[..<2] == [full, full] && answers[2...].map(\.revision) == [2, 1], "\(answers)")
    }

    /// Nobody leaves a direct room, but who puts one away has space for another, within a bound.
    @Test(arguments: StoreUnderTest.allCases.filter { $0 != .sharded })
    func whoPutsADirectRoomAwayMayBeGivenAnother(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder, limits: Self.limits)
        var made: [RoomName] = []
        for number in 1...30 as ClosedRange<UInt64> {
            let room = Self.direct(number, by: UserName("mallory-\(number)")!)
            let isMade = try store.commit([room])[0].revision == 1
            #expect(isMade == (made.count < 2 * Self.most), "\(made.count) rooms")
            guard isMade else { continue }
            made.append(room.room)
            let archive = RoomAction.settings(SettingsChange(isArchived: true))
            _ = try store.commit([.act(100 + number, archive, by: Self.victim, in: room.room)])
        }

        #expect(try store.memberships(of: Self.victim).count == 2 * Self.most)
        let takesBack = RoomAction.settings(SettingsChange(isArchived: false))
        #expect(try store.commit([.act(300, takesBack, by: Self.victim, in: made[0])]).map(\.revision) == [3])
        #expect(try store.commit([.act(301, .join, by: Self.victim)]).map(\.revision) == [1])
    }

    /// A naive count of everybody's rooms, one by one and in batches.
    @Test(arguments: StoreUnderTest.histories(60).filter { $0.0 != .sharded })
    func afterAnyHistoryTheLimitsAreThoseOfANaiveCount(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: Self.limits)
        var village = Village(most: Self.most)
        for round in 0..<12 as Range<UInt64> {
            let batch = (0..<UInt64.random(in: 1...12, using: &random)).map { number in
                village.act(round * 100 + number + 1, using: &random)
            }
            for (entry, outcome) in zip(batch, try store.commit(batch)) {
                #expect(village.verdict(of: entry) == Village.Verdict(outcome), "\(entry) came out as \(outcome)")
                if case .committed = outcome { village.follow(entry) }
            }
        }
        for user in Village.people {
            #expect(try store.memberships(of: user).count == village.rooms(of: user), "\(user)")
            #expect(village.rooms(of: user) <= 3 * Self.most)
        }
    }
}

/// Who is in which rooms, as plainly as it can be kept.
private struct Village {
    static let people = ["ann", "bob", "cid", "dan"].map { UserName($0)! }

    enum Verdict: Equatable {
        case own, given, other

        init(_ outcome: CommitOutcome) {
            switch outcome {
            case .refused(.tooManyMemberships): self = .own
            case .refused(.tooManyGiven): self = .given
            case .refused, .committed, .repeated, .conflict: self = .other
            }
        }
    }

    private struct Room {
        let creator: UserName?
        var members: Set<UserName> = []
        var invited: Set<UserName> = []
        var archived: Set<UserName> = []
    }

    let most: Int
    private var rooms: [RoomName: Room] = [:]
    /// The rooms that a batch may create, too.
    private var names: [RoomName] = (0..<6).map { RoomName("open-\($0)")! }

    init(most: Int) { self.most = most }

    func rooms(of user: UserName) -> Int {
        rooms.values.count { $0.members.contains(user) || $0.invited.contains(user) }
    }

    private func own(_ user: UserName) -> Int {
        rooms.count { $1.members.contains(user) && ($0.kind != .direct || $1.creator == user) }
    }

    private func given(_ user: UserName, _ isCounted: (Room) -> Bool = { _ in true }) -> Int {
        rooms.count { name, room in
            let isMade = name.kind == .direct && room.members.contains(user) && room.creator != user
            return (isMade || room.invited.contains(user)) && isCounted(room)
        }
    }

    private func mayBeGiven(_ user: UserName) -> Bool {
        given(user) { !$0.archived.contains(user) } < most && given(user) < 2 * most
    }

    mutating func act(_ number: UInt64, using random: inout SplitMix64) -> RoomOperation {
        let author = Self.people.randomElement(using: &random)!
        let others = Self.people.filter { $0 != author }.shuffled(using: &random)
        let room = names.randomElement(using: &random)!
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            let new = RoomName(privateRoomOf: id(number))
            names.append(new)
            return .act(number, .create(.private(people: Array(others.prefix(2)))), by: author, in: new)
        case 1, 2:
            let new = RoomName(directRoomOf: id(number))
            names.append(new)
            return .act(number, .create(.direct(people: [others[0]])), by: author, in: new)
        case 3, 4, 5: return .act(number, .join, by: author, in: room)
        case 6: return .act(number, .leave, by: author, in: room)
        case 7: return .act(number, .moderate(.invite(others[0])), by: author, in: room)
        default:
            let change = SettingsChange(isArchived: .random(using: &random))
            return .act(number, .settings(change), by: author, in: room)
        }
    }

    func verdict(of entry: RoomOperation) -> Verdict {
        let (author, room) = (entry.operation.author, rooms[entry.room])
        let isMember = room?.members.contains(author) == true
        let isInvited = room?.invited.contains(author) == true
        switch entry.operation.action {
        case .join:
            let mayEnter = entry.room.kind == .open || isInvited
            return mayEnter && !isMember && own(author) >= most ? .own : .other
        case .create(let new):
            guard own(author) < most else { return .own }
            return new.people.allSatisfy(mayBeGiven) ? .other : .given
        case .moderate(.invite(let user)):
            guard entry.room.kind == .private, room?.creator == author, isMember,
                room?.members.contains(user) == false, room?.invited.contains(user) == false
            else { return .other }
            return mayBeGiven(user) ? .other : .given
        case .leave, .settings, .moderate, .send, .edit, .grow, .delete, .react, .summarize: return .other
        }
    }

    mutating func follow(_ entry: RoomOperation) {
        let author = entry.operation.author
        switch entry.operation.action {
        case .join:
            rooms[entry.room, default: Room(creator: nil)].members.insert(author)
            rooms[entry.room]?.invited.remove(author)
        case .leave:
            rooms[entry.room]?.members.remove(author)
            rooms[entry.room]?.invited.remove(author)
            rooms[entry.room]?.archived.remove(author)
        case .create(.private(let people, _)):
            rooms[entry.room] = Room(creator: author, members: [author], invited: Set(people))
        case .create(.direct(let people)): rooms[entry.room] = Room(creator: author, members: Set(people + [author]))
        case .moderate(.invite(let user)):
            if rooms[entry.room]?.members.contains(user) == false { rooms[entry.room]?.invited.insert(user) }
        case .settings(let change):
            if change.isArchived == true { rooms[entry.room]?.archived.insert(author) }
            if change.isArchived == false { rooms[entry.room]?.archived.remove(author) }
        case .create, .moderate, .send, .edit, .grow, .delete, .react, .summarize: break
        }
    }
}
