import ChatRoom
import ChatServer
import ChatWire
import Foundation
import TestSupport
import Testing

/// Sentences of docs/protocol-reference.md, each with the behaviour that it states.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct DocumentedSentenceTests {
    private static let other = RoomName("tea")!

    private func expectSentence(_ sentence: String, at place: SourceLocation = #_sourceLocation) throws {
        #expect(try ProtocolDocuments.has(sentence), sourceLocation: place)
    }

    @Test func aLargeFrameArrivesWhateverItsFragmentsAre() async throws {
        try expectSentence("the server sends a frame of more than 32 KB whole or in fragments")
        let server = try ServerUnderTest { $0.limits.text = 60_000 }
        let ann = try await server.follow(as: "ann")
        let reader = try RawReader(port: server.server.port)
        try reader.say([
            ClientFrame(ref: 1, request: .hello(.user(UserName("bob")!))),
            ClientFrame(ref: 2, request: .subscribe(lobby, limit: 50, resume: nil)),
        ])
        let text = String(repeating: "x", count: 50_000)
        _ = try await ann.answer(to: .say(text))

        var texts: [String] = []
        while texts.isEmpty {
            switch try ServerFrame(json: reader.next()) {
            case .snapshot(_, lobby, let snapshot as ServerFrame.Snapshot<Message>):
                texts = snapshot.snapshot.rows.map(\.text)
            case .diff(_, lobby, _, let diff as ListDiff<Message>): texts = diff.insertions.map(\.text)
            default: break
            }
        }
        #expect(texts == [text])
        let late = try await server.join(as: "cid")
        guard
            case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = try await late.answer(
                to: .subscribe(lobby, limit: 50, resume: nil))
        else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.snapshot.rows.map(\.text) == [text])
    }

    @Test func rightsAreToldBeforeEachAnswerUnlessTheyAreTheUsualOnes() async throws {
        try expectSentence(
            "It comes before the answer to `subscribe` if they are not the usual ones, also when you subscribe again, and whenever "
                + "they change. If none has come before the answer, they are the usual ones")
        let server = try ServerUnderTest()
        let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        _ = try await ann.answer(to: .create(.random(), .open(Self.other)))
        let list = ListName.messages(Self.other)

        for _ in 1...3 {
            _ = ann.send(.subscribe(list, limit: 50, resume: nil))
            #expect(try await ann.frame() == .standing(Self.other, RoomStanding(role: .own)))
            guard case .snapshot(_, .messages, _) = try await ann.frame() else {
                Issue.record("no answer after the rights")
                return
            }
            _ = bob.send(.subscribe(list, limit: 50, resume: nil))
            guard case .snapshot(_, .messages, _) = try await bob.frame() else {
                Issue.record("the usual rights are told")
                return
            }
        }
    }

    @Test func whatIsNotFollowedCannotBeUnsubscribed() async throws {
        try expectSentence("`not_found` for a list that this connection is not subscribed to.")
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")

        for list in [
            lobbyMembers, .messages(Self.other), .myRooms, .myMentions, .myPeople, .myDrafts, .myLater, .myBlocked,
        ] {
            #expect(try await ann.answer(to: .unsubscribe(list)).errorCode == .notFound, "\(list)")
        }
        #expect(try await ann.answer(to: .unsubscribe(lobby)).errorCode == nil)
        #expect(try await ann.answer(to: .unsubscribe(lobby)).errorCode == .notFound)
    }

    /// The page begins with the list, so a reader that merges it knows that nothing is before it.
    @Test func aPageAfterNothingBeginsAtZero() async throws {
        try expectSentence("one to `after` begins with the key above it, or at 0 if no row is before that")
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        for number in 1...3 { _ = try await ann.answer(to: .say("\(number)")) }

        for (place, from) in [
            (PagePlace.after(0), 0), (.between(after: 0, before: 3), 0), (.after(1), 2),
            (.between(after: 1, before: 3), 2),
        ] {
            guard
                case .page(_, _, _, let page as ListPage<Message>) = try await ann.answer(
                    to: .page(lobby, place, limit: 50))
            else {
                Issue.record("no page")
                return
            }
            #expect(page.from == UInt64(from) && page.more == (from > 0), "\(place)")
        }
    }

    @Test(arguments: [lobby, lobbyMembers, .myRooms, .myMentions])
    func aSubscribeThatIsUnsubscribedBeforeItsAnswerIsAnsweredOnce(list: ListName) throws {
        try expectSentence(
            "A `subscribe` of the list that is not answered by then is answered with `conflict`, or by the frame that "
                + "it asked for: ignore that.")
        let server = try ServerUnderTest()
        let reader = try RawReader(port: server.server.port)
        try reader.say([ClientFrame(ref: 1, request: .hello(.user(UserName("bob")!)))])
        _ = try reader.next()
        try reader.say([
            ClientFrame(ref: 2, request: .subscribe(list, limit: 50, resume: nil)),
            ClientFrame(ref: 3, request: .unsubscribe(list)),
        ])

        var answers: [ServerFrame] = []
        while answers.count < 2 {
            let frame = try ServerFrame(json: reader.next())
            if frame.ref != nil { answers.append(frame) }
        }
        #expect(Set(answers.map(\.ref)) == [2, 3])
        #expect([nil, .conflict].contains(answers.first { $0.ref == 2 }?.errorCode))
        #expect(answers.first { $0.ref == 3 }?.errorCode == nil)
    }

    @Test func aFieldThatIsOverIsWrittenOut() async throws {
        try expectSentence("both in the order of coming; missing or empty if none")
        try expectSentence("whether they are writing something; missing or false if not")
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let reader = try RawReader(port: server.server.port)
        try reader.say([
            ClientFrame(ref: 1, request: .hello(.user(UserName("bob")!))),
            ClientFrame(ref: 2, request: .subscribe(lobby, limit: 50, resume: nil)),
            ClientFrame(ref: 3, request: .subscribe(lobbyMembers, limit: 50, resume: nil)),
        ])
        for _ in 1...3 { _ = try reader.next() }
        let id = MessageID.random()
        _ = try await ann.answer(to: .say("hello", id: id))
        for direction in [ClientFrame.Switch.on, .off] {
            _ = try await ann.answer(
                to: .react(room: room, command: .random(), id: id, emoji: "👍", direction))
        }
        try read(reader, until: #""reactions":[]"#)
        _ = try await ann.answer(to: .typing(room, .on))
        try read(reader, until: #""typing":true"#)
        _ = try await ann.answer(to: .typing(room, .off))
        try read(reader, until: #""typing":false"#)
    }

    @Test func aRepeatedReadOfAllMarksWhatHasComeSince() async throws {
        try expectSentence("Do not send it again after a cut: it would mark what has come since.")
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        _ = try await ann.answer(to: .join(room, command: .random()))
        let bob = try await server.join(as: "bob")

        for revision in [Revision(2), 3] {
            #expect(try await bob.answer(to: .say("hello")).revision == revision)
            #expect(try await ann.answer(to: .read(room, nil)).revision == revision)
        }
    }

    @Test func aPageHasExactlyTheRowsBetweenItsKeys() async throws {
        try expectSentence("all rows of the list with a sort key from `from` to `to`, as of `revision`")
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        for number in 1...9 { _ = try await ann.answer(to: .say("\(number)")) }
        let places: [PagePlace] = [
            .before(1), .before(5), .before(90), .after(0), .after(5), .after(90), .between(after: 2, before: 3),
            .between(after: 2, before: 8), .around(.revision(5)), .around(.revision(90)),
        ]

        for place in places {
            for limit in [1, 3, 50] {
                guard
                    case .page(_, _, _, let page as ListPage<Message>) = try await ann.answer(
                        to: .page(lobby, place, limit: limit))
                else {
                    Issue.record("no page")
                    return
                }
                #expect(page.rows.map(\.sort) == (1...9).filter { page.from <= $0 && $0 <= page.to }, "\(place)")
                #expect(page.to <= max(page.revision, place == .after(90) ? 90 : 0))
            }
        }
    }

    @Test func aFrameThatCanBeReadMayStillBeRefused() async throws {
        try expectSentence(
            "`null` means that the frame can be read: the answer may still be an error, such as `not_found`.")
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        let isTyping = ClientFrame.Request.typing(room, .on)
        let readable = try ProtocolDocuments.vectors("client-frames").filter { $0["error"] is NSNull }
            .compactMap { try? ClientFrame(json: Array(($0["text"] as? String ?? "").utf8)).request }

        #expect(!readable.isEmpty)
        #expect(try await ann.answer(to: isTyping).errorCode == .notFound)
    }

    private func read(_ reader: RawReader, until text: String) throws {
        while try !String(decoding: reader.next(), as: UTF8.self).contains(text) {}
    }
}
