import ChatServer
import ChatWire
import Replicas
import TestSupport
import Testing

/// Messages that grow, over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct GrowthTests {
    private let message = MessageID.random()

    private func append(_ text: String, at size: Int) -> ClientFrame.Request { grow(.append(text, at: size)) }

    private func grow(_ step: GrowthStep) -> ClientFrame.Request {
        .grow(room: room, command: .random(), id: message, step)
    }

    private func open(_ text: String) -> ClientFrame.Request {
        .send(room: room, id: message, MessageContent(text, growth: .open))
    }

    private func error(_ answer: ServerFrame) -> WireError? {
        if case .error(_, let error) = answer { error } else { nil }
    }

    /// Returns the row as a new reader has it.
    private func row(on server: ServerUnderTest) async throws -> Message {
        let reader = try await server.join(as: "reader")
        guard
            case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) =
                try await reader.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        else { throw Unexpected() }
        return try #require(snapshot.snapshot.rows.first { $0.id == message })
    }

    @Test func aReaderGetsTheTextThatItLacks() async throws {
        try #expect(ProtocolDocuments.has("The size of an `app` depends on the [appended](#append-close) text only:"))
        let server = try ServerUnderTest()
        let (ann, bob) = (try await server.join(as: "ann"), try await server.follow(as: "bob"))
        _ = try await ann.answer(to: open(String(repeating: "a", count: 4_000)))
        let first = try await bob.diff()
        let last = try #require(try await ann.answer(to: append(" é\n", at: 4_000)).revision)

        let diff = try #require(try await bob.diffs(upTo: last).last)

        #expect(first.insertions.map(\.content.growth) == [.open])
        #expect(diff.changeCount == 1 && diff.reloads.isEmpty)
        #expect(diff.patches.map(\.patch) == [MessagePatch(growth: TextGrowth(from: 4_000, " é\n", .open))])
    }

    /// The pieces of one tick leave in one diff, and another message leaves at once, with what has grown.
    @Test func piecesAreGathered() async throws {
        let server = try ServerUnderTest {
            ($0.allowances.commands, $0.allowances.sends) = (nil, nil)
        }
        let (ann, bob) = (try await server.join(as: "ann"), try await server.follow(as: "bob"))
        _ = try await ann.answer(to: open(""))
        for first in stride(from: 0, to: 500, by: 100) {
            for size in first..<first + 99 { _ = ann.send(append("a", at: size)) }
            _ = try await ann.answer(to: append("a", at: first + 99))
        }
        let last = try #require(try await ann.answer(to: grow(.close())).revision)

        let diffs = try await bob.diffs(upTo: last)
        let said = try #require(try await ann.answer(to: .say("hello")).revision)
        let news = try await bob.diffs(upTo: said)

        #expect(diffs.count < 300, "\(diffs.count) diffs of 500 pieces")
        #expect(news.count == 1)
        #expect(try await row(on: server).text == String(repeating: "a", count: 500))
    }

    /// What is wrong with a step, and what the answer says.
    @Test func aStepThatDoesNotFitIsRefused() async throws {
        try #expect(ProtocolDocuments.has("Only the author may append and close."))
        let server = try ServerUnderTest()
        let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        let none = MessageID.random()
        _ = try await ann.answer(to: open("five5"))

        #expect(error(try await ann.answer(to: append("x", at: 4)))?.reason == .otherSize)
        #expect(
            error(try await ann.answer(to: append("x", at: 6)))?.message
                == "the text of message \(message) has 5 bytes, so `at` must be 5")
        #expect(error(try await bob.answer(to: append("x", at: 5)))?.reason == .notYours)
        #expect(error(try await bob.answer(to: grow(.close())))?.reason == .notYours)
        let lost = ClientFrame.Request.grow(room: room, command: .random(), id: none, .close())
        #expect(error(try await ann.answer(to: lost))?.reason == .noMessage)
        let long = try await ann.answer(to: append(String(repeating: "x", count: 8_190), at: 5))
        #expect(error(long)?.reason == .tooLong)
        #expect(error(long)?.message == "the text of message \(message) would have 8195 bytes, must be at most 8192")
        #expect(try await row(on: server).text == "five5")

        #expect(error(try await ann.answer(to: append("\u{7}\r\n", at: 5))) == nil)
        let close = grow(.close(.failed))
        let closed = try await ann.answer(to: close)
        #expect(try await ann.answer(to: close).revision == closed.revision, "a repeat gets the first answer")
        #expect(error(try await ann.answer(to: append("x", at: 6)))?.reason == .notOpen)
        #expect(error(try await ann.answer(to: grow(.close())))?.reason == .notOpen)
        let row = try await row(on: server)
        #expect(row.text == "five5\n")
        #expect(row.content.growth == .ended(.failed))
        #expect(row.edited == nil)
    }

    @Test func anEditOfAnOpenMessageLeavesItOpen() async throws {
        try #expect(
            ProtocolDocuments.has(
                "neither `open` nor `ended`. An author who is muted, or whose room is read-only, may still close."))
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        _ = try await ann.answer(to: open("one"))
        _ = try await ann.answer(to: .edit(room: room, command: .random(), id: message, "three"))
        let old = try await ann.answer(to: append("!", at: 3))
        _ = try await ann.answer(to: append("!", at: 5))

        let row = try await row(on: server)

        #expect(error(old)?.reason == .otherSize)
        #expect(row.text == "three!")
        #expect(row.content.growth == .open)
        #expect(row.edited != nil)
    }

    /// A table: who may do which step to another user's message.
    @Test func thoseWhomTheAuthorPermitsMayStop() async throws {
        try #expect(ProtocolDocuments.has("But a moderator, and a user whom the message mentions by name,"))
        let server = try ServerUnderTest()
        let owner = try await server.join(as: "owner")
        _ = try await owner.answer(to: .create(.random(), .open(room, title: nil)))
        let (bot, ann, bob) = (
            try await server.join(as: "bot"), try await server.join(as: "ann"), try await server.join(as: "bob")
        )
        func begin(_ mentions: Mentioned) async throws -> MessageID {
            let id = MessageID.random()
            let content = MessageContent("so", mentions: mentions, growth: .open)
            _ = try await bot.answer(to: .send(room: room, id: id, content))
            return id
        }
        func refusal(of step: GrowthStep, by user: Connection, to id: MessageID) async throws -> WireError.Reason? {
            error(try await user.answer(to: .grow(room: room, command: .random(), id: id, step)))?.reason
        }
        let forAnn = Mentioned([UserName("ann")!])

        for user in [ann, bob, owner] {
            let id = try await begin(forAnn)
            for step in [GrowthStep.append("!", at: 2), .close(), .close(.failed)] {
                #expect(try await refusal(of: step, by: user, to: id) == .notYours, "\(step)")
            }
            let isAllowed = user !== bob
            #expect(try await refusal(of: .close(.stopped), by: user, to: id) == (isAllowed ? nil : .notYours))
            #expect(try await refusal(of: .append("!", at: 2), by: bot, to: id) == (isAllowed ? .notOpen : nil))
        }
    }

    /// A person who may not write any more can say that the text ends.
    @Test func anAuthorWhoIsMutedMayClose() async throws {
        let server = try ServerUnderTest()
        let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        _ = try await ann.answer(to: .create(.random(), .open(room, title: nil)))
        _ = try await bob.answer(to: open("so"))
        let mute = Moderation.mute(UserName("bob")!, for: 60_000)
        _ = try await ann.answer(to: .moderate(room: room, command: .random(), mute))

        #expect(error(try await bob.answer(to: append("!", at: 2)))?.reason == .muted)
        #expect(error(try await bob.answer(to: grow(.close(.stopped)))) == nil)
        #expect(try await row(on: server).content.growth == .ended(.stopped))
    }

    /// A list of pins and one of drafts have whole texts: neither says that one grows.
    @Test func neitherPinsNorDraftsGrow() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        _ = try await ann.answer(to: .create(.random(), .open(room, title: nil)))
        _ = try await ann.answer(to: open("so"))
        _ = try await ann.answer(to: .moderate(room: room, command: .random(), .pin(message, .last)))

        let draft = try await ann.answer(to: .draft(room, MessageContent("so", growth: .open)))
        let pins = try await ann.answer(to: .subscribe(.pins(room), limit: 50, resume: nil))

        #expect(error(draft)?.field == "open")
        guard case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Pin>) = pins else { throw Unexpected() }
        #expect(snapshot.snapshot.rows.map(\.light.content) == [MessageContent("so")])
    }

    @Test func aMessageThatItsAuthorHasLeftIsInterrupted() async throws {
        try #expect(ProtocolDocuments.has("the server closes a message that has had no `append` for a minute"))
        let server = try ServerUnderTest {
            $0.silenceTick = .milliseconds(20)
            ($0.allowances.commands, $0.allowances.sends) = (nil, nil)
        }
        let (ann, bob) = (try await server.join(as: "ann"), try await server.follow(as: "bob"))
        _ = try await ann.answer(to: open("and then"))

        // A reaction is no piece.
        var (growth, direction): (Growth?, ClientFrame.Switch) = (nil, .on)
        while growth != .ended(.interrupted) {
            _ = ann.send(.react(room: room, command: .random(), id: message, emoji: "👍", direction))
            direction = direction == .on ? .off : .on
            for change in try await bob.diff().patches { growth = change.patch.growth?.growth ?? growth }
        }

        #expect(growth == .ended(.interrupted))
        #expect(error(try await ann.answer(to: append("x", at: 8)))?.reason == .notOpen)
        #expect(try await row(on: server).text == "and then")
    }
}
