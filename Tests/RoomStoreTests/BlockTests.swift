import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// Whom people have blocked, and what that hides, in every store.
struct BlockTests {
    private let folder = TemporaryFolder()
    private static let people = HistoryTests.people
    private static let secret = RoomName("~0b6f6c1e-56a3-4f0f-9d0d-3d3e7b5a4c21")!
    private static let pair = RoomName("@00112233445566778899aabbccddeeff")!
    private static let rooms = HistoryTests.rooms + [secret, pair]

    /// The direct room in the first block is that of the first two people.
    private static func change(
        _ user: UserName, _ other: UserName, at time: Milliseconds = 7, _ isOn: Bool = true
    ) -> BlockChange {
        let isPair = Set([user, other]) == Set(people.prefix(2))
        let room = isPair ? pair : RoomName("@ffffffffffffffffffffffffffffffff")!
        return BlockChange(user: user, StoredBlock(user: other, room: room, time: time), isOn: isOn)
    }

    private static func change(at time: Milliseconds, using random: inout SplitMix64) -> BlockChange {
        let two = people.shuffled(using: &random)
        return change(two[0], two[1], at: time, Bool.random(using: &random))
    }

    private static func operations(_ round: Int, using random: inout SplitMix64) -> [RoomOperation] {
        let (number, people) = (UInt64(round) * 20 + 10_000, people.shuffled(using: &random))
        let mentions = Mentioned(Array(people.prefix(2)), everyone: Bool.random(using: &random))
        let own: [RoomOperation] = [
            .act(
                1, .create(.direct(people: [people[1] == Self.people[0] ? Self.people[1] : Self.people[0]])),
                by: people[1] == Self.people[0] ? people[1] : Self.people[1], in: pair),
            .act(2, .create(.private(people: [people[0]], title: nil)), by: people[1], in: secret),
            .act(number, .moderate(.invite(people[2])), by: people[1], as: .own, in: secret),
            .act(number + 1, .join, by: people[2], in: secret),
            .act(number + 2, .send(MessageContent("hi", mentions: mentions)), by: people[1], as: .own, in: secret),
            .act(number + 3, .send(MessageContent("hi", mentions: mentions)), by: people[0], in: pair),
        ]
        let all = UnreadTests.batch(round: round, using: &random) + own
        return all.map { $0.later(by: Int64(round) * Retention.day) }
    }

    /// The store in memory asks of each message whether its author is blocked.
    @Test(arguments: StoreUnderTest.histories(60))
    func everyStoreHidesTheSame(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (store, model) = (try kind.make(in: folder), InMemoryStore())
        for round in 0..<8 {
            let batch = Self.operations(round, using: &random)
            _ = try (store.commit(batch), model.commit(batch))
            let changes = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Self.change(at: Milliseconds(round), using: &random)
            }
            #expect(try store.write(changes, most: 1) == model.write(changes, most: 1))
            for user in Self.people { try expect(store, toReadAs: model, for: user) }
        }
    }

    private func expect(_ store: any RoomStore, toReadAs model: InMemoryStore, for user: UserName) throws {
        let blocks = try store.blocks(of: [user])[user] ?? []
        let expected = try model.blocks(of: [user])[user] ?? []
        #expect(blocks.sorted { $0.user < $1.user } == expected.sorted { $0.user < $1.user })
        #expect(try store.blockers(of: user) == model.blockers(of: user))
        #expect(try store.memberships(of: user) == model.memberships(of: user))
        for room in Self.rooms {
            #expect(try store.memberships(of: Self.people, in: room) == model.memberships(of: Self.people, in: room))
        }
        let places = try (store.places(of: user), model.places(of: user))
        #expect(places.0.sorted { $0.room < $1.room } == places.1.sorted { $0.room < $1.room })
        let mentions = try model.mentions(of: user, in: Self.rooms, before: nil, limit: 999)
        #expect(try store.mentions(of: user, in: Self.rooms, before: nil, limit: 999) == mentions)
        // In these rooms no message is older than the one before it.
        let closed = [Self.secret, Self.pair]
        for one in mentions.filter({ closed.contains($0.room) }).suffix(5) {
            let place = MentionSpot(id: one.id, instant: one.instant)
            let older = try model.mentions(of: user, in: closed, before: place, limit: 3)
            #expect(try store.mentions(of: user, in: closed, before: place, limit: 3) == older)
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func soManyMayBeBlocked(kind: StoreUnderTest) throws {
        let (store, ann) = (try kind.make(in: folder), Someone.ann)
        let names = (0..<4).map { UserName("user\($0)")! }
        let changes = names.map { Self.change(ann, $0) }

        #expect(try store.write(changes, most: 3) == [true, true, true, false])
        #expect(
            try store.write([changes[0], Self.change(ann, names[1], false), changes[3]], most: 3) == [true, true, true])

        #expect(Set(try store.blocks(of: [ann])[ann]?.map(\.user) ?? []) == [names[0], names[2], names[3]])
        #expect(try store.blocks(of: [names[0]]) == [:])
    }

    /// The first time stays, so a repeat after a lost answer changes nothing.
    @Test(arguments: StoreUnderTest.allCases)
    func aRepeatChangesNothing(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        for time: Milliseconds in [7, 9] {
            _ = try store.write([Self.change(Someone.ann, Someone.bob, at: time)], most: 9)
        }

        #expect(try store.blocks(of: [Someone.ann])[Someone.ann]?.map(\.time) == [7])
        #expect(try store.write([Self.change(Someone.bob, Someone.ann, false)], most: 0) == [true])
    }

    @Test func blocksOutliveTheProcess() throws {
        _ = try StoreUnderTest.sqlite.make(in: folder).write([Self.change(Someone.ann, Someone.bob)], most: 9)

        let store = try StoreUnderTest.sqlite.make(in: folder)

        let block = StoredBlock(user: Someone.bob, room: Self.pair, time: 7)
        #expect(try store.blocks(of: [Someone.ann]) == [Someone.ann: [block]])
    }
}
