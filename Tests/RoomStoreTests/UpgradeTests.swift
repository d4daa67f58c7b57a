import ChatRoom
import ChatWire
import Locking
import RoomStore
import TestSupport
import Testing

@testable import PostgresStore

/// Servers of different versions beside each other, where a version is the formats that it knows.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct UpgradeTests {
    private let address: PostgresAddress
    private static let latest = PostgresStore.latestFormat
    /// Moderation came with format 2.
    private let close = RoomOperation.act(100, .moderate(.readOnly(.on)), by: Someone.ann, as: .moderate)

    init() throws {
        address = try .unused()
    }

    /// The formats of the operations, in the order in which they were written.
    private var formatsWritten: String {
        get throws {
            try ThrowawayPostgres.shared.get().query(
                "SELECT format FROM \(address.schema).operations ORDER BY revision"
            ).split(separator: "\n").joined(separator: " ")
        }
    }

    /// Tells a store, as other servers do, until its format in force is this one.
    private func format(_ format: Int, isInForceFor store: PostgresStore) async {
        let (formats, heard) = AsyncStream<Int>.makeStream()
        store.listen { news in if case .format(let inForce, _) = news { heard.yield(inForce) } }
        for await inForce in formats where inForce == format { return }
    }

    @Test func whileAnEarlierVersionRunsOnlyItsFormatIsWritten() throws {
        let earlier = try PostgresStore(address, knows: 1)
        let later = try PostgresStore(address)

        #expect(try later.commit([.send(1)]) + earlier.commit([.send(2)]) != [])
        #expect(try later.commit([close]) == [.refused(.notYet)])
        #expect(try later.commit([.send(3)]).map(\.revision) == [3])

        #expect(try formatsWritten == "1 1 1")
        #expect(try earlier.read(lobby, tail: 10, since: nil, atMost: 0).revision == 3)
    }

    /// A server of before knows no instants: it would fold to something else.
    @Test func whileAnEarlierVersionRunsTheTimeOfDayDecides() throws {
        let earlier = try PostgresStore(address, knows: Schema.storeTime - 1)
        let later = try PostgresStore(address)
        var operation = RoomOperation.send(1).operation
        operation.instant += 86_400_000

        _ = try later.commit([RoomOperation(room: lobby, operation: operation)])

        #expect(try later.operations(lobby, since: 0, limit: 1).map(\.operation.drift) == [0])
        #expect(try earlier.operations(lobby, since: 0, limit: 1).map(\.operation.drift) == [0])
    }

    @Test func onceTheLastEarlierServerHasStoppedTheLaterFormatIsWritten() async throws {
        var earlier: PostgresStore? = try PostgresStore(address, knows: 1)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        #expect(try later.commit([.send(1), close]).last == .refused(.notYet))

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit([close]).map(\.revision) == [2])
        #expect(try formatsWritten == "1 \(Self.latest)")
    }

    @Test func anEarlierVersionThatComesBackIsRefusedAndToldWhatToDo() throws {
        _ = try PostgresStore(address)

        let refusal = #expect(throws: RoomStoreError.self) { try PostgresStore(address, knows: 1) }

        #expect(refusal == .newer(found: Self.latest, supported: 1))
        #expect(refusal?.description.contains("start the later version") == true)
    }

    /// The server was silent for longer than its lease, and the others have gone on without it.
    @Test func anEarlierServerThatWakesUpReadsAndWritesNothing() throws {
        var patience = PostgresStore.Patience()
        patience.lease = .zero
        let earlier = try PostgresStore(address, patience: patience, knows: 1)
        #expect(try earlier.commit([.send(1)]).map(\.revision) == [1])

        let later = try PostgresStore(address)
        #expect(try later.commit([.send(2), close]).map(\.revision) == [2, 3])

        let error = RoomStoreError.newer(found: Self.latest, supported: 1)
        #expect(throws: error) { try earlier.commit([.send(4)]) }
        #expect(throws: error) { try earlier.read(lobby, tail: 10, since: nil, atMost: 0) }
        #expect(throws: error) { try earlier.page(lobby, .before(10), limit: 10) }
        #expect(throws: error) { try earlier.operations(lobby, since: 0, limit: 10) }
        #expect(throws: error) { try earlier.audit(lobby, before: 10, limit: 10) }
        #expect(try formatsWritten == "1 \(Self.latest) \(Self.latest)")
    }

    /// A server of before gives messages no numbers; nobody joins while it runs.
    @Test func onceTheLastEarlierServerHasStoppedPeopleJoin() async throws {
        let join = RoomOperation.act(200, .join, by: Someone.bob, as: .read)
        var earlier: PostgresStore? = try PostgresStore(address, knows: 8)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        _ = try later.commit([.send(1), .send(2)])
        try ThrowawayPostgres.shared.get().query("UPDATE \(address.schema).messages SET ordinal = 0")
        try ThrowawayPostgres.shared.get().query("UPDATE \(address.schema).rooms SET inserted = 0")
        #expect(try later.commit([join]) == [.refused(.notYet)])
        #expect(try later.memberships(of: Someone.bob) == [])

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit([join, .send(3), .send(4), .delete(5, 3)]).map(\.revision) == [3, 4, 5, 6])
        #expect(try later.memberships(of: Someone.bob).map(\.unread) == [1])
    }

    /// A server of before would edit a message and leave its mentions.
    @Test func onceTheLastEarlierServerHasStoppedMessagesMentionPeople() async throws {
        let calling = RoomOperation.act(2, .send(MessageContent("@bob", mentions: [Someone.bob])), by: Someone.ann)
        var earlier: PostgresStore? = try PostgresStore(address, knows: 9)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        #expect(try later.commit([.act(1, .join, by: Someone.bob), calling]).last == .refused(.notYet))

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit([calling, .edit(3, 2, "nobody")]).map(\.revision) == [2, 3])
        #expect(try later.memberships(of: Someone.bob).map(\.mentions) == [0])
    }

    /// A server of before reads a content in three columns.
    @Test func contentsAreInOneColumnOnceTheLastEarlierServerHasStopped() async throws {
        let answer = MessageContent("@bob yes", replyTo: id(1), mentions: [Someone.bob])
        var earlier: PostgresStore? = try PostgresStore(address, knows: 21)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        func contents(_ store: PostgresStore?) throws -> [MessageContent]? {
            try store?.page(lobby, .before(9), limit: 10)?.rows.map(\.content)
        }
        func stored() throws -> String {
            try ThrowawayPostgres.shared.get().query(
                """
                SELECT string_agg(convert_from(text, 'UTF8') || ':' || coalesce(mentions, ''), ' ' ORDER BY sort)
                FROM \(address.schema).messages
                """
            ).split(separator: "\n").joined()
        }
        _ = try later.commit([.send(1, "one"), .act(2, .send(answer), by: Someone.ann), .send(3), .edit(4, 3, "three")])
        #expect(try stored() == "one: @bob yes:bob three:")
        #expect(try contents(earlier) == ["one", answer, "three"])

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        let new = ContentEdit("@bob no", mentions: [Someone.bob])
        _ = try later.commit([.act(5, .edit(id(2), new), by: Someone.ann), .act(6, .send(answer), by: Someone.ann)])
        #expect(
            try contents(later)
                == ["one", MessageContent("@bob no", replyTo: id(1), mentions: [Someone.bob]), "three", answer])
        #expect(try stored().hasSuffix(#""mentions":["bob"]}:"#))
        #expect(
            try later.operations(lobby, since: 1, limit: 1).map(\.operation.action) == [.send(answer)])
    }

    /// A server of before knows no such message.
    @Test func onceTheLastEarlierServerHasStoppedMessagesMentionEverybody() async throws {
        let everyone = Mentioned([Someone.bob], everyone: true)
        let calling = RoomOperation.act(
            2, .send(MessageContent("@room", mentions: everyone)), by: Someone.ann, as: .moderate)
        var earlier: PostgresStore? = try PostgresStore(address, knows: 12)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        #expect(try later.commit([.act(1, .join, by: Someone.bob), calling]).last == .refused(.notYet))

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit([calling]).map(\.revision) == [2])
        #expect(try later.memberships(of: Someone.bob).map(\.mentions) == [1])
        #expect(try later.commit([.edit(3, 2, "nobody")]).map(\.revision) == [3])
        #expect(try later.memberships(of: Someone.bob).map(\.mentions) == [0])
    }

    /// A server of before knows no such room's name, and no title.
    @Test func onceTheLastEarlierServerHasStoppedPrivateRoomsAreCreated() async throws {
        let people = [Someone.bob]
        let rooms = [RoomName(privateRoomOf: id(1)), RoomName("@00112233445566778899aabbccddeeff")!, lobby]
        let batch: [RoomOperation] = [
            .act(1, .create(.private(people: people)), by: Someone.ann, in: rooms[0]),
            .act(2, .create(.direct(people: people)), by: Someone.ann, in: rooms[1]),
            .act(3, .moderate(.title(RoomTitle("Plans"))), by: Someone.ann, as: .moderate, in: rooms[2]),
        ]
        var earlier: PostgresStore? = try PostgresStore(address, knows: 10)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        #expect(try later.commit(batch) == [.refused(.notYet), .refused(.notYet), .refused(.notYet)])
        #expect(try later.rooms(after: nil, limit: 9) == [])

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit(batch).map(\.revision) == [1, 1, 1])
        #expect(try later.memberships(of: Someone.bob).map(\.room) == [rooms[1], rooms[0]])
    }

    /// A server of before could not read the room's log.
    @Test func onceTheLastEarlierServerHasStoppedPeopleAreInvitedByAnActionOfItsOwn() async throws {
        let room = RoomName(privateRoomOf: id(1))
        let invitation = RoomOperation.act(2, .moderate(.invite(Someone.bob)), by: Someone.ann, in: room)
        var earlier: PostgresStore? = try PostgresStore(address, knows: 11)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        let outcomes = try later.commit([.act(1, .create(.private(people: [])), by: Someone.ann, in: room), invitation])
        #expect(outcomes.last == .refused(.notYet))
        #expect(try later.memberships(of: Someone.bob) == [])

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit([invitation]).map(\.revision) == [2])
        #expect(try later.memberships(of: Someone.bob).map(\.room) == [room])
        #expect(try later.audit(room, before: .max, limit: 9).entries.last?.deed == .moderated(.invite(Someone.bob)))
    }

    /// A server of before could not read the room's log, and would give a join the settings of before.
    @Test func onceTheLastEarlierServerHasStoppedMembersHaveSettings() async throws {
        let settings = RoomOperation.act(2, .settings(SettingsChange(pinned: .at(3))), by: Someone.bob)
        var earlier: PostgresStore? = try PostgresStore(address, knows: 13)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        #expect(try later.commit([.act(1, .join, by: Someone.bob), settings]).last == .refused(.notYet))
        #expect(try later.memberships(of: Someone.bob).map(\.settings) == [RoomSettings()])

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit([settings]).map(\.revision) == [2])
        #expect(try later.memberships(of: Someone.bob).map(\.settings) == [RoomSettings(pinned: 3)])
    }

    /// A server of before would take away what it does not know.
    @Test func onceTheLastEarlierServerHasStoppedRoomsHaveTopicsAndPictures() async throws {
        let batch: [RoomOperation] = [
            .act(1, .moderate(.topic(RoomTopic("Tea"))), by: Someone.ann, as: .moderate),
            .act(2, .moderate(.picture(Picture("https://a.example/p.png"))), by: Someone.ann, as: .moderate),
        ]
        var earlier: PostgresStore? = try PostgresStore(address, knows: 14)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        #expect(try later.commit(batch) == [.refused(.notYet), .refused(.notYet)])

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit(batch).map(\.revision) == [1, 2])
        let rules = try later.read(lobby, tail: 0, since: nil, atMost: 0).rules
        #expect(rules.topic == RoomTopic("Tea") && rules.picture == Picture("https://a.example/p.png"))
    }

    /// A server of before would keep the name for whoever it invites again.
    @Test func onceTheLastEarlierServerHasStoppedInvitationsTellWhoInvited() async throws {
        let room = RoomName(privateRoomOf: id(1))
        func moderate(_ number: UInt64, _ moderation: Moderation) -> RoomOperation {
            .act(number, .moderate(moderation), by: Someone.ann, in: room)
        }
        let before = Schema(migrations: Array(Schema.current.migrations[..<16]))
        var earlier: PostgresStore? = try PostgresStore(
            address, limits: WireLimits(), patience: PostgresStore.Patience(), knows: 16, schema: before)
        let create = RoomOperation.act(1, .create(.private(people: [Someone.bob])), by: Someone.ann, in: room)
        let columns =
            "SELECT count(*) FROM information_schema.columns WHERE column_name = 'inviter' AND table_schema = "
        #expect(try ThrowawayPostgres.shared.get().query("\(columns) '\(address.schema)'") == "0\n")
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        #expect(try later.commit([create]).map(\.revision) == [1])
        #expect(try later.memberships(of: Someone.bob).map(\.inviter) == [nil])

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit([moderate(2, .invite(Someone.bob))]).map(\.revision) == [2])
        #expect(try later.memberships(of: Someone.bob).map(\.inviter) == [nil], "the first invitation stands")
        let anew = [moderate(3, .appoint(Someone.bob, .none)), moderate(4, .invite(Someone.bob))]
        #expect(try later.commit(anew).map(\.revision) == [3, 4])
        #expect(try later.memberships(of: Someone.bob).map(\.inviter) == [Someone.ann])
    }

    /// A server of before could not read the room's log.
    @Test func onceTheLastEarlierServerHasStoppedOpenRoomsAreCreated() async throws {
        let create = RoomOperation.act(1, .create(.open(lobby, title: RoomTitle("Tea"))), by: Someone.ann)
        var earlier: PostgresStore? = try PostgresStore(address, knows: 17)
        let later = try PostgresStore(address)
        earlier?.listen { _ in }
        #expect(try later.commit([create]) == [.refused(.notYet)])
        #expect(try later.rooms(after: nil, limit: 9) == [])

        earlier = nil
        await format(Self.latest, isInForceFor: later)

        #expect(try later.commit([create]).map(\.revision) == [1])
        #expect(try later.memberships(of: Someone.ann).map(\.standing) == [Standing(role: .own)])
    }

    /// Profiles are a table that only adds: whoever knows it writes it at once, and a server of before goes on without it.
    @Test func whileAnEarlierVersionRunsPeopleHaveProfilesOnTheLaterOne() throws {
        let called = Profile(name: DisplayName("Ann Example"), picture: Picture("https://a.example/p.png"))
        let before = Schema(migrations: Array(Schema.current.migrations[..<15]))
        _ = try? PostgresStore(
            address, limits: WireLimits(), patience: PostgresStore.Patience(), knows: 15, schema: before)
        let schema = address.schema
        let tables = "SELECT format || ' ' || (to_regclass('\(schema).profiles') IS NULL) FROM \(schema).store"
        #expect(try ThrowawayPostgres.shared.get().query(tables) == "15 true\n")

        let (later, earlier) = (try PostgresStore(address), try PostgresStore(address, knows: 15))
        let change = ProfileChange(user: Someone.ann, profile: called, source: .token(7))
        #expect(try later.write([change]) == [Someone.ann])
        #expect(try (earlier.commit([.send(2)]) + later.commit([.send(3)])).map(\.revision) == [1, 2])

        let stored = StoredProfile(profile: called, second: 7)
        #expect(try later.profiles(of: [Someone.ann, Someone.bob]) == [Someone.ann: stored])
        #expect(try formatsWritten == "15 15")
    }

    // MARK: - Future migrations

    private func open(_ step: Schema.Step) throws(RoomStoreError) -> PostgresStore {
        let schema = Schema(migrations: Schema.current.migrations + [step])
        return try PostgresStore(
            address, limits: WireLimits(), patience: PostgresStore.Patience(), knows: Self.latest + 1, schema: schema)
    }

    @Test func whatOnlyAddsIsThereWhileAnEarlierVersionRunsAndStarts() throws {
        let earlier = try PostgresStore(address)

        let later = try open(["ALTER TABLE messages ADD COLUMN pinned bigint NOT NULL DEFAULT 0"])

        let another = try PostgresStore(address)
        #expect(try [earlier, later, another].enumerated().flatMap { try $1.commit([.send(UInt64($0))]) }.count == 3)
        #expect(try formatsWritten == "\(Self.latest) \(Self.latest) \(Self.latest)")
    }

    @Test func whatIsInTheWayOfAnEarlierVersionWaitsUntilItIsGone() throws {
        let step = Schema.Step(["ALTER TABLE messages DROP COLUMN reactions"], least: Self.latest + 1)
        let earlier = try PostgresStore(address)

        let refusal = #expect(throws: RoomStoreError.self) { try open(step) }

        #expect(refusal == .ahead(living: Self.latest, least: Self.latest + 1))
        #expect(try earlier.commit([.send(1)]).map(\.revision) == [1])
        try ThrowawayPostgres.shared.get().query("DELETE FROM \(address.schema).servers")
        _ = try open(step)
        #expect(throws: RoomStoreError.newer(found: Self.latest + 1, supported: Self.latest)) {
            try earlier.commit([.send(2)])
        }
    }

    /// A server of before writes memberships, and not how many there are.
    @Test func roomsOfServersOfBeforeAreCountedAgain() throws {
        var limits = WireLimits()
        limits.members = 3
        let store = try PostgresStore(address, limits: limits)
        let people = (1...4).map { UserName("user-\($0)")! }
        _ = try store.commit([.act(1, .join, by: people[0]), .act(2, .join, by: people[1])])
        try ThrowawayPostgres.shared.get().query(
            """
            INSERT INTO \(address.schema).memberships(room, person, joined, time, read)
                SELECT id, 'user-3', 2, 1, 2 FROM \(address.schema).rooms;
            UPDATE \(address.schema).rooms SET revision = 3;
            """)

        let outcomes = try store.commit([.act(4, .join, by: people[3]), .act(5, .leave, by: people[0])])

        #expect(outcomes == [.refused(.full(.members, most: 3)), .committed(4, .left(people[0]))])
        #expect(try store.commit([.act(6, .join, by: people[3])]).map(\.revision) == [5])
    }
}
