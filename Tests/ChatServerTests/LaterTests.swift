import ChatRoom
import ChatServer
import ChatWire
import PostgresStore
import Replicas
import RoomStore
import TestSupport
import Testing

/// `me/later` over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct LaterTests {
    private let folder = TemporaryFolder()
    private let id = UniqueID.random()
    private static let ann = UserName("ann")!
    private static let bob = UserName("bob")!
    private static let farAhead: Milliseconds = 3_600_000

    private func server(on store: (any RoomStore)? = nil) throws -> ServerUnderTest {
        try ServerUnderTest(store: store ?? StoreOfTheRun.current.open(in: folder))
    }

    private func message(
        _ text: String = "good morning", to place: RoomName = room, in time: Milliseconds, id: UniqueID? = nil
    ) -> ClientFrame.Request {
        .later(
            id ?? self.id, LaterItem.Plan(.send(MessageContent(text)), in: place, at: .now + time))
    }

    private func texts(in place: RoomName = room, on server: ServerUnderTest, as user: String = "ann") async throws
        -> [String]
    {
        let answer = try await server.join(as: user).answer(
            to: .subscribe(.messages(place), limit: 500, resume: nil))
        guard case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = answer else { return [] }
        return snapshot.snapshot.rows.map(\.content.text)
    }

    // MARK: - Messages

    @Test func aMessageIsSentAtItsTimeAsItsAuthor() async throws {
        let server = try server()
        let (one, other) = (try await LaterWatcher(server.join(as: "ann")), try await server.join(as: "ann"))
        let reader = try await server.follow(as: "bob")
        let time = Milliseconds.now + 300

        let plan = LaterItem.Plan(.send(MessageContent("@bob hi", mentions: [Self.bob])), in: room, at: time)
        #expect(refusal(try await other.answer(to: .later(id, plan))) == nil)

        try await one.until { $0.ids(in: .waiting) == [self.id] }
        #expect(one.list[id]?.light == LaterItem.Light(plan))
        let row = try #require(try await reader.diff().insertions.first)
        #expect(row.id == id && row.author == Self.ann && row.content.mentions.people == [Self.bob])
        #expect(row.time >= time)
        try await one.until { $0.list.rows.isEmpty }
    }

    /// Each of them does what it says: after an `ok` to a cancel the message is never sent, and after a refusal it is there.
    @Test func aCancelIsAnsweredWithTheTruth() async throws {
        let server = try server()
        let ann = try await LaterWatcher(server.join(as: "ann"))
        var (sent, cancelled): (Set<String>, Set<String>) = ([], [])
        for number in 0..<48 {
            let id = UniqueID.random()
            let delay = Milliseconds(number % 8) * 50
            #expect(refusal(try await ann.answer(to: message("\(number)", in: delay, id: id))) == nil)
            let refusal = refusal(try await ann.answer(to: .later(id, nil)))
            #expect(refusal == nil || refusal?.reason == .notWaiting)
            if refusal == nil { cancelled.insert("\(number)") } else { sent.insert("\(number)") }
        }

        try await ann.until { $0.list.rows.isEmpty }
        let texts = try await texts(on: server)

        #expect(Set(texts) == sent && texts.count == sent.count)
        #expect(!cancelled.isEmpty && !sent.isEmpty)
    }

    /// More than the server reads at once, while it neither rests nor takes over from another one.
    @Test func allThatIsDueIsSentAtOnce() async throws {
        let store = try StoreOfTheRun.current.open(in: folder)
        let plan = LaterItem.Plan(.send("x"), in: room, at: 1)
        for user in ["ann", "bob", "cid", "dan", "eve", "fay", "gus"] {
            let changes = (0..<100).map { _ in
                LaterChange(user: UserName(user)!, id: .random(), .put(plan, .write))
            }
            _ = try store.write(changes, most: 100)
        }

        let server = try ServerUnderTest(store: store) {
            ($0.laterPace.rest, $0.laterPace.hold) = (Self.farAhead, Self.farAhead)
        }

        let reader = try await server.join(as: "reader")
        let answer = try await reader.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        var revision = answer.revision ?? 0
        while revision < 700 { revision = try await reader.diff().to }
        try await LaterWatcher(server.join(as: "gus")).until { $0.list.rows.isEmpty }
    }

    @Test func messagesOfOneTimeAreSentInTheOrderInWhichTheyWereScheduled() async throws {
        let server = try server()
        let ann = try await LaterWatcher(server.join(as: "ann"))
        let time = Milliseconds.now + 500
        let (numbers, ids) = (0..<8, (0..<8).map { _ in UniqueID.random() })

        for number in numbers {
            let plan = LaterItem.Plan(.send(MessageContent("\(number)")), in: room, at: time)
            _ = ann.connection.send(.later(ids[number], plan))
        }

        try await ann.until { $0.ids(in: .waiting) == ids }
        try await ann.until { $0.list.rows.isEmpty }
        #expect(try await texts(on: server) == numbers.map { "\($0)" })
    }

    @Test func theSameIDChangesTheItem() async throws {
        let server = try server()
        let ann = try await LaterWatcher(server.join(as: "ann"))
        _ = try await ann.answer(to: message("first", in: Self.farAhead))
        _ = try await ann.answer(to: message("other", in: Self.farAhead + 1, id: .random()))

        _ = try await ann.answer(to: message("second", in: Self.farAhead * 2))

        try await ann.until { $0.list.rows.count == 2 && $0.ids(in: .waiting).last == self.id }
        _ = try await ann.answer(to: message("third", in: 0))
        try await ann.until { $0.list.rows.count == 1 }
        #expect(try await texts(on: server) == ["third"])
    }

    @Test func aRefusedMessageStaysWithTheReason() async throws {
        let server = try server()
        let owner = try await server.ownerOfRoom(saying: .random())
        let ann = try await LaterWatcher(server.join(as: "ann"))
        _ = try await owner.answer(to: moderation(.ban(Self.ann)))

        _ = try await ann.answer(to: message(in: 0))

        try await ann.until { $0.ids(in: .due) == [self.id] }
        #expect(ann.list[id]?.light.refusal?.reason == .banned)
        _ = try await owner.answer(to: moderation(.unban(Self.ann)))
        _ = try await ann.answer(to: message(in: 0))
        try await ann.until { $0.list.rows.isEmpty }
        #expect(try await texts(on: server) == ["root", "good morning"])
    }

    /// Slow mode passes, so the message waits for its turn and can be cancelled meanwhile.
    @Test func aMessageWaitsForSlowMode() async throws {
        let server = try server()
        let owner = try await server.ownerOfRoom(saying: .random())
        let ann = try await LaterWatcher(server.join(as: "ann"))
        _ = try await owner.answer(to: moderation(.slowMode(2_000)))
        _ = try await ann.answer(to: .say("first"))

        _ = try await ann.answer(to: message(in: 0))

        try await ann.until { $0.ids(in: .waiting) == [self.id] }
        try await ann.until { $0.list.rows.isEmpty }
        #expect(try await texts(on: server) == ["root", "first", "good morning"])
    }

    /// What may not be sent by hand is not sent later either, in every kind of room.
    @Test func aMessageNeedsTheRightsOfItsTime() async throws {
        let server = try server()
        let root = MessageID.random()
        let owner = try await server.ownerOfRoom(saying: root)
        let ann = try await LaterWatcher(server.join(as: "ann"))
        let secret = CommandID.random()
        _ = try await owner.answer(to: .create(secret, .private(people: [], title: nil)))
        let privateRoom = RoomName(privateRoomOf: secret)
        let cases: [(RoomName, WireError.Reason?)] = [
            (RoomName("other")!, nil), (room.thread(of: root), nil), (room.thread(of: .random()), .noMessage),
            (privateRoom, .role), (RoomName(directRoomOf: .random()), .role),
        ]

        for (place, reason) in cases {
            let id = UniqueID.random()
            _ = try await ann.answer(to: message(to: place, in: 0, id: id))
            try await ann.until { reason == nil ? $0.list.rows.isEmpty : $0.ids(in: .due) == [id] }
            #expect(ann.list[id]?.light.refusal?.reason == reason, "\(place)")
            if reason != nil { #expect(refusal(try await ann.answer(to: .later(id, nil))) == nil) }
            try await ann.until { $0.list.rows.isEmpty }
        }
    }

    /// The author may be asleep: the messages of others that wait for them stay unread, on all servers.
    @Test func aSentMessageLeavesWhatIsUnread() async throws {
        let server = try server()
        let (ann, bob) = (try await RoomsWatcher(server.join(as: "ann")), try await server.join(as: "bob"))
        let later = try await LaterWatcher(server.join(as: "ann"))
        _ = try await ann.answer(to: .join(room, command: .random()))
        _ = try await bob.answer(to: .say("for ann"))
        try await ann.until { $0["lobby"]?.light.unread == 1 }

        _ = try await later.answer(to: message("first", in: 0))
        try await ann.until { $0["lobby"]?.light.last?.text == "first" }
        #expect(ann["lobby"]?.light.unread == 2)

        _ = try await ann.answer(to: .read(room, nil))
        try await ann.until { $0["lobby"]?.light.unread == 0 }
        _ = try await later.answer(to: message("second", in: 0, id: .random()))
        try await ann.until { $0["lobby"]?.light.last?.text == "second" }
        #expect(ann["lobby"]?.light.unread == 0)
        let again = try await RoomsWatcher(server.join(as: "ann"))
        #expect(again["lobby"]?.light.unread == 0)
    }

    // MARK: - Reminders

    @Test func aReminderBecomesDueAndStays() async throws {
        let server = try server()
        let ann = try await LaterWatcher(server.join(as: "ann"))
        let plan = LaterItem.Plan(.remind(.random()), in: room, at: .now + 200)

        _ = try await ann.answer(to: .later(id, plan))
        try await ann.until { $0.ids(in: .due) == [self.id] }

        #expect(ann.list[id]?.light == LaterItem.Light(plan))
        let other = try await LaterWatcher(server.join(as: "ann"))
        #expect(other.ids(in: .due) == [id])
        let again = LaterItem.Plan(plan.action, in: room, at: .now + Self.farAhead)
        _ = try await other.answer(to: .later(id, again))
        try await ann.until { $0.ids(in: .waiting) == [self.id] }
        _ = try await other.answer(to: .later(id, nil))
        try await ann.until { $0.list.rows.isEmpty }
    }

    /// A list that its last reader has left keeps its time.
    @Test func aReminderBecomesDueForWhoComesBack() async throws {
        let server = try server()
        let ann = try await LaterWatcher(server.join(as: "ann"))
        _ = try await ann.answer(to: .later(id, LaterItem.Plan(.remind(.random()), in: room, at: .now + 200)))
        try await ann.until { $0.ids(in: .waiting) == [self.id] }
        let held = ann.list
        ann.connection.close()

        let back = try await LaterWatcher(server.join(as: "ann"), holding: held)

        try await back.until { $0.ids(in: .due) == [self.id] }
    }

    // MARK: - Limits

    @Test func aUserHasOnlySoManyItems() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")
        let most = WireLimits().later

        for _ in 0...most { _ = ann.send(message(in: Self.farAhead, id: .random())) }

        var reasons: [WireError.Reason?] = []
        while reasons.count <= most { reasons.append(refusal(try await ann.frame())?.reason) }
        #expect(reasons == Array(repeating: nil, count: most) + [.later])
    }

    @Test func aUsersItemsHaveOnlySoManyBytes() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")
        let long = String(repeating: "x", count: 8_192)

        for _ in 0..<26 { _ = ann.send(message(long, in: Self.farAhead, id: .random())) }

        var reasons: [WireError.Reason?] = []
        while reasons.count < 26 { reasons.append(refusal(try await ann.frame())?.reason) }
        #expect(reasons == Array(repeating: nil, count: 25) + [.later])
    }

    @Test func aTimeIsAtMostAYearAhead() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")

        let error = refusal(try await ann.answer(to: message(in: LaterItem.horizon + 60_000)))

        #expect(error?.reason == .invalid && error?.field == "at")
        #expect(refusal(try await ann.answer(to: message(in: LaterItem.horizon - 60_000))) == nil)
    }

    // MARK: - Crashes and several servers

    /// A server that died had sent one message, and had only begun with the other one.
    @Test func aServerFinishesWhatADeadOneHasBegun() async throws {
        let store = try StoreOfTheRun.current.open(in: folder)
        let ids = [UniqueID.random(), .random()]
        for id in ids {
            let plan = LaterItem.Plan(.send(MessageContent("\(id)")), in: room, at: 1)
            let now = Milliseconds.now
            let changes = [LaterChange.Action.put(plan, .write), .hold(at: now, until: now + 300)]
            _ = try store.write(changes.map { LaterChange(user: Self.ann, id: id, $0) }, most: 9)
        }
        let sent = Operation(
            command: ids[0], author: Self.ann, role: .write, time: .now, action: .send(MessageContent("\(ids[0])")))
        _ = try store.commit([RoomOperation(room: room, operation: sent)])

        let server = try server(on: store)
        let ann = try await LaterWatcher(server.join(as: "ann"))

        try await ann.until { $0.list.rows.isEmpty }
        #expect(try await texts(on: server) == ids.map { "\($0)" })
    }

    /// Both servers see each message due. It is sent once, and both devices agree.
    @Test func twoServersSendEachMessageOnce() async throws {
        let address = try PostgresAddress.unused()
        let servers = [
            try ServerUnderTest(store: PostgresStore(address)), try ServerUnderTest(store: PostgresStore(address)),
        ]
        let writers = [try await servers[0].join(as: "ann"), try await servers[1].join(as: "ann")]
        let reader = try await servers[1].follow(as: "bob")
        let time = Milliseconds.now + 500

        for number in 0..<20 {
            let plan = LaterItem.Plan(.send(MessageContent("\(number)")), in: room, at: time)
            _ = writers[number % 2].send(.later(.random(), plan))
        }

        let diffs = try await reader.diffs(upTo: 20)
        #expect(Set(diffs.flatMap(\.insertions).map(\.content.text)) == Set((0..<20).map { "\($0)" }))
        for server in servers {
            try await LaterWatcher(server.join(as: "ann")).until { $0.list.rows.isEmpty }
            #expect(try await texts(on: server).count == 20)
        }
    }

    @Test func aServerSendsForTheOneThatStopped() async throws {
        let address = try PostgresAddress.unused()
        let first = try ServerUnderTest(store: PostgresStore(address))
        let second = try ServerUnderTest(store: PostgresStore(address))
        let list = try await LaterWatcher(second.join(as: "ann"))

        #expect(refusal(try await first.join(as: "ann").answer(to: message(in: 1_500))) == nil)
        first.server.drain()

        try await list.until { $0.ids(in: .waiting) == [self.id] }
        try await list.until { $0.list.rows.isEmpty }
        #expect(try await texts(on: second) == ["good morning"])
    }

    @Test func aStoreThatFailsIsTold() async throws {
        let server = try server(on: RefusingStore(store: InMemoryStore()))
        let ann = try await server.join(as: "ann")

        #expect(refusal(try await ann.answer(to: message(in: Self.farAhead)))?.code == .unavailable)
    }

    private final class RefusingStore: ForwardingStore {
        let store: any RoomStore

        init(store: any RoomStore) { self.store = store }

        func write(
            _ changes: [LaterChange], most: Int
        ) throws(RoomStoreError) -> [Result<StoredLater, LaterRefusal>] {
            throw .unavailable("the disk does not answer")
        }
    }
}
