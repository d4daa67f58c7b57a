import ChatServer
import ChatWire
import RoomStore
import TestSupport
import Testing
import WebSocketTransport

/// The server answers any input clearly, and goes on.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct BadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let says: String
        let code: WireError.Code
        let naming: String
        var testDescription: String { says.count > 60 ? "\(says.prefix(60))…" : says }
    }

    private static let id = "5c89a49e-2e09-471f-9f0a-1507e7b2de64"

    static let cases: [Case] = [
        Case(says: #"{"ref":7}"#, code: .badRequest, naming: "type"),
        Case(says: #"{"type":"dance","ref":7}"#, code: .badRequest, naming: "dance"),
        Case(says: #"{"type":"hello","ref":7,"user":"eve"}"#, code: .badRequest, naming: "hello"),
        Case(says: #"{"type":"send","ref":7,"room":1,"id":"\#(id)","text":"a"}"#, code: .badRequest, naming: "room"),
        Case(
            says: #"{"type":"send","ref":7,"room":"a b","id":"\#(id)","text":"a"}"#, code: .badRequest, naming: "room"),
        Case(says: #"{"type":"send","ref":7,"room":"a","id":"5c89","text":"a"}"#, code: .badRequest, naming: "id"),
        Case(says: #"{"type":"send","ref":7,"room":"a","id":"\#(id)"}"#, code: .badRequest, naming: "text"),
        Case(says: #"{"type":"send","ref":7,"room":"a","id":"\#(id)","text":""}"#, code: .badRequest, naming: "text"),
        Case(
            says:
                #"{"type":"send","ref":7,"room":"a","id":"\#(id)","text":"\#(String(repeating: "x", count: 8_193))"}"#,
            code: .tooLarge, naming: "text"),
        Case(
            says: #"{"type":"send","ref":7,"room":"a","id":"\#(id)","text":"\u0000 \u200b"}"#, code: .badRequest,
            naming: "text"),
        Case(
            says:
                #"{"type":"react","ref":7,"room":"a","command":"\#(id)","id":"\#(id)","emoji":"spam spam spam","on":true}"#,
            code: .badRequest, naming: "emoji"),
        Case(
            says: #"{"type":"edit","ref":7,"room":"a","command":"\#(id)","id":"\#(id)","text":"a"}"#, code: .notFound,
            naming: id),
        Case(
            says: #"{"type":"delete","ref":7,"room":"a","command":"\#(id)","id":"\#(id)"}"#, code: .notFound,
            naming: id),
        Case(says: #"{"type":"subscribe","ref":7,"list":"room/a/weather"}"#, code: .badRequest, naming: "list"),
        Case(
            says: #"{"type":"subscribe","ref":7,"list":"room/a/messages","limit":7}"#, code: .badRequest,
            naming: "limit"),
        Case(
            says: #"{"type":"subscribe","ref":7,"list":"room/a/messages","limit":501}"#, code: .badRequest,
            naming: "limit"),
        Case(
            says: #"{"type":"unsubscribe","ref":7,"list":"room/a/messages"}"#, code: .notFound,
            naming: "room/a/messages"),
        Case(
            says: #"{"type":"page","ref":7,"list":"room/a/messages","before":-1}"#, code: .badRequest, naming: "before"),
    ]

    @Test func whatIsTooLongForAHelloIsNotReadBeforeThat() async throws {
        let server = try ServerUnderTest()
        let eve = try server.connect()
        let padding = String(repeating: "x", count: 17_000)

        eve.send(#"{"type":"hello","ref":7,"user":"eve","padding":"\#(padding)"}"#)
        guard case .error(nil, let error) = try await eve.frame() else { throw Unexpected() }

        #expect(error.code == .tooLarge && error.message.contains("16384"))
        #expect(try await eve.answer(to: .hello(.user(UserName("eve")!))).errorCode == nil)
        eve.send(#"{"type":"ping","ref":8,"padding":"\#(padding)"}"#)
        #expect(try await eve.frame() == .pong(ref: 8))
    }

    @Test(arguments: cases)
    func aBadRequestIsAnsweredWithWhatIsWrongAndTheConnectionGoesOn(_ bad: Case) async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")

        ann.send(bad.says)

        guard case .error(ref: 7, let error) = try await ann.frame() else { throw Unexpected() }
        #expect(error.code == bad.code)
        #expect(error.message.contains(bad.naming), "\(error.message)")
        #expect(try await ann.answer(to: .ping) == .pong(ref: 2))
    }

    @Test(arguments: ["", "hello", "[1]", "7", "{", #"{"type":"ping","ref":1}}"#])
    func whatIsNoJSONObjectIsTheEndOfItsConnectionOnly(text: String) async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        let bob = try await server.join(as: "bob")

        ann.send(text)

        guard case .bye(CloseCode.badFrame, _, nil) = try await ann.frame() else { throw Unexpected() }
        #expect(try await ann.next() == .closed(CloseCode.badFrame))
        #expect(try await bob.answer(to: .ping) == .pong(ref: 2))
    }

    @Test
    func aLoneSurrogateIsNoText() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")

        ann.send(#"{"type":"send","ref":7,"room":"a","id":"5c89a49e-2e09-471f-9f0a-1507e7b2de64","text":"\ud800"}"#)

        #expect(try await ann.frame().errorCode == .badRequest)
        #expect(try await ann.answer(to: .ping) == .pong(ref: 2))
    }

    @Test
    func beforeHelloNothingIsDone() async throws {
        let server = try ServerUnderTest()
        let ann = try server.connect()

        #expect(try await ann.answer(to: .say("hello")).errorCode == .unauthorized)
        #expect(try await ann.answer(to: .subscribe(lobby, limit: 50, resume: nil)).errorCode == .unauthorized)
    }

    @Test
    func whoSaysNoHelloInTimeIsSentAway() async throws {
        let server = try ServerUnderTest { $0.helloTime = .milliseconds(50) }
        let ann = try server.connect()

        guard case .bye(CloseCode.helloTimeout, _, nil) = try await ann.frame() else { throw Unexpected() }
        #expect(try await ann.next() == .closed(CloseCode.helloTimeout))
    }

    @Test
    func whoOpensTheEchoPathNeedsNoHello() async throws {
        let server = try ServerUnderTest {
            $0.helloTime = .milliseconds(50)
            $0.transport.echoPath = "/echo"
        }
        let peer = try RawPeer(port: server.server.port)
        #expect(try peer.open("/echo").hasPrefix("HTTP/1.1 101 "))
        let ann = try server.connect()
        while try await ann.next() != .closed(CloseCode.helloTimeout) {}

        peer.send("still here")

        #expect(try peer.next() == .text("still here"))
    }

    /// The place of the `ref`: our own clients write it at the end, others at the beginning.
    @Test(
        arguments: [
            (70_000, #"{"type":"ping","ref":7,"pad":"…"}"#, 7), (70_000, #"{"type":"ping","pad":"…","ref":7}"#, 7),
            (1_000_000, #"{"type":"send","ref":7,"room":"a","id":"\#(id)","text":"…"}"#, 7), (70_000, #"["…"]"#, nil),
        ] as [(Int, String, UInt64?)])
    func aFrameOverTheLimitIsAnsweredAndTheConnectionGoesOn(size: Int, says: String, ref: UInt64?) async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")

        ann.send(says.replacing("…", with: String(repeating: "x", count: size)))

        guard case .error(ref, let error) = try await ann.frame() else { throw Unexpected() }
        #expect(error.code == .tooLarge)
        #expect(error.message.contains("at most 65536"), "\(error.message)")
        #expect(try await ann.answer(to: .ping) == .pong(ref: 2))
    }

    @Test
    func aPageBeforeTheBeginningIsEmpty() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        _ = try await ann.answer(to: .say("first"))

        guard
            case .page(_, _, _, let page as ListPage<Message>) = try await ann.answer(
                to: .page(lobby, .before(1), limit: 32))
        else { throw Unexpected() }
        #expect(page.rows.isEmpty && !page.more)
    }

    @Test
    func aRevisionFromTheFutureAndAnUnknownEpochGetSnapshots() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        _ = try await ann.answer(to: .say("first"))

        for (resume, why) in [
            (Resume(epoch: try await ann.epoch(), revision: 99, joined: 0), ServerFrame.SnapshotReason.future),
            (Resume(epoch: Epoch("other")!, revision: 1, joined: 0), .epoch),
        ] {
            guard
                case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = try await ann.answer(
                    to: .subscribe(lobby, limit: 50, resume: resume))
            else { throw Unexpected() }
            #expect(snapshot.why == why)
        }
    }

    @Test
    func tooManySubscriptionsAreRefused() async throws {
        let server = try ServerUnderTest { $0.limits.subscriptions = 2 }
        let ann = try await server.join(as: "ann")

        for name in ["a", "b"] { _ = try await ann.answer(to: subscribe(to: name)) }

        #expect(try await ann.answer(to: subscribe(to: "c")).errorCode == .tooLarge)
        #expect(try await ann.answer(to: subscribe(to: "a")).errorCode == nil)
    }

    @Test
    func anotherOnesMessageIsNotOnesOwn() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        let bob = try await server.join(as: "bob")
        let id = MessageID.random()
        _ = try await ann.answer(to: .say("mine", id: id))

        let edit = ClientFrame.Request.edit(room: room, command: .random(), id: id, "yours")
        #expect(try await bob.answer(to: edit).errorCode == .forbidden)
        #expect(try await bob.answer(to: .delete(room: room, command: .random(), id: id)).errorCode == .forbidden)
        #expect(try await bob.answer(to: .say("mine", id: id)).errorCode == .conflict)
    }

    private func subscribe(to name: String) -> ClientFrame.Request {
        .subscribe(.messages(RoomName(name)!), limit: 50, resume: nil)
    }
}
