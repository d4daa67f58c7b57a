import ChatServer
import ChatWire
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ConversationTests {
    @Test
    func whoIsToldOfARouteConnectsWithARoomInTheURL() async throws {
        let server = try ServerUnderTest { $0.route = "room" }
        let connections = try Connections()
        defer { connections.stop() }
        let ann = try connections.connect(to: server.server.port, path: "/?room=lobby%2f")

        let answer = try await ann.answer(to: .hello(.user(UserName("ann")!)))

        guard case .welcome(_, let welcome) = answer else { throw Unexpected() }
        #expect(welcome.route == "room")
    }

    @Test
    func whatOneSaysTheOtherSees() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let bob = try await server.follow(as: "bob")
        let id = MessageID.random()

        let answer = try await ann.answer(to: .say("hello", id: id))

        #expect(answer.revision == 1)
        let diff = try await bob.diff()
        #expect(diff.insertions.map(\.id) == [id])
        #expect(diff.insertions.map(\.text) == ["hello"])
        #expect(diff.insertions.map(\.section) == [.socket])
    }

    @Test
    func anEditIsAReloadAReactionAReconfigureAndADeletionADelete() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let bob = try await server.follow(as: "bob")
        let id = MessageID.random()
        _ = try await ann.answer(to: .say("helo", id: id))
        _ = try await bob.diff()

        _ = try await ann.answer(to: .edit(room: room, command: .random(), id: id, "hello"))
        #expect(try await bob.diff().reloads.map(\.text) == ["hello"])

        _ = try await bob.answer(to: .react(room: room, command: .random(), id: id, emoji: "👍", .on))
        #expect(
            try await ann.diffs(upTo: 3).last?.reconfigurations.map(\.light.reactions)
                == [[Reaction(emoji: "👍", users: [UserName("bob")!])]])

        _ = try await ann.answer(to: .delete(room: room, command: .random(), id: id))
        #expect(try await bob.diffs(upTo: 4).last?.deletions == [id])
    }

    @Test
    func whatAnApplicationAddsArrivesByteForByte() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let bob = try await server.follow(as: "bob")
        let id = MessageID.random()
        let poll = try #require(AppData(#"{ "kind" : "poll", "choices": [1.50, "\u00e9"] }"#))
        func edit(_ edit: ContentEdit) async throws -> [MessageContent] {
            let answer = try await ann.answer(to: .edit(room: room, command: .random(), id: id, edit))
            return try await bob.diffs(upTo: try #require(answer.revision)).last?.reloads.map(\.content) ?? []
        }

        var expected = MessageContent("tea or coffee?", replyTo: .random(), data: poll)
        _ = try await ann.answer(to: .send(room: room, id: id, expected))
        #expect(try await bob.diff().insertions.map(\.content) == [expected])
        expected.text = "coffee or tea?"
        #expect(try await edit("coffee or tea?") == [expected])
        expected.data = AppData(#"{"kind":"poll","votes":1}"#)
        #expect(try await edit(ContentEdit(data: expected.data)) == [expected])

        let cid = try await server.join(as: "cid")
        guard
            case .snapshot(_, _, let held as ServerFrame.Snapshot<Message>) = try await cid.answer(
                to: .subscribe(lobby, limit: 50, resume: nil))
        else {
            throw Unexpected()
        }
        #expect(held.snapshot.rows.map(\.content) == [expected])
        expected.data = nil
        #expect(try await edit(ContentEdit(data: .empty)) == [expected])
    }

    @Test
    func whoComesLaterHasThePastInHistoryAndTheRestInSocket() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        _ = try await ann.answer(to: .say("before"))
        let bob = try await server.join(as: "bob")
        guard
            case .snapshot(_, _, let joined as ServerFrame.Snapshot<Message>) = try await bob.answer(
                to: .subscribe(lobby, limit: 50, resume: nil))
        else { throw Unexpected() }
        _ = try await ann.answer(to: .say("after"))
        let live = try await bob.diff()

        #expect(joined.why == .fresh && joined.snapshot.rows.map(\.section) == [.history])
        #expect(live.insertions.map(\.section) == [.socket])
    }

    @Test
    func aSnapshotKeepsInSocketWhatCameAfterTheReaderJoined() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        for number in 1...60 { _ = try await ann.answer(to: .say("\(number)")) }
        let resume = Resume(epoch: try await ann.epoch(), revision: 1_000, joined: 40)

        let answer = try await ann.answer(to: .subscribe(lobby, limit: 32, resume: resume))

        guard case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = answer else { throw Unexpected() }
        #expect(snapshot.why == .future && snapshot.joined == 40)
        #expect(snapshot.snapshot.rows.map(\.sort) == Array(29...60))
        #expect(snapshot.snapshot.rows.allSatisfy { ($0.section == .socket) == ($0.sort > 40) })
    }

    /// The diff has what changed in the held rows, and the newest rows; between them is a gap.
    @Test
    func whoMissedMoreThanTheLimitKeepsWhatItHolds() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let ids = (0..<100).map { _ in MessageID.random() }
        for id in ids { _ = try await ann.answer(to: .say("text", id: id)) }
        for id in [ids[2], ids[7], ids[60]] {
            _ = try await ann.answer(to: .edit(room: room, command: .random(), id: id, "edited"))
        }
        let resume = Resume(
            epoch: try await ann.epoch(), revision: 10, joined: 5, ranges: [2...4, 7...10], at: 3)
        let bob = try await server.join(as: "bob")

        let answer = try await bob.answer(to: .subscribe(lobby, limit: 32, resume: resume))

        guard case .diff(_, _, _, let diff as ListDiff<Message>) = answer else { throw Unexpected() }
        #expect(diff.reloads.map(\.id) == [ids[2], ids[7]])
        #expect(diff.insertions.map(\.id) == Array(ids[68...]))
        #expect(diff.ranges?.map(\.keys) == [2...4, 7...10, 69...UInt64.max])
        #expect(diff.ranges?.map(\.proof?.count) == [3, 4, 32])
    }

    @Test
    func aPageIsFoundByAMessageARevisionAndATime() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let ids = (0..<100).map { _ in MessageID.random() }
        for id in ids { _ = try await ann.answer(to: .say("text", id: id)) }
        func page(_ place: PagePlace) async throws -> ListPage<Message>? {
            guard
                case .page(_, _, _, let page as ListPage<Message>) = try await ann.answer(
                    to: .page(lobby, place, limit: 32))
            else {
                return nil
            }
            return page
        }

        let around = try #require(try await page(.around(.id(ids[49]))))
        #expect(around.rows.map(\.sort) == Array(34...65) && around.more && around.newer)
        #expect(try await page(.around(.revision(50)))?.rows == around.rows)
        #expect(try await page(.around(.time(0)))?.from == 0)
        #expect(try await page(.between(after: 90, before: 95))?.rows.map(\.sort) == Array(91...94))
        let nothing = try await ann.answer(to: .page(lobby, .around(.id(.random())), limit: 32))
        #expect(nothing.errorCode == .notFound)
    }

    @Test
    func aResumeIsAnsweredWithOneNetDiff() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let ids = (0..<10).map { _ in MessageID.random() }
        for id in ids { _ = try await ann.answer(to: .say("text", id: id)) }
        for number in 1...20 {
            _ = try await ann.answer(to: .edit(room: room, command: .random(), id: ids[3], "\(number)"))
        }
        let resume = Resume(epoch: try await ann.epoch(), revision: 10, joined: 0)
        let bob = try await server.join(as: "bob")

        let answer = try await bob.answer(to: .subscribe(lobby, limit: 50, resume: resume))

        guard case .diff(_, _, _, let diff as ListDiff<Message>) = answer else { throw Unexpected() }
        #expect(diff.from == 10 && diff.to == 30 && diff.changeCount == 1)
        #expect(diff.reloads.map(\.text) == ["20"])
    }

    @Test
    func aRepeatGetsTheFirstAnswerAndDoesNothing() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let id = MessageID.random()

        let first = try await ann.answer(to: .say("once", id: id))
        let second = try await ann.answer(to: .say("once", id: id))
        let other = try await ann.answer(to: .say("something else", id: id))

        #expect(first.revision == 1 && second.revision == 1)
        #expect(other.errorCode == .conflict)
    }

    @Test
    func pagesLeadToTheBeginning() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        for number in 1...100 { _ = try await ann.answer(to: .say("\(number)")) }
        var before: UInt64 = 101
        var sorts: [UInt64] = []
        var more = true
        while more {
            guard
                case .page(_, _, _, let page as ListPage<Message>) = try await ann.answer(
                    to: .page(lobby, .before(before), limit: 32))
            else { throw Unexpected() }
            sorts = page.rows.map(\.sort) + sorts
            before = page.rows.first?.sort ?? 0
            more = page.more
        }

        #expect(sorts == Array(1...100))
    }

    @Test
    func afterUnsubscribingNothingMoreComes() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        _ = try await ann.answer(to: .unsubscribe(lobby))

        #expect(try await ann.answer(to: .say("to nobody")).revision == 1)
        ann.send(.ping)
        #expect(try await ann.frame() == .pong(ref: 5))
    }
}

struct Unexpected: Error {}
