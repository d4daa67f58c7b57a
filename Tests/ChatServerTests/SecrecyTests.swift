import ChatRoom
import Files
import RoomStore
import TestSupport
import Testing
import Tokens

@testable import ChatServer
@testable import ChatWire

/// A private or direct room tells those who have no place in it nothing, not even that it exists: every answer is, byte for
/// byte but for the name, that of a room that never was.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct SecrecyTests {
    /// Somebody without a place in the room.
    enum Outsider: String, CaseIterable, Sendable {
        /// Never had anything to do with it, and whose token grants everything everywhere.
        case stranger
        /// Was a member, and has left.
        case left
        /// Was invited, and is not any more.
        case uninvited
        case banned
        /// Is invited, or a member, and their token shuts them out.
        case shut
    }

    private let mint = Mint()
    private let folder = TemporaryFolder()
    static let creation = CommandID.random()
    static let said = MessageID.random()
    private static let secret = RoomName(privateRoomOf: creation)
    private static let direct = RoomName(directRoomOf: ["ann", "bob"].compactMap { UserName($0) })

    private func server() throws -> ServerUnderTest {
        let keyring = try mint.keyring(leeway: 60_000)
        let files = try FileFolder(path: folder.file("files"), limits: FileLimits())
        return try ServerUnderTest {
            $0.keyring = keyring
            $0.files = files
            ($0.limits.files, $0.limits.fileBytes) = (ChatWire.Attachment.most, 1 << 20)
            $0.members.tick = .milliseconds(20)
            $0.refusalTimer = RefusalTimer(every: .milliseconds(10))
            $0.allowances.pages = nil
        }
    }

    private func token(of outsider: Outsider) throws -> String {
        switch outsider {
        case .shut: try mint.token("bob", ["lobby": .own, "~*": .none, "@*": .none])
        case .stranger, .left, .uninvited, .banned:
            try mint.token(outsider.rawValue, ["*": .own, "~*": .own, Self.secret.description: .own])
        }
    }

    /// Fills a private and a direct room.
    ///
    /// - Returns: a member's connection, which reads neither.
    @discardableResult
    private func fill(_ server: ServerUnderTest) async throws -> Connection {
        func person(_ name: String) async throws -> Connection {
            let connection = try server.connect()
            _ = try await connection.answer(to: .hello(.token(mint.token(name, ["*": .write]))))
            return connection
        }
        func moderate(_ moderation: Moderation) -> ClientFrame.Request {
            .moderate(room: Self.secret, command: .random(), moderation)
        }
        let (ann, left) = (try await person("ann"), try await person("left"))
        let people = ["bob", "left", "uninvited", "banned"].compactMap { UserName($0) }
        let requests: [ClientFrame.Request] =
            [
                .create(Self.creation, .private(people: people, title: RoomTitle("Plans"))),
                .create(.random(), .direct(people: [UserName("bob")!])),
                .send(room: Self.secret, id: Self.said, "secret"),
                .send(room: Self.direct, id: Self.said, "secret"),
            ]
            + Self.calls + [
                moderate(.slowMode(60_000)), moderate(.readOnly(.on)),
                moderate(.appoint(UserName("uninvited")!, .none)),
                moderate(.ban(UserName("banned")!)),
            ]
        for request in requests { #expect(try await ann.answer(to: request).errorCode == nil, "\(request)") }
        #expect(try await left.answer(to: .join(Self.secret)).errorCode == nil)
        #expect(try await left.answer(to: .leave(Self.secret)).errorCode == nil)
        return ann
    }

    /// Messages to the rooms that mention every outsider, by name and as everybody.
    private static var calls: [ClientFrame.Request] {
        let outsiders = (Outsider.allCases.map(\.rawValue) + ["bob"]).compactMap { UserName($0) }
        return [Mentioned(outsiders), Mentioned([], everyone: true)].flatMap { mentions in
            [secret, direct].map {
                .send(room: $0, id: .random(), MessageContent("secret", mentions: mentions))
            }
        }
    }

    /// Every request about a room, with ids that are taken there and others.
    static func requests(about room: RoomName) -> [ClientFrame.Request] {
        let list = ListName.messages(room)
        let (user, free) = (UserName("bob")!, UniqueID(high: 7, low: 7))
        let resume = Resume(epoch: Epoch("e")!, revision: 3, joined: 1, ranges: [0...3])
        var requests: [ClientFrame.Request] = [
            .subscribe(list, limit: 50, resume: nil), .subscribe(list, limit: 32, resume: resume),
            .subscribe(.members(room), limit: 50, resume: nil), .unsubscribe(list), .unsubscribe(.members(room)),
            .subscribe(.pins(room), limit: 50, resume: nil), .unsubscribe(.pins(room)),
            .page(.pins(room), .before(9), limit: 50), .page(list, .before(9), limit: 50),
            .page(list, .after(0), limit: 50), .page(list, .around(.revision(1)), limit: 50),
            .page(list, .around(.time(0)), limit: 50), .page(.members(room), .before(9), limit: 50),
            .typing(room, .on), .typing(room, .off), .read(room, 0), .read(room, 1), .read(room, 99), .join(room),
            .leave(room), .read(room, nil), .settings(room, SettingsChange(isMuted: true)),
            .settings(room, SettingsChange(pinned: .at(1), isMarked: true)),
            .settings(room, SettingsChange(pinned: .off)), .settings(room, SettingsChange(isArchived: true)),
            .settings(room, SettingsChange(isMarked: false)), .settings(room, SettingsChange(unreadFrom: 1)),
            .audit(room, before: 9, limit: 50),
        ]
        let moderations: [Moderation] = [
            .mute(user, for: 9), .unmute(user), .kick(user), .ban(user), .unban(user), .slowMode(0), .readOnly(.off),
            .appoint(user, .read), .appoint(user, .none), .invite(user), .title(nil), .title(RoomTitle("x")),
            .topic(nil), .topic(RoomTopic("x")), .picture(nil), .picture(Picture("https://a.example")),
            .pin(said, .last), .pin(said, .before(said)), .unpin(said),
        ]
        for id in [creation, said, free] {
            requests += [
                .send(room: room, id: id, "secret"),
                .send(room: room, id: id, MessageContent("x", replyTo: said)),
                .edit(room: room, command: id, id: said, "x"),
                .edit(room: room, command: free, id: id, "x"),
                .send(room: room, id: id, MessageContent("x", mentions: Mentioned([user], everyone: true))),
                .edit(room: room, command: id, id: said, ContentEdit("x", mentions: Mentioned([], everyone: true))),
                .delete(room: room, command: id, id: said), .delete(room: room, command: free, id: id),
                .react(room: room, command: id, id: said, emoji: "👍", .on),
                .react(room: room, command: free, id: id, emoji: "👍", .off), .page(list, .around(.id(id)), limit: 50),
            ]
            requests += moderations.map { .moderate(room: room, command: id, $0) }
        }
        return requests + searches(about: room) + others(about: room)
    }

    private static func others(about room: RoomName) -> [ClientFrame.Request] {
        let digest = String(repeating: "0a", count: 32)
        guard let file = FileDescription(name: "a", media: "a/b", size: 1, sha256: digest) else { return [] }
        return [
            .upload(UploadRequest(room: room, message: said, file: file)),
            .links(LinksRequest(room: room, files: [FilePlace(message: said, file: said)])),
            .grow(room: room, command: creation, id: said, .append("x", at: 0)),
            .grow(room: room, command: said, id: said, .close(.stopped)), .draft(room, "hello"), .draft(room, nil),
            .later(said, LaterItem.Plan(.send("hello"), in: room, at: 1 << 50)),
            .later(said, LaterItem.Plan(.remind(said), in: room, at: 1)),
            .membersPage(room, MembersSearch(limit: 50)),
            .membersPage(room, MembersSearch("ann", after: UserName("a"), limit: 1)),
        ]
    }

    private static func searches(about room: RoomName) -> [ClientFrame.Request] {
        let place = SearchPlace(time: 9, room: room, sort: 9)
        let searches = [
            try? SearchRequest("secret", room: room), try? SearchRequest("secret in:\(room)"),
            try? SearchRequest("from:ann", room: room, before: place, limit: 1),
        ]
        return searches.compactMap(\.self).map { .search($0) }
    }

    /// The texts of all frames that come in answer to the requests.
    private func answers(
        to outsider: Outsider, about room: RoomName, of server: ServerUnderTest
    ) async throws -> [String] {
        let connection = try server.connect()
        _ = try await connection.answer(to: .hello(.token(token(of: outsider))))
        var texts: [String] = []
        for request in Self.requests(about: room) {
            connection.send(request)
            guard case .text(let text) = try await connection.next() else { throw Unexpected() }
            texts.append(text.replacing(room.description, with: "ROOM"))
        }
        return texts
    }

    @Test(arguments: Outsider.allCases)
    func everyFrameIsAnsweredAsInARoomThatNeverWas(outsider: Outsider) async throws {
        let server = try server()
        try await fill(server)
        for (room, never) in [
            (Self.secret, RoomName(privateRoomOf: .random())), (Self.direct, RoomName(directRoomOf: .random())),
        ] {
            let found = try await answers(to: outsider, about: room, of: server)

            let expected = try await answers(to: outsider, about: never, of: server)
            #expect(found == expected)
            #expect(found.contains { $0.contains("forbidden") } && !found.contains { $0.contains("secret") })
        }
    }

    @Test(arguments: Outsider.allCases)
    func everyFrameIsAnsweredSoWhileSomebodyReadsTheRoom(outsider: Outsider) async throws {
        let server = try server()
        let ann = try await fill(server)
        for list in RoomList.allCases {
            let answer = try await ann.answer(to: .subscribe(list.name(in: Self.secret), limit: 50, resume: nil))
            #expect(answer.errorCode == nil)
        }

        let found = try await answers(to: outsider, about: Self.secret, of: server)

        let expected = try await answers(to: outsider, about: RoomName(privateRoomOf: .random()), of: server)
        #expect(found == expected)
    }

    @Test func everyKindOfRequestIsAmongThem() {
        let ofNoRoom: Set = ["hello", "token", "ping", "create", "people", "block"]

        #expect(
            Set(Self.requests(about: Self.secret).map(\.name)) == Set(ClientFrame.Request.names).subtracting(ofNoRoom))
    }

    @Test func everyModerationAndEveryListOfARoomIsAmongThem() {
        let requests = Self.requests(about: Self.secret)
        let moderations = requests.compactMap {
            if case .moderate(_, _, let moderation) = $0 { moderation } else { nil }
        }
        let lists = requests.compactMap { if case .subscribe(let list, _, _) = $0 { list } else { nil } }

        #expect(Set(moderations.map(\.kind)) == Set(Moderation.Kind.allCases))
        #expect(Set(lists) == Set(RoomList.allCases.map { $0.name(in: Self.secret) }))
    }

    /// The lists of one's own: nothing of a room that mentions somebody who has no place in it.
    @Test(arguments: Outsider.allCases, [ListName.myRooms, .myMentions])
    func whoIsMentionedThereHearsNothingOfIt(outsider: Outsider, list: ListName) async throws {
        let server = try server()
        try await fill(server)
        let (ann, outside) = (try server.connect(), try server.connect())
        _ = try await ann.answer(to: .hello(.token(mint.token("ann", ["*": .own]))))
        _ = try await outside.answer(to: .hello(.token(token(of: outsider))))
        _ = try await outside.answer(to: .join(room))
        let user = UserName(outsider == .shut ? "bob" : outsider.rawValue)!
        outside.send(.subscribe(list, limit: 50, resume: nil))
        var texts = [try await text(outside)]

        for call in Self.calls { #expect(try await ann.answer(to: call).errorCode == nil, "\(call)") }
        _ = try await ann.answer(
            to: .send(room: room, id: .random(), MessageContent("marker", mentions: Mentioned([user]))))
        while texts.last?.contains("marker") == false { texts.append(try await text(outside)) }
        outside.send(.subscribe(list, limit: 50, resume: nil))
        texts.append(try await text(outside))

        #expect(texts.last?.contains("marker") == true)
        for word in ["secret", Self.secret.description, Self.direct.description] {
            #expect(!texts.contains { $0.contains(word) }, "\(word) in \(texts)")
        }
    }

    private func text(_ connection: Connection) async throws -> String {
        guard case .text(let text) = try await connection.next() else { throw Unexpected() }
        return text
    }

    @Test func everyEndpointOfARoomIsAmongThem() {
        #expect(
            Set(Self.queries.map { $0.prefix { $0 != "?" } })
                == Set(RoomEndpoint.What.allCases.map { $0.rawValue[...] }))
    }

    private static let queries = [
        "messages", "messages?before=9&limit=1", "messages?after=0", "messages?id=\(said)", "messages?revision=1",
        "messages?time=0", "audit", "audit?before=9",
    ]

    @Test(arguments: Outsider.allCases)
    func everyEndpointAnswersAsForARoomThatNeverWas(outsider: Outsider) async throws {
        let server = try server()
        try await fill(server)
        let headers = ["Authorization": "Bearer \(try token(of: outsider))"]
        func answers(about room: RoomName) throws -> [String] {
            let place = "/api/rooms/\(room)/"
            var answers = try Self.queries.map {
                try HTTPAnswer(getting: place + $0, from: server.server.port, headers: headers)
            }
            for id in [Self.creation, Self.said, UniqueID(high: 7, low: 7)] {
                answers.append(
                    try HTTPAnswer(
                        posting: #"{"id":"\#(id)","text":"secret"}"#, to: place + "messages", of: server.server.port,
                        headers: headers.merging(["Content-Type": "application/json"]) { $1 }))
            }
            return answers.map { "\($0.status) \($0.text)".replacing(room.description, with: "ROOM") }
        }
        for (room, never) in [
            (Self.secret, RoomName(privateRoomOf: .random())), (Self.direct, RoomName(directRoomOf: .random())),
        ] {
            let found = try answers(about: room)

            let expected = try answers(about: never)
            #expect(found == expected)
            #expect(found.allSatisfy { $0.hasPrefix("403 ") }, "\(found)")
        }
    }

    @Test func withoutKeysTheyAreShutToWhoeverReadsByHTTP() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.join(as: "ann")
        let command = CommandID.random()
        _ = try await ann.answer(to: .create(command, .private(people: [])))
        func get(_ room: RoomName) throws -> String {
            let answer = try HTTPAnswer(getting: "/api/rooms/\(room)/messages", from: server.server.port)
            return "\(answer.status) \(answer.text)".replacing(room.description, with: "ROOM")
        }

        let found = try get(RoomName(privateRoomOf: command))

        #expect(found.hasPrefix("403 "))
        let expected = try get(RoomName(privateRoomOf: .random()))
        #expect(found == expected)
    }
}
