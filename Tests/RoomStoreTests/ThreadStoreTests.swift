import ChatRoom
import ChatWire
import RoomStore
import StoreEngine
import TestSupport
import Testing

/// Threads, in every store.
struct ThreadStoreTests {
    private let folder = TemporaryFolder()
    private static let thread = lobby.thread(of: id(1))

    private static func reply(_ number: UInt64, by author: UserName = Someone.ann) -> RoomOperation {
        .send(number, "reply \(number)", by: author, to: thread)
    }

    /// What the server commits when the thread of message 1 has changed.
    private static func summarize(_ number: UInt64) -> RoomOperation {
        var operation = Operation(
            command: id(number), author: .server, role: .own, time: Milliseconds(1_000 + number),
            action: .summarize(id(1), nil))
        operation.requester = .service
        return RoomOperation(room: lobby, operation: operation)
    }

    /// A room is created by ann, who owns it, and has message 1.
    private func store(_ kind: StoreUnderTest) throws -> any RoomStore {
        let store = try kind.make(in: folder)
        let creation = RoomOperation.act(100, .create(.open(lobby, title: nil)), by: Someone.ann)
        #expect(try store.commit([creation, .send(1)]).map(\.revision) == [1, 2])
        return store
    }

    private func root(_ store: any RoomStore) throws -> Message? {
        try store.read(lobby, tail: 10, since: nil, atMost: 0).tail.first { $0.id == id(1) }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aThreadHasRowsAndRevisionsOfItsOwn(kind: StoreUnderTest) throws {
        let store = try store(kind)

        let outcomes = try store.commit([Self.reply(2), Self.reply(3, by: Someone.bob), .send(4)])

        #expect(outcomes.map(\.revision) == [1, 2, 3])
        let reading = try store.read(Self.thread, tail: 10, since: 1, atMost: 10)
        #expect(reading.tail.map(\.id) == [id(2), id(3)] && reading.count == 2 && reading.revision == 2)
        #expect(reading.ruled == 3)
        #expect(try store.read(lobby, tail: 10, since: nil, atMost: 0).tail.map(\.id) == [id(1), id(4)])
        #expect(try store.commit([Self.reply(2)]) == [.repeated(1)])
        #expect(try store.threads(of: lobby) == [Self.thread])
        #expect(try store.threads(of: RoomName("lobb")!).isEmpty)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aReplyNeedsTheMessageThatItAnswers(kind: StoreUnderTest) throws {
        let store = try store(kind)
        let lost = RoomOperation.send(2, to: lobby.thread(of: id(9)))
        let nowhere = RoomOperation.send(2, to: RoomName("nowhere")!.thread(of: id(1)))

        #expect(try store.commit([lost, nowhere]) == [.refused(.noRoot), .refused(.noRoot)])
        #expect(try store.commit([Self.reply(3), .delete(4, 1), Self.reply(5)]).map(\.revision) == [1, 3, nil])
        #expect(try store.commit([Self.reply(5)]) == [.refused(.noRoot)])
        #expect(try store.read(Self.thread, tail: 10, since: nil, atMost: 0).tail.map(\.id) == [id(3)])
    }

    /// Each rule of the room is one of its threads, at once, also within a batch.
    @Test(arguments: StoreUnderTest.allCases)
    func theRulesAreThoseOfTheRoom(kind: StoreUnderTest) throws {
        let store = try store(kind)
        func moderate(_ number: UInt64, _ moderation: Moderation) -> RoomOperation {
            .act(number, .moderate(moderation), by: Someone.ann)
        }
        func answers(_ number: UInt64, after moderation: Moderation) throws -> CommitOutcome? {
            try store.commit([moderate(number, moderation), Self.reply(number + 1, by: Someone.bob)]).last
        }

        #expect(try answers(10, after: .ban(Someone.bob)) == .refused(.shutOut(.write)))
        let reading = try store.read(Self.thread, tail: 0, since: nil, atMost: 0)
        #expect(reading.rules.standings[Someone.bob]?.isBanned == true && reading.rules.configuration.isOfThread)
        #expect(try store.standing(of: Someone.bob, in: Self.thread).isBanned)
        #expect(try answers(20, after: .unban(Someone.bob))?.revision == 1)
        #expect(try answers(30, after: .readOnly(.on)) == .refused(.readOnly))
        #expect(try answers(40, after: .readOnly(.off))?.revision == 2)
        #expect(try answers(50, after: .slowMode(1_000_000))?.revision == 3, "slow mode is of the room alone")
        let mute = try answers(60, after: .mute(Someone.bob, for: 5_000))
        if case .refused(.muted) = mute {} else { Issue.record("\(String(describing: mute))") }
        let other = RoomOperation.delete(70, 21, by: Someone.ann)
        #expect(try store.commit([.init(room: Self.thread, operation: other.operation)]).first?.revision == 4)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aThreadOfAPrivateRoomIsForItsPeople(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let room = RoomName(privateRoomOf: id(100))
        let thread = room.thread(of: id(1))
        let creation = RoomOperation.act(100, .create(.private(people: [])), by: Someone.ann, in: room)
        _ = try store.commit([creation, .send(1, to: room)])

        let stranger = try store.commit([.send(2, by: Someone.bob, to: thread)])
        let owner = try store.commit([.send(3, to: thread)])

        #expect(stranger == [.refused(.notGranted(.write, .none))])
        #expect(owner.map(\.revision) == [1])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aThreadOfADirectRoomIsForItsTwoPeople(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let room = RoomName("@00112233445566778899aabbccddeeff")!
        let thread = room.thread(of: id(1))
        let creation = RoomOperation.act(100, .create(.direct(people: [Someone.bob])), by: Someone.ann, in: room)
        _ = try store.commit([creation, .send(1, to: room)])

        let replies = try store.commit([.send(2, by: Someone.bob, to: thread), .send(3, to: thread)])
        let stranger = try store.commit([.send(4, by: UserName("cid")!, to: thread)])

        #expect(replies.map(\.revision) == [1, 2])
        #expect(stranger == [.refused(.notGranted(.write, .none))])
    }

    /// A table: an action on rules is refused in a thread, whoever does it.
    @Test(arguments: StoreUnderTest.allCases)
    func aThreadHasNoRulesOfItsOwn(kind: StoreUnderTest) throws {
        let store = try store(kind)
        _ = try store.commit([Self.reply(2)])
        let actions: [RoomAction] = [
            .create(.open(Self.thread, title: nil)), .moderate(.readOnly(.on)), .moderate(.ban(Someone.bob)),
            .moderate(.pin(id(2), .last)),
            .moderate(.title(RoomTitle("T"))), .moderate(.mute(Someone.bob, for: 5)), .moderate(.invite(Someone.bob)),
        ]

        for author in [Someone.ann, Someone.bob] {
            for (number, action) in zip(UInt64(10)..., actions) {
                let operation = RoomOperation.act(number, action, by: author, in: Self.thread)
                #expect(try store.commit([operation]) == [.refused(.thread)], "\(action) by \(author)")
            }
        }
        #expect(try store.read(Self.thread, tail: 1, since: nil, atMost: 0).revision == 1)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func theRootSaysWhatItsThreadHas(kind: StoreUnderTest) throws {
        let store = try store(kind)
        let people = ["cid", "bob", "ann", "dan"].map { UserName($0)! }
        _ = try store.commit(zip(UInt64(2)..., people + [people[0]]).map { Self.reply($0, by: $1) })

        let outcome = try store.commit([Self.summarize(10)])
        let again = try store.commit([Self.summarize(11)])

        let summary = ThreadSummary(count: 5, time: 1_006, people: [people[0], people[3], people[2]])
        #expect(try root(store)?.thread == summary)
        #expect(outcome.map(\.revision) == [3] && again == [.repeated(3)])
        let stored = try store.operations(lobby, since: 2, limit: 9).map(\.operation.action)
        #expect(stored == [.summarize(id(1), summary)])
        _ = try store.commit([.react(12, 1), .edit(13, 1, "new")])
        #expect(try root(store)?.thread == summary && root(store)?.reactions.count == 1)
        let gone = (2...6).map { RoomOperation.delete(20 + $0, $0, by: Someone.ann) }
        _ = try store.commit(gone.map { RoomOperation(room: Self.thread, operation: $0.operation) })
        _ = try store.commit([Self.summarize(30)])
        #expect(try root(store)?.thread == nil && root(store)?.reactions.count == 1)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aSummaryOfWhatIsNotThereChangesNothing(kind: StoreUnderTest) throws {
        let store = try store(kind)

        #expect(try store.commit([Self.summarize(10)]) == [.repeated(2)], "no replies")
        #expect(try store.commit([Self.reply(2), .delete(3, 1)]).map(\.revision) == [1, 3])
        #expect(try store.commit([Self.summarize(11)]) == [.repeated(3)], "no root")
    }
}
