import ChatRoom
import ChatServer
import ChatWire
import Replicas
import RoomStore
import TestSupport
import Testing

/// `me/mentions` over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct MyMentionsTests {
    private static let ann = UserName("ann")!
    private let folder = TemporaryFolder()

    private func server(shards: Int = 2, store: (any RoomStore)? = nil) throws -> ServerUnderTest {
        try ServerUnderTest(store: try store ?? StoreOfTheRun.current.open(in: folder)) {
            $0.shards = shards
            $0.members.tick = .milliseconds(20)
        }
    }

    private func say(_ text: String, in room: RoomName, as id: MessageID = .random()) -> ClientFrame.Request {
        .send(room: room, id: id, MessageContent(text, mentions: [Self.ann]))
    }

    @Test(arguments: [1, 4])
    func theListIsWhatMentionsOnesName(shards: Int) async throws {
        let server = try server(shards: shards)
        let (ann, bob) = (try await MentionsWatcher(server.join(as: "ann")), try await server.join(as: "bob"))
        let (first, second) = (MessageID.random(), MessageID.random())
        _ = try await bob.answer(to: say("before you came", in: room))
        #expect(ann.texts == [])
        _ = try await ann.answer(to: .join(room))
        try await ann.until { $0.texts == ["before you came"] && $0.unread == 0 }

        _ = try await ann.answer(to: say("myself", in: room))
        _ = try await bob.answer(to: say("one", in: room, as: first))
        _ = try await bob.answer(to: say("two", in: room, as: second))
        _ = try await bob.answer(to: .send(room: room, id: .random(), "not you"))
        try await ann.until { $0.texts == ["before you came", "one", "two"] && $0.unread == 2 }

        _ = try await ann.connection.answer(to: .subscribe(.messages(room), limit: 50, resume: nil))
        _ = try await ann.answer(to: .read(room, 4))
        try await ann.until { $0.unread == 1 }
        _ = try await ann.answer(to: say("myself again", in: room))
        try await ann.until { $0.texts == ["before you came", "one", "two"] && $0.unread == 0 }
        let edit = ClientFrame.Request.edit(
            room: room, command: .random(), id: first, ContentEdit("ONE", mentions: [Self.ann]))
        _ = try await bob.answer(to: edit)
        try await ann.until { $0.texts == ["before you came", "ONE", "two"] }
        _ = try await bob.answer(to: .edit(room: room, command: .random(), id: first, "nobody"))
        try await ann.until { $0.texts == ["before you came", "two"] }
        _ = try await bob.answer(to: .delete(room: room, command: .random(), id: second))
        try await ann.until { $0.texts == ["before you came"] }
        _ = try await ann.answer(to: .leave(room))
        try await ann.until { $0.texts == [] }
    }

    @Test func theNewestHundredAreThereAndOneThatGoesMakesPlaceForAnOlder() async throws {
        let server = try server()
        let ann = try await MentionsWatcher(server.join(as: "ann"))
        let bob = try await server.join(as: "bob")
        let tea = RoomName("tea")!
        for room in [room, tea] { _ = try await ann.answer(to: .join(room)) }
        let last = MessageID.random()
        // Messages of two rooms may be of one millisecond, and those of a room are in order: around the tenth there is one.
        for number in 1...110 {
            _ = try await bob.answer(
                to: say("\(number)", in: number / 20 % 2 == 0 ? room : tea, as: number == 110 ? last : .random()))
        }
        try await ann.until { Set($0.texts) == Set((11...110).map(String.init)) }

        _ = try await bob.answer(to: .delete(room: tea, command: .random(), id: last))
        try await ann.until { Set($0.texts) == Set((10...109).map(String.init)) }
        let again = try await MentionsWatcher(server.join(as: "ann"))
        #expect(again.mentions.rows == ann.mentions.rows)
    }

    /// Most messages of one connection share an instant with others, of one room and of two.
    @Test func whoGoesUpGetsOlderOnesUntilThereAreNone() async throws {
        let store = try StoreOfTheRun.current.open(in: folder)
        let server = try server(store: store)
        let (member, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        let tea = RoomName("tea")!
        for room in [room, tea] { _ = try await member.answer(to: .join(room)) }
        for number in 1...178 { _ = bob.send(say("\(number)", in: number % 3 == 0 ? room : tea)) }
        for (number, room) in [(179, tea), (180, room)] { _ = try await bob.answer(to: say("\(number)", in: room)) }
        let ann = try await MentionsWatcher(member)

        let first = try await ann.older(limit: 50)
        #expect(first.rows.count == 50 && first.more)
        let last = try await ann.older(limit: 50, than: first.rows[0])
        #expect(last.rows.count == 30 && !last.more)
        let all = last.rows + first.rows + ann.mentions.rows
        #expect(Set(all.map(\.light.text)) == Set((1...180).map(String.init)))
        let kept = try store.mentions(of: UserName("ann")!, in: [room, tea], before: nil, limit: 200)
        #expect(all.map(\.id) == kept.map(\.id) && all.allSatisfy { !$0.light.isRead })
        for page in [first, last] { #expect(Set(page.rows.map(\.sort)).count == page.rows.count) }
        #expect(try await ann.older(limit: 50, than: last.rows[0]) == MentionsPage(rows: [], more: false))

        _ = try await ann.answer(to: .leave(tea))
        let rest = try await ann.older(limit: 50, than: first.rows[49])
        #expect(rest.rows.allSatisfy { $0.id.room == room } && !rest.rows.isEmpty)
    }

    @Test func olderOnesThatWereTrimmedAreOnNoPage() async throws {
        let rooms = ["lobby", "tea", "tram"].map { RoomName($0)! }
        let store = try StoreOfTheRun.current.open(in: folder)
        for room in rooms {
            func done(_ action: RoomAction, by author: String, at time: Milliseconds) -> RoomOperation {
                let operation = Operation(
                    command: .random(), author: UserName(author)!, role: .write, time: time, action: action)
                return RoomOperation(room: room, operation: operation)
            }
            let said = (1...80).map { (number: Milliseconds) in
                let text = "\(room) \(number)"
                return done(.send(MessageContent(text, mentions: [Self.ann])), by: "bob", at: 1 + number)
            }
            _ = try store.commit([done(.join, by: "ann", at: 1)] + said)
        }
        let retention = Retention(.init(messages: 60))
        for part in 0..<store.parts {
            var next = Trimming.Next.after(nil)
            while case .after(let last) = next {
                next = try store.trim(retention, part: part, after: last, at: 1_000).next
            }
        }
        let server = try ServerUnderTest(store: store) { _ in }

        let ann = try await MentionsWatcher(server.join(as: "ann"))
        let first = try await ann.older(limit: 50)
        let last = try await ann.older(limit: 50, than: first.rows[0])
        let texts = (last.rows + first.rows + ann.mentions.rows).map(\.light.text)
        #expect(first.more && !last.more && texts.count == 180)
        #expect(Set(texts) == Set(rooms.flatMap { room in (21...80).map { "\(room) \($0)" } }))
    }

    /// Whatever is named as the place tells nothing: not even whether it is there.
    @Test func pagesAreForReadersOfTheListAndHaveNothingElse() async throws {
        let server = try server()
        let owner = try await server.join(as: "bob")
        let made = try await owner.answer(to: .create(.random(), .private(people: [Self.ann])))
        guard case .ok(_, let effect?) = made, let secret = effect.list.room else { throw Unexpected() }
        let id = MessageID.random()
        for id in [.random(), id] { _ = try await owner.answer(to: say("psst", in: secret, as: id)) }
        let late = MentionPlace(id: .init(room: secret, message: id), time: .now + 60_000)

        let ann = try await server.join(as: "ann")
        guard case .error(_, let error) = try await ann.answer(to: .mentionsPage(before: late, limit: 50)) else {
            throw Unexpected()
        }
        #expect(error.code == .notFound)
        let watcher = try await MentionsWatcher(ann)
        #expect(try await watcher.page(before: late) == MentionsPage(rows: [], more: false))
        _ = try await ann.answer(to: .join(secret))
        try await watcher.until { $0.texts == ["psst", "psst"] }
        #expect(try await watcher.page(before: late).rows.map(\.light.text) == ["psst"])
        _ = try await owner.answer(to: .moderate(room: secret, command: .random(), .appoint(Self.ann, .none)))
        try await watcher.until { $0.texts == [] }
        #expect(try await watcher.page(before: late) == MentionsPage(rows: [], more: false))
        #expect(try await watcher.page(before: late) == MentionsPage(rows: [], more: false))
    }

    @Test func aCutIsResumedByADiffWithAllThatCameMeanwhile() async throws {
        let server = try server()
        let bob = try await server.join(as: "bob")
        let ann = try await MentionsWatcher(server.join(as: "ann"))
        _ = try await ann.answer(to: .join(room))
        _ = try await bob.answer(to: say("one", in: room))
        try await ann.until { $0.texts == ["one"] }
        _ = try await ann.answer(to: .unsubscribe(.myMentions))
        _ = try await bob.answer(to: say("two", in: room))

        let back = try await MentionsWatcher(server.join(as: "ann"), holding: ann.mentions)

        guard case .diff(_, .myMentions, _, _) = back.answer else {
            throw MentionsWatcher.OtherAnswer(answer: back.answer)
        }
        try await back.until { $0.texts == ["one", "two"] }
    }

    /// Somebody who is only invited may read the room, and is not a member; who never was invited learns nothing.
    @Test func aPrivateRoomsMessagesAreForItsMembers() async throws {
        let server = try server()
        let owner = try await server.join(as: "bob")
        let ann = try await MentionsWatcher(server.join(as: "ann"))
        let made = try await owner.answer(to: .create(.random(), .private(people: [Self.ann])))
        guard case .ok(_, let effect?) = made, let secret = effect.list.room else { throw Unexpected() }
        let everyone = Mentioned([], everyone: true)
        _ = try await owner.answer(
            to: .send(room: secret, id: .random(), MessageContent("all of you", mentions: everyone)))
        let again = try await MentionsWatcher(server.join(as: "ann"))
        #expect(again.texts == [])

        _ = try await ann.answer(to: .join(secret))
        try await ann.until { $0.texts == ["all of you"] }
        #expect(try await MentionsWatcher(server.join(as: "bob")).texts == [])
        #expect(try await MentionsWatcher(server.join(as: "eve")).texts == [])
        _ = try await owner.answer(to: .moderate(room: secret, command: .random(), .appoint(Self.ann, .none)))
        try await ann.until { $0.texts == [] }
        _ = try await owner.answer(to: say("and you?", in: secret))
        #expect(try await MentionsWatcher(server.join(as: "ann")).texts == [])
    }
}

extension ListWatcher<MyMention> {
    fileprivate var mentions: Replica<MyMention> { list }
    fileprivate var texts: [String] { mentions.rows.map(\.light.text) }
    fileprivate var unread: Int { mentions.rows.count { !$0.light.isRead } }

    fileprivate func older(limit: Int, than row: MyMention? = nil) async throws -> MentionsPage {
        guard let row = row ?? mentions.rows.first else { throw Unexpected() }
        return try await page(before: MentionPlace(row), limit: limit)
    }

    fileprivate func page(before place: MentionPlace, limit: Int = 50) async throws -> MentionsPage {
        let answer = try await answer(to: .mentionsPage(before: place, limit: limit))
        guard case .page(_, .myMentions, mentions.epoch, let page as MentionsPage) = answer else {
            throw OtherAnswer(answer: answer)
        }
        return page
    }
}
