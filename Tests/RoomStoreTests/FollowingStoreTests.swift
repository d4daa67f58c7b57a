import ChatRoom
import ChatWire
import RoomStore
import StoreEngine
import TestSupport
import Testing

@testable import PostgresStore

/// The followers of threads, in every store.
struct FollowingStoreTests {
    private let folder = TemporaryFolder()
    private static let thread = lobby.thread(of: id(1))
    private static let (ann, bob, cid, dan) = (Someone.ann, Someone.bob, UserName("cid")!, UserName("dan")!)
    private static let people = [ann, bob, cid, dan]

    private static func limits(_ change: (inout WireLimits) -> Void) -> WireLimits {
        var limits = WireLimits()
        change(&limits)
        return limits
    }

    private static func reply(
        _ number: UInt64, by author: UserName, naming names: [UserName] = [], to thread: RoomName = thread
    ) -> RoomOperation {
        .act(number, .send(MessageContent("reply", mentions: Mentioned(names))), by: author, in: thread)
    }

    private static func act(
        _ number: UInt64, _ action: RoomAction, by author: UserName, in room: RoomName = thread
    ) -> RoomOperation {
        .act(number, action, by: author, in: room)
    }

    /// A room that ann owns, with her message 1.
    private func store(_ kind: StoreUnderTest, limits: WireLimits = WireLimits()) throws -> any RoomStore {
        let store = try kind.make(in: folder, limits: limits)
        _ = try store.commit([Self.act(100, .create(.open(lobby, title: nil)), by: Self.ann, in: lobby), .send(1)])
        return store
    }

    /// The unread and the unread naming replies of each follower.
    private func followers(_ store: any RoomStore, of thread: RoomName = thread) throws -> [UserName: [Int]] {
        try store.memberships(of: Self.people, in: thread).mapValues { [$0.unread, $0.mentions] }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aReplyIsFollowedByItsAuthorTheNamedAndTheAuthorOfTheRoot(kind: StoreUnderTest) throws {
        let store = try store(kind)

        _ = try store.commit([Self.reply(2, by: Self.bob, naming: [Self.cid])])

        #expect(try followers(store) == [Self.ann: [1, 0], Self.bob: [0, 0], Self.cid: [1, 1]])
        _ = try store.commit([Self.reply(3, by: Self.dan), Self.reply(4, by: Self.ann)])
        #expect(try followers(store) == [Self.ann: [0, 0], Self.bob: [2, 0], Self.cid: [3, 1], Self.dan: [1, 0]])
        let stored = try store.operations(Self.thread, since: 0, limit: 9).map(\.followers)
        #expect(stored == [[Self.bob, Self.cid, Self.ann], [Self.dan], []])
        let marks = [ReadMark(room: Self.thread, user: Self.cid, revision: 2)]
        _ = try store.commit([], marking: marks)
        #expect(try followers(store)[Self.cid] == [1, 0])
        #expect(try store.members(of: Self.thread, after: nil, limit: 9).isEmpty, "the followers are listed to nobody")
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whoUnfollowedFollowsAgainByWritingOrBeingNamed(kind: StoreUnderTest) throws {
        let store = try store(kind)
        _ = try store.commit([Self.reply(2, by: Self.bob, naming: [Self.cid])])

        _ = try store.commit(zip(UInt64(10)..., [Self.ann, Self.bob, Self.cid]).map { Self.act($0, .leave, by: $1) })
        #expect(try followers(store).isEmpty)
        _ = try store.commit([Self.reply(3, by: Self.dan)])
        #expect(try followers(store) == [Self.dan: [0, 0]], "the author of the root has unfollowed it")
        _ = try store.commit([Self.reply(4, by: Self.bob, naming: [Self.cid])])

        #expect(try followers(store) == [Self.bob: [0, 0], Self.cid: [1, 1], Self.dan: [1, 0]])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aReaderMayFollowByChoice(kind: StoreUnderTest) throws {
        let store = try store(kind)
        let join = Self.act(2, .join, by: Self.bob)

        #expect(try store.commit([join, join]) == [.committed(1, .joined(Self.bob)), .repeated(1)])
        #expect(
            try store.commit([Self.act(3, .join, by: Self.bob, in: lobby.thread(of: id(9)))]) == [.refused(.noRoot)])
        let mute = Self.act(4, .settings(SettingsChange(isMuted: true)), by: Self.bob)
        #expect(try store.commit([mute]).map(\.revision) == [2])
        #expect(try store.memberships(of: [Self.bob], in: Self.thread)[Self.bob]?.settings.isMuted == true)
        let stranger = Self.act(5, .settings(SettingsChange(isMuted: true)), by: Self.dan)
        #expect(try store.commit([stranger]) == [.refused(.notMember)])
        #expect(try store.commit([Self.act(6, .leave, by: Self.bob)]) == [.committed(3, .left(Self.bob))])
        _ = try store.commit([Self.reply(7, by: Self.cid)])
        #expect(
            try followers(store) == [Self.ann: [1, 0], Self.cid: [0, 0]], "the author of the root, with the first reply"
        )
    }

    /// The standing, the title and the root of a thread are those in its room at the moment of the reading.
    @Test(arguments: StoreUnderTest.allCases)
    func aFollowerHasTheStandingOfTheRoom(kind: StoreUnderTest) throws {
        let store = try store(kind)
        _ = try store.commit([Self.reply(2, by: Self.bob)])
        let before = try #require(try store.memberships(of: Self.bob).first { $0.room == Self.thread })
        #expect(before.root?.id == id(1) && before.standing == Standing() && before.ruled == 2 && before.title == nil)

        _ = try store.commit([
            Self.act(10, .moderate(.ban(Self.bob)), by: Self.ann, in: lobby),
            Self.act(11, .moderate(.title(RoomTitle("Lobby"))), by: Self.ann, in: lobby), .edit(12, 1, "changed"),
        ])
        let all = try store.memberships(of: Self.bob)
        let reading = try #require(all.first { $0.room == Self.thread })
        #expect(reading.standing.isBanned && reading.title == RoomTitle("Lobby") && reading.root?.text == "changed")
        #expect(reading.ruled == 5)
        #expect(try store.memberships(of: [Self.bob], in: Self.thread)[Self.bob] == reading)
        #expect(try store.memberships(of: Self.bob, in: [Self.thread]) == [reading])
        #expect(try store.places(of: Self.bob).first { $0.room == Self.thread }?.standing.isBanned == true)
        #expect(try store.commit([Self.act(13, .join, by: Self.bob)]) == [.refused(.shutOut(.read))])
        _ = try store.commit([Self.reply(14, by: Self.ann, naming: [Self.bob]), .delete(15, 1)])
        #expect(try store.memberships(of: Self.ann, in: [Self.thread]).first?.root == nil)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aBannedPersonDoesNotFollowByBeingNamed(kind: StoreUnderTest) throws {
        let store = try store(kind)
        _ = try store.commit([Self.act(10, .moderate(.ban(Self.bob)), by: Self.ann, in: lobby)])

        _ = try store.commit([Self.reply(2, by: Self.ann, naming: [Self.bob, Self.cid])])

        #expect(try followers(store).keys.sorted() == [Self.ann, Self.cid])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aThreadOfAPrivateRoomIsFollowedByItsPeopleOnly(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let room = RoomName(privateRoomOf: id(100))
        let thread = room.thread(of: id(1))
        let creation = Self.act(100, .create(.private(people: [Self.bob])), by: Self.ann, in: room)
        _ = try store.commit([creation, .send(1, to: room)])

        _ = try store.commit([Self.reply(2, by: Self.ann, naming: [Self.bob, Self.cid], to: thread)])

        #expect(try followers(store, of: thread) == [Self.ann: [0, 0], Self.bob: [1, 1]])
        #expect(
            try store.commit([Self.act(3, .join, by: Self.cid, in: thread)]) == [.refused(.notGranted(.read, .none))])
        #expect(try store.commit([Self.act(4, .leave, by: Self.bob, in: thread)]) == [.committed(2, .left(Self.bob))])
        #expect(try store.commit([Self.act(5, .join, by: Self.bob, in: thread)]) == [.committed(3, .joined(Self.bob))])
        _ = try store.commit([Self.act(6, .leave, by: Self.bob, in: room)])
        #expect(try store.places(of: Self.bob).map(\.standing.isAdmitted) == [false])
    }

    /// A service may do more in a room than its author, but makes no follower who may not read.
    @Test(arguments: StoreUnderTest.allCases)
    func aServiceMakesNoStrangerAFollower(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let room = RoomName(privateRoomOf: id(100))
        let thread = room.thread(of: id(1))
        _ = try store.commit([Self.act(100, .create(.private(people: [])), by: Self.ann, in: room), .send(1, to: room)])
        func byService(_ entry: RoomOperation) -> RoomOperation {
            var operation = entry.operation
            operation.requester = .service
            return RoomOperation(room: entry.room, operation: operation)
        }

        let join = try store.commit([byService(Self.act(2, .join, by: Self.bob, in: thread))])
        let reply = try store.commit([byService(Self.reply(3, by: Self.bob, to: thread))])

        #expect(join == [.refused(.notInvited(Self.bob))])
        #expect(reply.map(\.revision) == [1])
        #expect(try followers(store, of: thread).keys.sorted() == [Self.ann])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func allPeopleOfADirectRoomFollowItsThreads(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let room = RoomName("@00112233445566778899aabbccddeeff")!
        let thread = room.thread(of: id(1))
        let creation = Self.act(100, .create(.direct(people: [Self.bob])), by: Self.ann, in: room)
        _ = try store.commit([creation, .send(1, to: room)])

        _ = try store.commit([Self.reply(2, by: Self.ann, to: thread)])

        #expect(try followers(store, of: thread) == [Self.ann: [0, 0], Self.bob: [1, 0]])
        #expect(try store.memberships(of: Self.bob, in: [thread]).first?.people == [Self.ann, Self.bob])
        #expect(try store.commit([Self.act(3, .leave, by: Self.bob, in: thread)]).map(\.revision) == [2])
        _ = try store.commit([Self.reply(4, by: Self.ann, to: thread)])
        #expect(try followers(store, of: thread) == [Self.ann: [0, 0]])
    }

    /// Rooms and threads have limits of their own. No reply is refused because of one.
    @Test(arguments: StoreUnderTest.allCases)
    func aFullListOfThreadsRefusesAJoinAndNoReply(kind: StoreUnderTest) throws {
        let store = try store(kind, limits: Self.limits { $0.memberships = 3 })
        _ = try store.commit((2...5).map { .send($0) })
        let threads = (1...5).map { lobby.thread(of: id($0)) }
        _ = try store.commit(threads[..<3].enumerated().map { Self.reply(UInt64(10 + $0), by: Self.bob, to: $1) })

        #expect(
            try store.commit([Self.act(20, .join, by: Self.bob, in: threads[3])])
                == [.refused(.tooManyMemberships(most: 3))])
        #expect(try store.commit([Self.reply(21, by: Self.bob, to: threads[3])]).map(\.revision) == [1])
        #expect(try store.memberships(of: [Self.bob], in: threads[3]).isEmpty)
        _ = try store.commit([Self.reply(22, by: Self.cid, naming: [Self.bob], to: threads[4])])
        #expect(try store.memberships(of: [Self.bob], in: threads[4]).isEmpty)
        // The limit is one of each database.
        let names = (0...).lazy.map { RoomName("room-\($0)")! }.filter { store.part(of: $0) == store.part(of: lobby) }
        let rooms = zip(UInt64(30)..., names.prefix(4)).map { Self.act($0, .join, by: Self.bob, in: $1) }
        #expect(try store.commit(rooms).map(\.revision) == [1, 1, 1, nil], "the limit of rooms is another")
        #expect(try store.commit([Self.act(40, .leave, by: Self.bob, in: threads[0])]).map(\.revision) == [2])
        #expect(try store.commit([Self.act(41, .join, by: Self.bob, in: threads[3])]).map(\.revision) == [2])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aThreadWithAsManyFollowersAsMayBeTakesRepliesAllTheSame(kind: StoreUnderTest) throws {
        let store = try store(kind, limits: Self.limits { $0.members = 2 })

        _ = try store.commit([Self.reply(2, by: Self.bob, naming: [Self.cid, Self.dan])])

        #expect(try followers(store).keys.sorted() == [Self.bob, Self.cid])
        #expect(try store.commit([Self.reply(3, by: Self.dan)]).map(\.revision) == [2])
        let join = Self.act(4, .join, by: Self.dan)
        #expect(try store.commit([join]) == [.refused(.full(.members, most: 2))])
    }

    /// In one batch as in many: each operation sees those before it.
    @Test(arguments: StoreUnderTest.allCases)
    func aBatchDoesTheSame(kind: StoreUnderTest) throws {
        let store = try store(kind)

        let outcomes = try store.commit([
            Self.reply(2, by: Self.bob), Self.act(3, .leave, by: Self.ann),
            Self.reply(4, by: Self.bob, naming: [Self.cid]),
            Self.act(5, .join, by: Self.dan), Self.act(6, .leave, by: Self.cid), Self.reply(7, by: Self.dan),
        ])

        #expect(outcomes.map(\.revision) == [1, 2, 3, 4, 5, 6])
        #expect(try followers(store) == [Self.bob: [1, 0], Self.dan: [0, 0]])
    }

    /// Also the reply by which one has come to follow the thread.
    @Test(arguments: StoreUnderTest.allCases)
    func eachReplyCanBeMarkedAsUnread(kind: StoreUnderTest) throws {
        let store = try store(kind)
        _ = try store.commit([Self.reply(2, by: Self.bob, naming: [Self.cid]), Self.reply(3, by: Self.bob)])
        _ = try store.commit([], marking: [ReadMark(room: Self.thread, user: Self.cid, revision: 2)])
        #expect(try followers(store)[Self.cid] == [0, 0])

        _ = try store.commit([Self.act(4, .settings(SettingsChange(unreadFrom: 1)), by: Self.cid)])

        #expect(try followers(store)[Self.cid] == [2, 1])
    }

    /// A person who is put out of the room still follows its threads, and is not told of them.
    @Test(arguments: StoreUnderTest.allCases)
    func thereAreNoMentionsInThreadsOfARoomThatOneMayNotRead(kind: StoreUnderTest) throws {
        let store = try store(kind)
        _ = try store.commit([Self.reply(2, by: Self.cid, naming: [Self.bob])])
        func mentions() throws -> [MessageID] {
            try store.mentions(of: Self.bob, in: [Self.thread], before: nil, limit: 9).map(\.message.id)
        }
        #expect(try mentions() == [id(2)])

        _ = try store.commit([Self.act(10, .moderate(.ban(Self.bob)), by: Self.ann, in: lobby)])
        #expect(try mentions().isEmpty)
        _ = try store.commit([Self.act(11, .moderate(.unban(Self.bob)), by: Self.ann, in: lobby)])
        #expect(try mentions() == [id(2)])
    }
}

/// News of the people whose lists an edit may change.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct NamingNewsTests {
    /// A growing message names the same people in each piece, and their lists are read again for each piece of news.
    @Test func anEditTellsOfThePeopleWhomItNamesAndAPieceOfATextDoesNot() async throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        let listener = try PostgresStore(address)
        let news = Heard(listener)
        await news.wait { $0 == .invalidated }
        let (bob, cid) = (UserName("bob")!, UserName("cid")!)
        let open = MessageContent("a", mentions: [bob], growth: .open)
        _ = try store.commit([.act(1, .send(open), by: Someone.ann, in: lobby)])
        for number in 2...5 as ClosedRange<UInt64> {
            let piece = RoomAction.grow(id(1), .append("b", at: Int(number) - 1))
            #expect(try store.commit([.act(number, piece, by: Someone.ann, in: lobby)]).map(\.revision) == [number])
        }
        _ = try store.commit([.act(6, .grow(id(1), .close(nil)), by: Someone.ann, in: lobby)])

        _ = try store.commit([.act(7, .edit(id(1), ContentEdit("c", mentions: [cid])), by: Someone.ann, in: lobby)])

        var named: Set<UserName> = []
        await news.wait { item in
            if case .membershipsChanged(let users) = item { named.formUnion(users) }
            return named.contains(cid)
        }
        #expect(named == [cid])
    }
}
