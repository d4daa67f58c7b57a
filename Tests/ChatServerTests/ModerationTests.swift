import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import TestSupport
import Testing
import WebSocketTransport

/// A moderator's actions take effect at once on open sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ModerationTests {
    private let folder = TemporaryFolder()
    private let server: ServerUnderTest
    private static let owner = UserName("owner")!
    private static let bob = UserName("bob")!

    init() throws {
        let store = try StoreOfTheRun.current.open(in: folder)
        let appointment = Operation(
            command: .random(), author: UserName("root")!, role: .own, time: 0,
            action: .moderate(.appoint(Self.owner, .own)))
        _ = try store.commit([RoomOperation(room: room, operation: appointment)])
        server = try ServerUnderTest(store: store) {
            $0.members.tick = .milliseconds(20)
            $0.members.grace = .seconds(300)
        }
    }

    private func moderate(_ moderation: Moderation) -> ClientFrame.Request {
        .moderate(room: room, command: .random(), moderation)
    }

    private func rawReader(_ user: String, receiveBuffer: Int32? = nil) throws -> RawReader {
        let reader = try RawReader(port: server.server.port, receiveBuffer: receiveBuffer)
        try reader.say(ClientFrame(ref: 1, request: .hello(.user(UserName(user)!))))
        try reader.say(ClientFrame(ref: 2, request: .subscribe(lobby, limit: 50, resume: nil)))
        try reader.say(ClientFrame(ref: 3, request: .subscribe(lobbyMembers, limit: 50, resume: nil)))
        var awaited: Set<UInt64> = [1, 2, 3]
        while !awaited.isEmpty { if let ref = try reader.nextFrame().ref { awaited.remove(ref) } }
        return reader
    }

    // MARK: - Of several faults

    /// Each step takes away the fault that the answer before told of.
    @Test func ofSeveralFaultsTheAnswerTellsTheFirst() async throws {
        let (owner, bob) = (try await server.join(as: "owner"), try await server.join(as: "bob"))
        let (mine, others) = (MessageID.random(), MessageID.random())
        _ = try await bob.answer(to: .say("mine", id: mine))
        _ = try await owner.answer(to: .say("the owner's", id: others))
        let mute = Moderation.mute(Self.bob, for: 3_600_000)
        for rule in [.slowMode(3_600_000), .readOnly(.on), mute, .ban(Self.bob)] {
            _ = try await owner.answer(to: moderate(rule))
        }
        func bobIsTold(_ request: ClientFrame.Request) async throws -> WireError? {
            if case .error(_, let error) = try await bob.answer(to: request) { error } else { nil }
        }
        let everyone = ClientFrame.Request.send(
            room: room, id: .random(), MessageContent("@room", mentions: Mentioned([], everyone: true)))
        let missing = ClientFrame.Request.edit(room: room, command: .random(), id: .random(), "?")

        #expect(try await bobIsTold(.say("mine", id: mine)) == nil)
        #expect(try await bobIsTold(missing)?.message.contains("yours is 'none'") == true)
        _ = try await owner.answer(to: moderate(.unban(Self.bob)))
        #expect(try await bobIsTold(.say("another", id: mine))?.code == .conflict)
        #expect(try await bobIsTold(missing)?.message.contains("muted") == true)
        _ = try await owner.answer(to: moderate(.unmute(Self.bob)))
        #expect(try await bobIsTold(missing)?.message.contains("read-only") == true)
        #expect(try await bobIsTold(everyone)?.message.contains("read-only") == true)
        _ = try await owner.answer(to: moderate(.readOnly(.off)))
        #expect(try await bobIsTold(missing)?.code == .notFound)
        let edit = ClientFrame.Request.edit(room: room, command: .random(), id: others, "mine?")
        #expect(try await bobIsTold(edit)?.message.contains("somebody else's") == true)
        #expect(try await bobIsTold(.say("the first since then")) == nil)
        #expect(try await bobIsTold(everyone)?.message.contains("everyone") == true)
        #expect(try await bobIsTold(.say("too soon"))?.code == .rateLimited)
    }

    // MARK: - Out

    /// Not one byte comes between the ends of its subscriptions and the room's next answer to it.
    @Test(arguments: [Moderation.kick(bob), .ban(bob)])
    func whoIsPutOutGetsNotOneByteOfTheRoomMore(moderation: Moderation) async throws {
        let owner = try await server.follow(as: "owner")
        let bob = try rawReader("bob")

        #expect(try await owner.answer(to: moderate(moderation)).revision == 2)
        for number in 0..<20 { _ = try await owner.answer(to: .say("message \(number)")) }
        _ = try await owner.diffs(upTo: 22)
        // The room refuses it, behind everything that it had for bob before. A ping could overtake that, because his
        // event loop answers it.
        try bob.say(ClientFrame(ref: 9, request: .audit(room, before: 1_000, limit: 32)))

        var ended: Set<ListName> = []
        while ended.count < 2 {
            let frame = try bob.nextFrame()
            if case .ended(let list, let ending) = frame {
                #expect(ending.why == (moderation == .kick(Self.bob) ? .kicked : .banned))
                ended.insert(list)
            } else if case .diff(_, .members, _, _) = frame {
                #expect(!ended.contains(lobbyMembers), "\(frame)")
            } else {
                Issue.record("\(frame)")
            }
        }
        let answer = try bob.nextFrame()
        #expect(answer.ref == 9 && answer.errorCode == .forbidden, "\(answer)")
    }

    /// Bytes that waited for a full socket are not sent when it takes bytes again.
    @Test
    func whatWaitsForABannedReaderIsDropped() async throws {
        let owner = try await server.follow(as: "owner")
        let bob = try rawReader("bob", receiveBuffer: 4_096)
        let text = String(repeating: "x", count: 8_000)

        for _ in 0..<6 {
            for _ in 0..<99 { owner.send(.say(text)) }
            _ = try await owner.answer(to: .say(text))
        }
        let banned = try #require(try await owner.answer(to: moderate(.ban(Self.bob))).revision)
        for _ in 0..<10 { _ = try await owner.answer(to: .say("secret")) }
        try bob.say(ClientFrame(ref: 9, request: .ping))

        var last: Revision = 0
        while true {
            let bytes = try bob.next()
            #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
            switch try ServerFrame(json: bytes) {
            case .diff(_, _, _, let diff as ListDiff<Message>): last = diff.to
            case .pong:
                #expect(last < banned)
                return
            default: break
            }
        }
    }

    @Test
    func whoWasKickedMayComeBackAndWhoWasBannedMayNot() async throws {
        let owner = try await server.follow(as: "owner")
        let bob = try await server.follow(as: "bob")

        _ = try await owner.answer(to: moderate(.kick(Self.bob)))
        try await bob.end()
        #expect(try await bob.answer(to: .unsubscribe(lobby)).errorCode == .notFound)
        #expect(try await bob.answer(to: .subscribe(lobby, limit: 50, resume: nil)).revision == 2)

        _ = try await owner.answer(to: moderate(.ban(Self.bob)))
        try await bob.end()
        let again = try await server.join(as: "bob")
        for request: ClientFrame.Request in [
            .subscribe(lobby, limit: 50, resume: nil), .subscribe(lobbyMembers, limit: 50, resume: nil),
            .page(lobby, .before(10), limit: 50), .say("still here"), .audit(room, before: 10, limit: 50),
        ] {
            #expect(try await bob.answer(to: request).errorCode == .forbidden, "\(request)")
            #expect(try await again.answer(to: request).errorCode == .forbidden, "\(request)")
        }

        _ = try await owner.answer(to: moderate(.unban(Self.bob)))
        #expect(try await again.answer(to: .subscribe(lobby, limit: 50, resume: nil)).revision == 4)
    }

    /// They do not get the grace of a cut connection.
    @Test
    func whoIsPutOutIsNotThereAnyMore() async throws {
        let owner = try await server.follow(as: "owner")
        let watcher = try await MembersWatcher(server.join(as: "eve"))
        _ = try await server.follow(as: "bob")
        try await watcher.until { $0["bob"]?.section == .online }

        _ = try await owner.answer(to: moderate(.kick(Self.bob)))

        try await watcher.until { $0["bob"]?.section == .offline }
    }

    // MARK: - What may be said

    @Test
    func theMutedAndThoseInASlowOrReadOnlyRoomAreToldSoAndWhenItEnds() async throws {
        let owner = try await server.join(as: "owner")
        let bob = try await server.follow(as: "bob")

        _ = try await owner.answer(to: moderate(.mute(Self.bob, for: 600_000)))
        let muted = try await bob.error(of: .say("a"))
        #expect(muted.code == .forbidden && (1...600_000).contains(muted.retryAfter ?? 0))
        #expect(try await bob.answer(to: .typing(room, .on)).errorCode == .forbidden)
        _ = try await owner.answer(to: moderate(.unmute(Self.bob)))
        _ = try await owner.answer(to: moderate(.slowMode(3_600_000)))
        #expect(try await bob.answer(to: .say("b")).errorCode == nil)
        let slow = try await bob.error(of: .say("c"))
        #expect(slow.code == .rateLimited && (1...3_600_000).contains(slow.retryAfter ?? 0))
        _ = try await owner.answer(to: moderate(.slowMode(0)))
        _ = try await owner.answer(to: moderate(.readOnly(.on)))
        #expect(try await bob.answer(to: .say("d")).errorCode == .forbidden)
        #expect(try await bob.answer(to: .typing(room, .on)).errorCode == .forbidden)
        #expect(try await owner.answer(to: .say("e")).errorCode == nil)
    }

    @Test
    func aReaderIsToldWhatItMayDoWhenThatIsNotTheUsual() async throws {
        let owner = try await server.follow(as: "owner")
        let bob = try await server.join(as: "bob")
        #expect(try await bob.standings(until: .subscribe(lobby, limit: 50, resume: nil)) == [])

        _ = try await owner.answer(to: moderate(.appoint(Self.bob, .moderate)))
        #expect(try await bob.standing() == RoomStanding(role: .moderate))
        _ = try await owner.answer(to: moderate(.slowMode(5_000)))
        #expect(try await bob.standing() == RoomStanding(role: .moderate, slowMode: 5_000))
        _ = try await bob.answer(to: moderate(.readOnly(.on)))

        let ann = try await server.join(as: "ann")
        #expect(
            try await ann.standings(until: .subscribe(lobby, limit: 50, resume: nil))
                == [RoomStanding(slowMode: 5_000, isReadOnly: true)])
    }

    @Test
    func whoEndsASubscriptionThatBeganAnewMeanwhileEndsOnlyTheOld() async throws {
        let owner = try await server.follow(as: "owner")
        let bob = try await server.follow(as: "bob")

        for _ in 0..<50 {
            owner.send(moderate(.kick(Self.bob)))
            _ = try await bob.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        }
        _ = try await owner.answer(to: moderate(.kick(Self.bob)))
        _ = try await bob.answer(to: .subscribe(lobby, limit: 50, resume: nil))

        #expect(try await bob.answer(to: .unsubscribe(lobby)).errorCode == nil)
    }

    // MARK: - The log

    @Test
    func moderatorsReadWhatWasDoneAndNobodyElseDoes() async throws {
        let owner = try await server.join(as: "owner")
        let bob = try await server.join(as: "bob")
        let id = MessageID.random()
        _ = try await bob.answer(to: .say("rude", id: id))
        _ = try await owner.answer(to: .delete(room: room, command: .random(), id: id))
        _ = try await owner.answer(to: moderate(.mute(Self.bob, for: 1_000)))

        guard case .audit(_, room, let page) = try await owner.answer(to: .audit(room, before: 1_000, limit: 32))
        else { throw Unexpected() }

        #expect(page.entries.map(\.revision) == [1, 3, 4] && !page.more)
        #expect(page.entries.dropFirst().allSatisfy { $0.author == Self.owner })
        #expect(
            page.entries.dropFirst().map(\.deed) == [
                .deleted(id, of: Self.bob), .moderated(.mute(Self.bob, for: 1_000)),
            ])
        #expect(try await bob.answer(to: .audit(room, before: 1_000, limit: 32)).errorCode == .forbidden)
    }
}

extension Connection {
    /// Reads until the messages' subscription has ended.
    fileprivate func end() async throws {
        while true { if case .ended(lobby, _) = try await frame() { return } }
    }

    fileprivate func standing() async throws -> RoomStanding {
        while true { if case .standing(room, let standing) = try await frame() { return standing } }
    }

    fileprivate func error(of request: ClientFrame.Request) async throws -> WireError {
        guard case .error(_, let error) = try await answer(to: request) else { throw Unexpected() }
        return error
    }

    /// Returns the standings that came before the answer.
    fileprivate func standings(until request: ClientFrame.Request) async throws -> [RoomStanding] {
        let ref = send(request)
        var standings: [RoomStanding] = []
        while case let frame = try await frame(), frame.ref != ref {
            if case .standing(_, let standing) = frame { standings.append(standing) }
        }
        return standings
    }
}
