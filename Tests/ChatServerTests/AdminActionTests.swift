import ChatRoom
import ChatServer
import ChatWire
import Foundation
import RoomStore
import SQLiteStore
import TestSupport
import Testing
import Tokens

/// The actions of operators and services over HTTP.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct AdminActionTests {
    private let desk: AdminDesk

    init() throws {
        desk = try AdminDesk()
    }

    private static let id = "5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2"
    private static let command = "9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c214"

    private static func send(_ text: String = "hello", in room: String = "lobby") -> String {
        #"{"type":"send","room":"\#(room)","author":"bot","id":"\#(id)","text":"\#(text)"}"#
    }

    /// - Parameter fields: the fields of this type only, with a comma at the end.
    private func act(_ type: String, _ fields: String = "", command: String? = nil) throws -> String {
        let command = command ?? "\(CommandID.random())"
        let body =
            #"{"type":"\#(type)",\#(fields)"room":"lobby","author":"bot","command":"\#(command)","id":"\#(Self.id)"}"#
        return try desk.post("operations", body).text
    }

    @Test(arguments: ["operations", "connections/close", "drain", "rebalance", "backup"])
    func withoutTheTokenNothingIsDone(path: String) async throws {
        let ann = try await desk.server.follow(as: "ann")
        for token in [nil, "", String(AdminDesk.token.dropLast())] {
            #expect(try desk.post(path, Self.send(), token: token).status == 401)
        }

        #expect(desk.drains.count == 0)
        #expect(try await ann.answer(to: .say("still here")).revision == 1)
    }

    // MARK: - Private and direct rooms

    @Test func aServiceCreatesAPrivateRoomForItsOwnerAndMayDoAllThere() async throws {
        let ann = try await RoomsWatcher(desk.server.join(as: "ann"))
        let name = "~\(Self.command)"
        func operate(_ fields: String) throws -> HTTPAnswer {
            try desk.post("operations", #"{\#(fields),"command":"\#(CommandID.random())","room":"\#(name)"}"#)
        }
        let create =
            #"{"type":"create","author":"ann","command":"\#(Self.command)","kind":"private","people":["bob"],"title":"Plans"}"#

        #expect(try operate(#""type":"moderate","author":"desk","action":"slow","for":5"#).status == 404)
        #expect(try desk.post("operations", Self.send(in: name)).status == 404, "only create makes it")
        #expect(try desk.post("operations", create).text == #"{"room":"\#(name)","revision":1}"#)
        #expect(try desk.post("operations", create).text == #"{"room":"\#(name)","revision":1}"#)
        try await ann.until { $0.names == [name] }
        #expect(ann[name]?.section == .rooms && ann[name]?.light.title == RoomTitle("Plans"))

        #expect(try desk.post("operations", Self.send(in: name)).status == 200)
        #expect(try operate(#""type":"moderate","author":"desk","action":"title","text":"Tea""#).status == 200)
        #expect(
            try operate(#""type":"moderate","author":"desk","action":"appoint","user":"cid","role":"own""#).status
                == 200)
        let shown = try desk.get("rooms/\(name)").text
        #expect(shown.contains(#""title":"Tea""#) && shown.contains(#"{"user":"ann","role":"own""#), "\(shown)")
        #expect(
            try desk.get("rooms/\(name)/audit").text.contains(#""action":"create","kind":"private","people":["bob"]"#))
    }

    @Test func theAuthorOfAnOpenRoomThatAServiceCreatesOwnsIt() throws {
        func create(_ command: String, _ author: String) -> String {
            #"{"type":"create","author":"\#(author)","command":"\#(command)","kind":"open","room":"tea","title":"Tea"}"#
        }
        for _ in 1...2 {
            #expect(try desk.post("operations", create(Self.command, "ann")).text == #"{"room":"tea","revision":1}"#)
        }
        #expect(try desk.post("operations", create("\(CommandID.random())", "bob")).status == 409)

        let shown = try desk.get("rooms/tea").text
        #expect(shown.contains(#""title":"Tea""#) && shown.contains(#"{"user":"ann","role":"own""#), "\(shown)")
        #expect(try desk.get("rooms/tea/audit").text.contains(#""action":"create","kind":"open","title":"Tea""#))
    }

    @Test func nobodyIsAppointedInADirectRoomNotEvenByAService() throws {
        let create = #"{"type":"create","author":"ann","command":"\#(Self.command)","kind":"direct","people":["bob"]}"#
        let name = RoomName(directRoomOf: ["ann", "bob"].compactMap { UserName($0) })
        #expect(try desk.post("operations", create).text == #"{"room":"\#(name)","revision":1}"#)

        for fields in [
            #""action":"appoint","user":"cid","role":"write""#, #""action":"invite","user":"cid""#,
            #""action":"title","text":"x""#,
        ] {
            let body =
                #"{"type":"moderate","author":"desk","command":"\#(CommandID.random())","room":"\#(name)",\#(fields)}"#
            #expect(try desk.post("operations", body).status == 400)
        }
    }

    @Test func aServiceInvitesToAPrivateRoomAndIsToldWhereNobodyIsInvited() throws {
        func invite(to room: String) throws -> HTTPAnswer {
            try desk.post(
                "operations",
                #"{"type":"moderate","author":"desk","command":"\#(CommandID.random())","room":"\#(room)","action":"invite","user":"cid"}"#
            )
        }
        let name = "~\(Self.command)"
        let create = #"{"type":"create","author":"ann","command":"\#(Self.command)","kind":"private"}"#
        #expect(try desk.post("operations", create).status == 200)

        #expect(try invite(to: name).status == 200)
        #expect(try desk.get("rooms/\(name)/audit").text.contains(#""action":"invite","user":"cid""#))
        let answer = try invite(to: "lobby")
        #expect(answer.status == 400 && answer.text.contains("everybody who may read it may join it"), "\(answer.text)")
    }

    // MARK: - In a room

    @Test
    func whatAServiceSaysEditsReactsToAndDeletesIsSeen() async throws {
        let ann = try await desk.server.follow(as: "ann")

        #expect(try desk.post("operations", Self.send()).text == #"{"room":"lobby","revision":1}"#)
        let said = try await ann.diff()
        #expect(said.insertions.map(\.text) == ["hello"] && said.insertions.map(\.author.description) == ["bot"])
        #expect(try act("edit", #""text":"bye","#) == #"{"room":"lobby","revision":2}"#)
        #expect(try await ann.diffs(upTo: 2).last?.reloads.map(\.text) == ["bye"])
        #expect(try act("react", #""emoji":"👍","on":true,"#) == #"{"room":"lobby","revision":3}"#)
        #expect(try act("delete") == #"{"room":"lobby","revision":4}"#)
        #expect(try await ann.diffs(upTo: 4).last?.deletions.map(\.description) == [Self.id])
    }

    @Test
    func whatIsRepeatedGetsTheFirstAnswerAndDoesNothingMore() throws {
        #expect(try desk.post("operations", Self.send()).text == #"{"room":"lobby","revision":1}"#)
        #expect(try desk.post("operations", Self.send()).text == #"{"room":"lobby","revision":1}"#)
        #expect(try desk.post("operations", Self.send("other")).status == 409)
        let first = try act("edit", #""text":"bye","#, command: Self.command)
        #expect(try act("edit", #""text":"bye","#, command: Self.command) == first)
        #expect(try desk.get("rooms/lobby").text.contains(#""revision":2,"#))
    }

    @Test
    func aServiceModeratesAndTheAuditLogSaysSo() async throws {
        let ann = try await desk.server.follow(as: "ann")
        _ = try await ann.answer(to: .say("something"))
        let whom = #""author":"warden","command":"\#(Self.command)","action":"ban","user":"ann""#
        let ban = #"{"type":"moderate","room":"lobby",\#(whom)}"#

        #expect(try desk.post("operations", ban).status == 200)

        #expect(try await ann.answer(to: .say("more")).errorCode == .forbidden)
        let audit = try desk.get("rooms/lobby/audit").text
        #expect(audit.contains(#""author":"warden","action":"ban","user":"ann""#), "\(audit)")
        #expect(try desk.get("rooms/lobby").text.contains(#"{"user":"ann","role":"none","mutedUntil":0,"banned":true"#))
    }

    @Test
    func aServiceDeletesWhatSomebodyElseSaidButDoesNotEditIt() async throws {
        let ann = try await desk.server.follow(as: "ann")
        let id = MessageID(Self.id)!
        _ = try await ann.answer(to: .say("mine", id: id))

        #expect(try act("edit", #""text":"yours","#).contains("somebody else's"))
        #expect(try act("delete") == #"{"room":"lobby","revision":2}"#)
        #expect(try desk.get("rooms/lobby/audit").text.contains(#""action":"delete""#))
    }

    @Test
    func whatARoomsRulesForbidOthersAServiceDoes() throws {
        let folder = TemporaryFolder()
        let store = try StoreOfTheRun.current.open(in: folder)
        _ = try store.commit([.moderation(.readOnly(.on)), .moderation(.ban(UserName("bot")!))])
        let desk = try AdminDesk(store: store)

        #expect(try desk.post("operations", Self.send()).status == 200)
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [
        ("", 400, "not JSON"), ("[]", 400, "an array"), ("{}", 400, "type: missing"), ("{\"type\":", 400, "not JSON"),
        (#"{"type":"send","room":"lobby","id":"\#(id)","text":"x"}"#, 400, "author: missing"),
        (#"{"type":"send","room":"lobby","author":" ","id":"\#(id)","text":"x"}"#, 400, "author"),
        (#"{"type":"send","room":"lobby","author":"bot","id":"7","text":"x"}"#, 400, "UUID"),
        (#"{"type":"send","room":"a b","author":"bot","id":"\#(id)","text":"x"}"#, 400, "room"),
        (#"{"type":"ping","author":"bot"}"#, 400, "send, edit, append, close, delete, react, moderate"),
        (#"{"type":"delete","room":"lobby","author":"bot","command":"\#(command)","id":"\#(id)"}"#, 404, "not in this"),
        (send(String(repeating: "x", count: 9_000)), 413, "text"),
    ])
    func aBodyThatIsWrongIsToldWhatWouldBeRight(body: String, status: Int, hint: String) throws {
        let answer = try desk.post("operations", body)

        #expect(answer.status == status && answer.text.contains(hint), "\(answer.text)")
    }

    @Test
    func aBodyOverTheLimitIsRefusedBeforeItIsRead() throws {
        #expect(try desk.post("operations", String(repeating: " ", count: 100_000)).status == 413)
    }

    @Test(arguments: ["operations", "connections/close"])
    func whatOnlyTakesIsNotRead(path: String) throws {
        let answer = try desk.get(path)

        #expect(answer.status == 405 && answer.headers["allow"] == "POST", "\(answer.text)")
    }

    // MARK: - Connections

    private struct Listed: Decodable {
        struct Connection: Decodable {
            let connection: String
            let address: String
            let since: Int64
            let user: String?
            let lists: [String]
            let unsentBytes: Int
            let listsBehind: Int
            let waiting: Int
        }

        let connections: [Connection]
        let more: Bool
    }

    private func connections(_ query: String = "") throws -> Listed {
        let answer = try desk.get("connections\(query)")
        #expect(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(Listed.self, from: Data(answer.body))
    }

    @Test
    func connectionsAreListedInPages() async throws {
        let before = Milliseconds.now
        let ann = try await desk.server.follow(as: "ann")
        let stranger = try desk.server.connect()
        #expect(try await stranger.answer(to: .ping).errorCode == nil)

        let all = try connections()
        let one = try #require(all.connections.first { $0.user == "ann" })
        #expect(all.connections.count == 2 && !all.more)
        #expect(one.address == "127.0.0.1" && one.lists == ["room/lobby/messages"])
        #expect((before...Milliseconds.now).contains(one.since))
        #expect(one.unsentBytes == 0 && one.listsBehind == 0 && one.waiting == 0)
        let first = try connections("?limit=1")
        let second = try connections("?limit=1&after=\(first.connections[0].connection)")
        #expect(first.more && !second.more)
        #expect((first.connections + second.connections).map(\.connection) == all.connections.map(\.connection))
        withExtendedLifetime(ann) {}
    }

    @Test
    func allConnectionsOfAUserAreClosedAndNoOthers() async throws {
        let (one, two) = (try await desk.server.join(as: "ann"), try await desk.server.join(as: "ann"))
        let bob = try await desk.server.join(as: "bob")

        let answer = try desk.post("connections/close", #"{"user":"ann","reason":"bye, ann","comesBack":false}"#)

        #expect(answer.text == #"{"closed":2}"#)
        for connection in [one, two] {
            guard case .bye(CloseCode.barredByOperator, "bye, ann", nil) = try await connection.frame() else {
                throw Unexpected()
            }
        }
        #expect(try await bob.answer(to: .ping).errorCode == nil)
    }

    @Test
    func oneConnectionIsClosedAndMayComeBack() async throws {
        let ann = try await desk.server.join(as: "ann")
        let number = try connections().connections[0].connection

        #expect(try desk.post("connections/close", #"{"connection":"\#(number)"}"#).text == #"{"closed":1}"#)
        guard case .bye(CloseCode.closedByOperator, _, nil) = try await ann.frame() else { throw Unexpected() }
        for nobody in [#"{"connection":"7"}"#, #"{"connection":"18446744073709551615"}"#, #"{"user":"cid"}"#] {
            #expect(try desk.post("connections/close", nobody).text == #"{"closed":0}"#)
        }
    }

    @Test(arguments: [
        ("{}", "user"), (#"{"user":"ann","connection":"7"}"#, "one of the two"), (#"{"connection":7}"#, "connection"),
        (#"{"connection":"x"}"#, "digits"), (#"{"user":"ann","reason":""}"#, "reason"),
        (#"{"user":"ann","comesBack":1}"#, "comesBack"), ("", "JSON"),
    ])
    func whatIsToBeClosedMustBeClear(body: String, hint: String) throws {
        let answer = try desk.post("connections/close", body)

        #expect(answer.status == 400 && answer.text.contains(hint), "\(answer.text)")
    }

    // MARK: - The process and its data

    @Test
    func aDrainIsAskedForAndAnswered() throws {
        #expect(try desk.get("drain").text == #"{"draining":false,"connections":0}"#)
        #expect(try desk.post("drain").status == 202)

        #expect(desk.drains.count == 1)
    }

    @Test
    func aBackupIsMadeInItsFolderUnderItsNameAndNowhereElse() throws {
        let folder = TemporaryFolder()
        let data = folder.file("rooms.db")
        let desk = try AdminDesk(store: SQLiteStore(path: data), data: data, backups: folder.path)
        #expect(try desk.get("backup").text == #"{"state":"none"}"#)
        _ = try desk.post("operations", Self.send())

        #expect(try desk.post("backup", #"{"name":"monday"}"#).status == 202)

        #expect(try desk.backup().contains(#""state":"done","file":"\#(folder.file("monday"))""#))
        let copy = try SQLiteStore(path: folder.file("monday"))
        #expect(try copy.read(room, tail: 1, since: nil, atMost: 0).tail.map(\.text) == ["hello"])
        #expect(try desk.post("backup", #"{"name":"monday"}"#).status == 202)
        #expect(try desk.backup().contains(#""state":"failed""#))
        for name in ["", ".", "..", "../other", "/tmp/other", ".hidden", String(repeating: "x", count: 65)] {
            #expect(try desk.post("backup", #"{"name":"\#(name)"}"#).status == 400, "\(name)")
        }
    }

    @Test
    func withoutAFolderThereIsNoBackup() throws {
        let answer = try desk.post("backup")

        #expect(answer.status == 404 && answer.text.contains("--backup-folder"))
    }
}
