import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import TestSupport
import Testing
import Tokens
import WebSocketTransport

/// Private and direct rooms over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct PrivateRoomTests {
    private static let plans = RoomTitle("Plans")!

    private func server(
        shards: Int = 4, _ configure: (inout ChatServerConfiguration) -> Void = { _ in }
    ) throws -> ServerUnderTest {
        try ServerUnderTest {
            $0.shards = shards
            $0.members.tick = .milliseconds(20)
            configure(&$0)
        }
    }

    private func users(_ names: String...) -> [UserName] { names.compactMap { UserName($0) } }

    /// Creates a room, and returns its name.
    private func create(_ new: NewRoom, by person: RoomsWatcher, _ command: CommandID = .random()) async throws
        -> RoomName
    {
        let answer = try await person.answer(to: .create(command, new))
        return try #require(answer.effect?.list.room, "\(answer)")
    }

    @Test(arguments: [1, 4])
    func anInvitationIsSeenAcceptedAndNobodyElseComesIn(shards: Int) async throws {
        let server = try server(shards: shards)
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await RoomsWatcher(server.join(as: "bob"))
        let cid = try await RoomsWatcher(server.join(as: "cid"))
        let command = CommandID.random()

        let answer = try await ann.answer(to: .create(command, .private(people: users("bob"), title: Self.plans)))
        let name = RoomName(privateRoomOf: command)
        #expect(answer.effect == .init(list: .messages(name), revision: 1))
        try await ann.until { $0.names == [name.description] }
        #expect(ann[name.description]?.section == .rooms && ann[name.description]?.light.title == Self.plans)
        try await bob.until { $0.names == [name.description] }
        #expect(bob[name.description]?.section == .invited && bob[name.description]?.light.title == Self.plans)
        #expect(bob[name.description]?.light.inviter == UserName("ann") && ann[name.description]?.light.inviter == nil)

        _ = try await ann.answer(
            to: .send(room: name, id: .random(), MessageContent("hello @bob", mentions: Mentioned(users("bob")))))
        try await bob.until { $0[name.description]?.light.unread == 1 }
        #expect(bob[name.description]?.light.mentions == 1 && bob[name.description]?.light.read == 0)
        #expect(bob[name.description]?.section == .invited)

        #expect(try await bob.answer(to: .join(name)).effect?.revision == 3)
        try await bob.until { $0[name.description]?.section == .rooms }
        #expect(
            bob[name.description]?.light == .init(read: 3, title: Self.plans, last: bob[name.description]?.light.last))
        #expect(
            try await bob.answer(to: .send(room: name, id: .random(), "hi")).effect?.revision == 4)

        #expect(try await cid.answer(to: .join(name)).errorCode == .forbidden)
        #expect(try await cid.answer(to: .subscribe(.messages(name), limit: 50, resume: nil)).errorCode == .forbidden)
        #expect(
            try await cid.answer(to: .send(room: name, id: .random(), "x")).errorCode == .forbidden)
    }

    @Test func whoDeclinesIsInvitedAnew() async throws {
        let server = try server()
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await RoomsWatcher(server.join(as: "bob"))
        let name = try await create(.private(people: users("bob")), by: ann)
        try await bob.until { $0.names == [name.description] }

        #expect(try await bob.answer(to: .leave(name)).effect?.revision == 2)
        try await bob.until { $0.names.isEmpty }
        #expect(try await bob.answer(to: .join(name)).errorCode == .forbidden)

        let invitation = Moderation.appoint(UserName("bob")!, .read)
        _ = try await ann.answer(to: .moderate(room: name, command: .random(), invitation))
        try await bob.until { $0[name.description]?.section == .invited }
        #expect(try await bob.answer(to: .join(name)).errorCode == nil)
        #expect(
            try await bob.answer(to: .send(room: name, id: .random(), "x")).errorCode == .forbidden)
    }

    /// The first one's invitation stands until it is answered or taken back.
    @Test(arguments: [1, 4])
    func anInvitationTellsWhoInvitesAndAfterwardsNobodyDoes(shards: Int) async throws {
        let server = try server(shards: shards)
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await RoomsWatcher(server.join(as: "bob"))
        let cid = try await RoomsWatcher(server.join(as: "cid"))
        let name = try await create(.private(people: users("cid")), by: ann)
        let (bobs, id) = (UserName("bob")!, name.description)
        func moderate(_ moderation: Moderation, by person: RoomsWatcher) async throws {
            #expect(try await person.answer(to: .moderate(room: name, command: .random(), moderation)).errorCode == nil)
        }
        try await moderate(.appoint(UserName("cid")!, .own), by: ann)
        #expect(try await cid.answer(to: .join(name)).errorCode == nil)

        try await moderate(.invite(bobs), by: cid)
        try await bob.until { $0[id]?.light.inviter == UserName("cid") }
        try await moderate(.invite(bobs), by: ann)
        try await moderate(.title(Self.plans), by: ann)
        try await bob.until { $0[id]?.light.title == Self.plans }
        #expect(bob[id]?.light.inviter == UserName("cid"))

        try await moderate(.appoint(bobs, .none), by: cid)
        try await moderate(.invite(bobs), by: ann)
        try await bob.until { $0[id]?.light.inviter == UserName("ann") }
        #expect(bob[id]?.section == .invited)

        let other = try await RoomsWatcher(server.join(as: "bob"))
        #expect(other[id]?.light.inviter == UserName("ann"), "to another device, too")
        #expect(try await bob.answer(to: .join(name)).errorCode == nil)
        for device in [bob, other, ann, cid] {
            try await device.until { $0[id]?.section == .rooms }
            #expect(device[id]?.light.inviter == nil)
        }
    }

    @Test func anInvitationGivesTheRightToWriteAndIsTakenOnce() async throws {
        let server = try server()
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await RoomsWatcher(server.join(as: "bob"))
        let name = try await create(.private(people: []), by: ann)
        let (bobName, command) = (UserName("bob")!, CommandID.random())
        func moderate(_ moderation: Moderation, _ command: CommandID = .random()) async throws -> ServerFrame {
            try await ann.answer(to: .moderate(room: name, command: command, moderation))
        }

        #expect(try await moderate(.invite(bobName), command).effect?.revision == 2)
        try await bob.until { $0[name.description]?.section == .invited }
        _ = try await bob.answer(to: .join(name))
        #expect(
            try await bob.answer(to: .send(room: name, id: .random(), "x")).errorCode == nil)

        _ = try await moderate(.appoint(bobName, .moderate))
        #expect(try await moderate(.invite(bobName)).errorCode == nil)
        #expect(
            try await bob.answer(to: .moderate(room: name, command: .random(), .title(Self.plans))).errorCode == nil)
        #expect(try await moderate(.invite(bobName), command).effect?.revision == 2)
        #expect(try await moderate(.invite(UserName("cid")!), command).errorCode == .conflict)
    }

    @Test func whoIsPutOutOfAPrivateRoomHearsNothingMoreOfIt() async throws {
        let server = try server()
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await RoomsWatcher(server.join(as: "bob"))
        let name = try await create(.private(people: users("bob")), by: ann)
        _ = try await bob.answer(to: .join(name))
        let reader = try await server.join(as: "bob")
        _ = try await reader.answer(to: .subscribe(.messages(name), limit: 50, resume: nil))

        _ = try await ann.answer(to: .moderate(room: name, command: .random(), .appoint(UserName("bob")!, .none)))

        while true {
            guard case .ended(let list, let ending) = try await reader.frame() else { continue }
            #expect(list == .messages(name) && ending.why == .forbidden)
            break
        }
        #expect(try await bob.answer(to: .join(name)).errorCode == .forbidden)
        // A list of rooms changes on a tick, also for those who join it.
        try await RoomsWatcher(server.join(as: "bob")).until { $0.names.isEmpty }
    }

    @Test func aTitleIsToldToReadersAndMembers() async throws {
        let server = try server()
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await RoomsWatcher(server.join(as: "bob"))
        let name = try await create(.private(people: users("bob")), by: ann)
        let reader = try await server.join(as: "bob")
        _ = try await reader.answer(to: .subscribe(.messages(name), limit: 50, resume: nil))

        _ = try await ann.answer(to: .moderate(room: name, command: .random(), .title(Self.plans)))

        try await bob.until { $0[name.description]?.light.title == Self.plans }
        while true {
            guard case .standing(name, let standing) = try await reader.frame() else { continue }
            #expect(standing == RoomStanding(role: .write, title: Self.plans))
            break
        }
        _ = try await ann.answer(to: .moderate(room: name, command: .random(), .title(nil)))
        try await bob.until { $0[name.description]?.light.title == nil }
    }

    @Test func aTopicIsToldToReadersAndAPictureToMembersToo() async throws {
        let server = try server()
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await RoomsWatcher(server.join(as: "bob"))
        let name = try await create(.private(people: users("bob"), title: Self.plans), by: ann)
        let (topic, picture) = (RoomTopic("What we do"), Picture("https://a.example/p.png"))
        for moderation in [Moderation.topic(topic), .picture(picture)] {
            _ = try await ann.answer(to: .moderate(room: name, command: .random(), moderation))
        }

        try await bob.until { $0[name.description]?.light.picture == picture }
        let reader = try await server.join(as: "bob")
        let ref = reader.send(.subscribe(.messages(name), limit: 50, resume: nil))
        let standing = try await reader.frame()
        #expect(
            standing
                == .standing(name, RoomStanding(role: .write, title: Self.plans, topic: topic, picture: picture)))
        #expect(try await reader.frame().ref == ref)

        _ = try await ann.answer(to: .moderate(room: name, command: .random(), .picture(nil)))
        try await bob.until { $0[name.description]?.light.picture == nil }
    }

    @Test func anOpenRoomHasATitleToo() async throws {
        let mint = Mint()
        let keyring = try mint.keyring(leeway: 60_000)
        let server = try server { $0.keyring = keyring }
        let ann = try server.connect()
        _ = try await ann.answer(to: .hello(.token(mint.token("ann", ["lobby": .moderate]))))

        _ = try await ann.answer(to: .moderate(room: room, command: .random(), .title(Self.plans)))
        let ref = ann.send(.subscribe(lobby, limit: 50, resume: nil))

        let standing = try await ann.frame()
        #expect(standing == .standing(room, RoomStanding(role: .moderate, title: Self.plans)))
        #expect(try await ann.frame().ref == ref)
    }

    // MARK: - Direct rooms

    @Test(arguments: [1, 4])
    func theDirectRoomOfSomePeopleIsOneForAllOfThem(shards: Int) async throws {
        let server = try server(shards: shards)
        let ann = try await RoomsWatcher(server.join(as: "ann"))
        let bob = try await RoomsWatcher(server.join(as: "bob"))

        let name = try await create(.direct(people: users("bob")), by: ann)
        #expect(name == RoomName(directRoomOf: users("bob", "ann")))
        try await bob.until { $0.names == [name.description] }
        #expect(bob[name.description]?.section == .rooms && bob[name.description]?.people == users("ann"))
        try await ann.until { $0[name.description]?.people == users("bob") }

        let again = try await bob.answer(to: .create(.random(), .direct(people: users("ann"))))
        #expect(again.effect == .init(list: .messages(name), revision: 1), "nothing is taken")
        #expect(
            try await bob.answer(to: .send(room: name, id: .random(), "hi")).effect?.revision == 2)
        try await ann.until { $0[name.description]?.light.unread == 1 }
        #expect(try await bob.answer(to: .create(.random(), .direct(people: users("ann")))).effect?.revision == 2)

        #expect(try await bob.answer(to: .leave(name)).errorCode == .badRequest)
        let invitation = Moderation.appoint(UserName("cid")!, .write)
        #expect(try await ann.answer(to: .moderate(room: name, command: .random(), invitation)).errorCode == .forbidden)
        #expect(
            try await ann.answer(to: .moderate(room: name, command: .random(), .title(nil))).errorCode == .forbidden)
    }

    @Test func bothAtOnceCreateOneDirectRoom() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")
        let bob = try await server.join(as: "bob")

        for _ in 0..<20 {
            ann.send(.create(.random(), .direct(people: users("bob"))))
            bob.send(.create(.random(), .direct(people: users("ann"))))
        }

        let ok = ServerFrame.Effect(list: .messages(RoomName(directRoomOf: users("ann", "bob"))), revision: 1)
        for person in [ann, bob] { for _ in 0..<20 { #expect(try await person.frame().effect == ok) } }
    }

    // MARK: - Repeats and limits

    @Test func aRepeatOfACreationIsItsFirstAnswer() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")
        let command = CommandID.random()
        let new = NewRoom.private(people: users("bob"), title: Self.plans)
        let first = try await ann.answer(to: .create(command, new))
        _ = try await ann.answer(
            to: .send(room: RoomName(privateRoomOf: command), id: .random(), "hi"))

        let back = try await server.join(as: "ann")
        #expect(try await back.answer(to: .create(command, new)).effect == first.effect)
        #expect(try await back.answer(to: .create(command, .private(people: []))).errorCode == .conflict)
        let bob = try await server.join(as: "bob")
        #expect(try await bob.answer(to: .create(command, new)).errorCode == .conflict)
    }

    @Test func roomsThatAreCreatedCountAgainstTheRate() async throws {
        let server = try server {
            $0.allowances.rooms = Rate(2, in: 3_600_000, burst: 2)
        }
        let ann = try await server.join(as: "ann")

        for _ in 0..<2 { #expect(try await ann.answer(to: .create(.random(), .private(people: []))).errorCode == nil) }
        #expect(try await ann.answer(to: .create(.random(), .private(people: []))).errorCode == .rateLimited)
        #expect(try await ann.answer(to: .create(.random(), .direct(people: users("bob")))).errorCode == .rateLimited)
    }

    @Test func aTokenBoundsWhatAnAppointmentGives() async throws {
        let mint = Mint()
        let keyring = try mint.keyring(leeway: 60_000)
        let server = try server { $0.keyring = keyring }
        func person(_ name: String, _ grants: [String: Role]) async throws -> RoomsWatcher {
            let connection = try server.connect()
            _ = try await connection.answer(to: .hello(.token(mint.token(name, grants))))
            return try await RoomsWatcher(connection)
        }
        let ann = try await person("ann", ["~*": .write])
        let name = try await create(.private(people: users("bob", "cid")), by: ann)
        #expect(try await ann.answer(to: .create(.random(), .direct(people: users("bob")))).errorCode == .forbidden)

        let reader = try await person("bob", ["*": .read])
        #expect(reader.names == [name.description])
        #expect(try await reader.answer(to: .send(room: name, id: .random(), "x")).errorCode == nil)
        for grants in [["lobby": Role.own], ["*": .own, "~*": .none], ["*": .own, name.description: .none]] {
            let shut = try await person("bob", grants)
            #expect(shut.names.isEmpty)
            #expect(try await shut.answer(to: .join(name)).errorCode == .forbidden)
        }
        let stranger = try await person("dan", ["*": .own, "~*": .own, name.description: .own])
        #expect(
            try await stranger.answer(to: .subscribe(.messages(name), limit: 50, resume: nil)).errorCode == .forbidden)
        #expect(try await stranger.answer(to: .audit(name, before: 99, limit: 50)).errorCode == .forbidden)
    }
}

extension ServerFrame {
    var effect: Effect? { if case .ok(_, let effect) = self { effect } else { nil } }
}
