import ChatRoom
import ChatServer
import ChatWire
import Foundation
import TestSupport
import Testing

/// The reasons of errors: the protocol's reference and its guide have each, and so has the server.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct DocumentedReasonTests {
    @Test func theTableHasEveryReasonBesideItsCode() throws {
        let made = WireError.Reason.allCases.map { "\($0.code.rawValue) \($0.rawValue)" }

        let documented = try ProtocolDocuments.errorReasons.map { "\($0.code) \($0.reason)" }

        #expect(documented.sorted() == made.sorted())
    }

    @Test func theGuideHasARemedyForEveryReason() throws {
        #expect(try ProtocolDocuments.remediedReasons.sorted() == WireError.Reason.allCases.map(\.rawValue).sorted())
    }

    /// An error is made of a reason, which decides its code. Only what reads an error of another program, and a client
    /// that refuses a command itself, make one of a code.
    @Test func theServerMakesNoErrorWithoutAReasonAndHasEachReason() throws {
        var unused = Set(WireError.Reason.allCases.map { "\($0)" })
        for (file, text) in try SourceFiles.swift(in: ["ChatWire", "ChatRoom", "ChatServer", "Files"]) {
            if !file.hasSuffix("/WireError.swift") && !file.hasSuffix("/ServerFrame+Reading.swift") {
                #expect(!text.contains("WireError(code:") && !text.contains("init(code:"), "\(file)")
            }
            guard !file.hasSuffix("/WireError.swift") else { continue }
            for match in text.matches(of: /(?:WireError\(|self\.init\(|, |parameter\()\s*\.(\w+)[,)]/) {
                unused.remove(String(match.output.1))
            }
        }
        unused.remove("missing")  // Fields.missing(_:_:) makes it
        unused.remove("invalid")  // the default of Fields.error(_:_:_:)

        #expect(unused.isEmpty, "reasons in the table that no error has: \(unused)")
    }

    // MARK: - On the wire

    private static let other = RoomName("tea")!

    private func name(_ text: String) -> UserName { UserName(text)! }

    private func say(_ room: RoomName, id: MessageID = .random(), _ mentions: Mentioned = []) -> ClientFrame.Request {
        .send(room: room, id: id, MessageContent("tea?", mentions: mentions))
    }

    private func moderate(_ room: RoomName, _ action: Moderation) -> ClientFrame.Request {
        .moderate(room: room, command: .random(), action)
    }

    private func expect(
        _ reason: WireError.Reason, _ connection: Connection, _ request: ClientFrame.Request, field: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async throws {
        guard case .error(_, let error) = try await connection.answer(to: request) else {
            Issue.record("\(reason): no error", sourceLocation: place)
            return
        }
        #expect(error.reason == reason, "\(error.message)", sourceLocation: place)
        #expect(error.code == reason.code, sourceLocation: place)
        #expect(error.field == field, sourceLocation: place)
    }

    @Test func whatTheRulesOfARoomForbidHasAReason() async throws {
        let server = try ServerUnderTest()
        let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        let (cid, dan) = (try await server.join(as: "cid"), try await server.join(as: "dan"))
        let tea = Self.other
        for request in [
            .create(.random(), .open(tea)), moderate(tea, .ban(name("cid"))),
            moderate(tea, .mute(name("dan"), for: 60_000)),
            moderate(tea, .appoint(name("bob"), .moderate)),
        ] { #expect(try await ann.answer(to: request).errorCode == nil) }
        let said = MessageID.random()
        _ = try await ann.answer(to: say(tea, id: said))

        try await expect(.banned, cid, say(tea))
        try await expect(.banned, cid, .subscribe(.messages(tea), limit: 50, resume: nil))
        try await expect(.banned, cid, .join(tea))
        try await expect(.muted, dan, say(tea))
        try await expect(.role, dan, moderate(tea, .kick(name("bob"))))
        try await expect(.notBelow, bob, moderate(tea, .mute(name("ann"), for: 1)))
        try await expect(.yourself, ann, moderate(tea, .kick(name("ann"))), field: "user")
        try await expect(.notYours, bob, .edit(room: tea, command: .random(), id: said, "mine"))
        try await expect(.openRoom, ann, moderate(tea, .invite(name("dan"))))
        try await expect(.everyone, dan, say(room, [], everyone: true), field: "everyone")
        try await expect(.roomTaken, bob, .create(.random(), .open(tea)))
        _ = try await ann.answer(to: moderate(tea, .slowMode(60_000)))
        _ = try await ann.answer(to: moderate(tea, .unmute(name("dan"))))
        _ = try await dan.answer(to: say(tea))
        try await expect(.slowMode, dan, say(tea))
        _ = try await ann.answer(to: moderate(tea, .readOnly(.on)))
        try await expect(.readOnly, dan, say(tea))
    }

    private func say(_ room: RoomName, _ people: [UserName], everyone: Bool) -> ClientFrame.Request {
        say(room, Mentioned(people, everyone: everyone))
    }

    @Test func whatIsRefusedInPrivateAndDirectRoomsHasAReason() async throws {
        let server = try ServerUnderTest()
        let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        let cid = try await server.join(as: "cid")
        let command = CommandID.random()
        let plans = RoomName("~\(command)")!
        _ = try await ann.answer(to: .create(command, .private(people: [name("bob"), name("cid")])))
        _ = try await ann.answer(to: moderate(plans, .ban(name("cid"))))
        guard
            case .ok(_, let effect) = try await ann.answer(to: .create(.random(), .direct(people: [name("bob")]))),
            case .messages(let pair) = effect?.list
        else { throw Unexpected() }

        try await expect(.invited, bob, .settings(plans, SettingsChange(isMuted: true)))
        try await expect(.role, cid, say(plans))
        try await expect(.role, cid, say(RoomName("~\(CommandID.random())")!))
        try await expect(.theyAreBanned, ann, moderate(plans, .invite(name("cid"))))
        try await expect(.directRoom, ann, .leave(pair))
        try await expect(.yourself, ann, .create(.random(), .direct(people: [name("ann")])), field: "people")
    }

    @Test func whatIsNotThereOrAgainHasAReason() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        let said = MessageID.random()
        _ = try await ann.answer(to: say(room, id: said))

        try await expect(.idUsed, ann, .say("another", id: said))
        try await expect(.noMessage, ann, .delete(room: room, command: .random(), id: .random()))
        try await expect(.noMessage, ann, .page(lobby, .around(.id(.random())), limit: 32))
        try await expect(.notMember, ann, .settings(room, SettingsChange(isMuted: true)))
        try await expect(.notSubscribed, ann, .typing(Self.other, .on))
        try await expect(.notSubscribed, ann, .unsubscribe(lobbyMembers))
        try await expect(.notReached, ann, .read(room, 99), field: "revision")
        try await expect(.notPaged, ann, .page(.pins(room), .before(9), limit: 50), field: "list")
        try await expect(.helloTwice, ann, .hello(.user(name("ann"))))
        for (text, reason) in [
            (#"{"type":"ping","ref":7,"ref":7}"#, WireError.Reason.syntax), (#"{"ref":7}"#, .missing),
            (#"{"type":"dance","ref":7}"#, .invalid),
        ] {
            ann.send(text)
            guard case .error(_, let error) = try await ann.frame() else { throw Unexpected() }
            #expect(error.reason == reason)
        }
        let bob = try server.connect()
        try await expect(.helloFirst, bob, .say("hello"))
        try await expect(.noKeys, bob, .hello(.token("a.b.c")))
    }

    @Test func whatIsTooMuchHasAReason() async throws {
        let server = try ServerUnderTest {
            $0.limits.subscriptions = 2
            $0.allowances.rooms = Rate(1, in: 3_600_000, burst: 4)
        }
        let ann = try await server.follow(as: "ann")
        _ = try await ann.answer(to: .subscribe(lobbyMembers, limit: 50, resume: nil))

        try await expect(.subscriptions, ann, .subscribe(.messages(Self.other), limit: 50, resume: nil))
        try await expect(.tooLong, ann, .say(String(repeating: "x", count: 9_000)), field: "text")
        let names = (1...60).map { name("p\($0)") }
        try await expect(.tooMany, ann, say(room, Mentioned(names, everyone: false)), field: "mentions")
        var reasons: [WireError.Reason?] = []
        for number in 1...5 {
            if case .error(_, let error) = try await ann.answer(to: say(RoomName("new\(number)")!)) {
                reasons.append(error.reason)
            }
        }
        #expect(reasons.last == .rooms)
    }
}
