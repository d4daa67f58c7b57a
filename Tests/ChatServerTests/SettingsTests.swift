import ChatRoom
import ChatServer
import ChatWire
import Replicas
import RoomStore
import TestSupport
import Testing
import WebSocketTransport

/// A person's own settings of rooms over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct SettingsTests {
    private func server(shards: Int = 4) throws -> ServerUnderTest {
        try ServerUnderTest {
            $0.shards = shards
            $0.members.tick = .milliseconds(20)
        }
    }

    private func rooms(_ names: String...) -> [RoomName] { names.compactMap { RoomName($0) } }

    /// Somebody who is a member of rooms, in whose list they are.
    private func member(
        _ name: String = "ann", of rooms: [RoomName], at server: ServerUnderTest
    ) async throws -> RoomsWatcher {
        let person = try await RoomsWatcher(server.join(as: name))
        for room in rooms { _ = try await person.answer(to: .join(room)) }
        try await person.until { $0.names.count == rooms.count }
        return person
    }

    private func say(_ text: String, in room: RoomName, by person: Connection) async throws {
        _ = try await person.answer(to: .send(room: room, id: .random(), MessageContent(text)))
    }

    @Test(arguments: [1, 4])
    func pinnedRoomsStandFirstWhereTheyWerePutAndStayThere(shards: Int) async throws {
        let server = try server(shards: shards)
        let rooms = rooms("a", "b", "c", "d")
        let ann = try await member(of: rooms, at: server)
        let other = try await RoomsWatcher(server.join(as: "ann"))
        for (room, place) in zip(rooms, [30, 10, 20] as [UInt64]) {
            let answer = try await ann.answer(to: .settings(room, SettingsChange(pinned: .at(place))))
            #expect(answer.effect == .init(list: .messages(room), revision: 2))
        }
        for person in [ann, other] { try await person.until { $0.names == ["b", "c", "a", "d"] } }
        #expect(other["c"]?.section == .pinned && other["c"]?.sort == 20)

        try await say("hi", in: rooms[1], by: try await server.join(as: "bob"))
        try await ann.until { $0["b"]?.light.unread == 1 }
        #expect(ann.names == ["b", "c", "a", "d"] && ann["b"]?.sort == 10)

        _ = try await ann.answer(to: .settings(rooms[1], SettingsChange(pinned: .off)))
        try await ann.until { $0.names == ["c", "a", "d", "b"] }
        #expect(ann["b"]?.section == .rooms)
    }

    @Test func roomsForOnePlaceStandOneBehindTheOther() async throws {
        let server = try server()
        let rooms = rooms("a", "b", "c")
        let ann = try await member(of: rooms, at: server)
        for room in rooms.reversed() {
            _ = try await ann.answer(to: .settings(room, SettingsChange(pinned: .at(1 << 50))))
        }
        try await ann.until { $0.names == ["a", "b", "c"] && $0["a"]?.section == .pinned }
        #expect(ann.rooms.rows.map(\.sort) == [1 << 50, 1 << 50 + 1, 1 << 50 + 2])

        _ = try await ann.answer(to: .leave(rooms[0]))
        try await ann.until { $0.names == ["b", "c"] && $0["b"]?.sort == 1 << 50 }
        let late = try await RoomsWatcher(server.join(as: "ann"))
        try await late.until { $0.names == ["b", "c"] }
        #expect(late.rooms.rows.map(\.sort) == ann.rooms.rows.map(\.sort))
    }

    @Test func anArchivedRoomStaysAwayAndGoesBackToItsPlace() async throws {
        let server = try server()
        let rooms = rooms("a", "b")
        let ann = try await member(of: rooms, at: server)
        let change = SettingsChange(pinned: .at(7), isMuted: true, isArchived: true)
        _ = try await ann.answer(to: .settings(rooms[0], change))
        try await ann.until { $0["a"]?.section == .archived }
        #expect(ann["a"]?.light.isMuted == true)

        try await say("hi", in: rooms[0], by: try await server.join(as: "bob"))
        try await ann.until { $0["a"]?.light.unread == 1 }
        #expect(ann["a"]?.section == .archived)

        _ = try await ann.answer(to: .settings(rooms[0], SettingsChange(isArchived: false)))
        try await ann.until { $0["a"]?.section == .pinned && $0["a"]?.sort == 7 }
    }

    /// A mark has a revision, so an earlier read mark does not end it, whenever it comes to the disk.
    @Test(arguments: [1, 4])
    func aMarkAsUnreadLastsUntilTheRoomIsReadAgain(shards: Int) async throws {
        let server = try server(shards: shards)
        let ann = try await member(of: rooms("lobby"), at: server)
        let desk = try await server.follow(as: "ann")
        try await say("hi", in: room, by: desk)
        _ = try await desk.answer(to: .read(room, 2))

        #expect(try await ann.answer(to: .settings(room, SettingsChange(isMarked: true))).effect?.revision == 3)
        try await ann.until { $0["lobby"]?.light == .init(read: 2, isMarked: true, last: $0["lobby"]?.light.last) }
        _ = try await desk.answer(to: .read(room, 2))
        #expect(try await ann.answer(to: .settings(room, SettingsChange(isMarked: true))).effect?.revision == 4)
        _ = try await desk.answer(to: .read(room, 3))
        try await say("more", in: room, by: server.join(as: "bob"))
        try await ann.until { $0["lobby"]?.light.last?.text == "more" }
        #expect(ann["lobby"]?.light.isMarked == true && ann["lobby"]?.light.read == 2)

        _ = try await desk.answer(to: .read(room, 4))
        try await ann.until { $0["lobby"]?.light.isMarked == false && $0["lobby"]?.light.read == 4 }
        _ = try await ann.answer(to: .settings(room, SettingsChange(isMarked: true)))
        try await ann.until { $0["lobby"]?.light.isMarked == true }
        _ = try await ann.answer(to: .settings(room, SettingsChange(isMarked: false)))
        try await ann.until { $0["lobby"]?.light.isMarked == false }
        _ = try await ann.answer(to: .settings(room, SettingsChange(isMarked: true)))
        try await ann.until { $0["lobby"]?.light.isMarked == true }
        try await say("I am back", in: room, by: desk)
        try await ann.until { $0["lobby"]?.light.isMarked == false && $0["lobby"]?.light.unread == 0 }
    }

    @Test(arguments: [1, 4])
    func whoMarksAMessageHasItAndAllAfterItUnread(shards: Int) async throws {
        let server = try server(shards: shards)
        let ann = try await member(of: rooms("lobby"), at: server)
        let (desk, bob) = (try await server.follow(as: "ann"), try await server.join(as: "bob"))
        let cid = try await MembersWatcher(server.follow(as: "cid"))
        for text in ["one", "two", "three"] { try await say(text, in: room, by: bob) }
        let call = ClientFrame.Request.send(
            room: room, id: .random(), MessageContent("you", mentions: [UserName("ann")!]))
        _ = try await bob.answer(to: call)
        _ = try await desk.answer(to: .read(room, 5))
        try await ann.until { $0["lobby"]?.light.read == 5 }

        #expect(try await ann.answer(to: .settings(room, SettingsChange(unreadFrom: 3))).effect?.revision == 6)
        try await ann.until { $0["lobby"]?.light.unread == 3 }
        let light = ann["lobby"]?.light
        #expect(light == .init(unread: 3, mentions: 1, read: 2, isMarked: true, last: light?.last))
        _ = try await desk.answer(to: .read(room, 5))
        try await say("four", in: room, by: bob)
        try await ann.until { $0["lobby"]?.light.unread == 4 }
        #expect(ann["lobby"]?.light.read == 2)
        try await cid.until { $0.rows.contains { $0.id == UserName("ann")! && $0.light.read == 5 } }

        _ = try await desk.answer(to: .read(room, 6))
        try await ann.until { $0["lobby"]?.light.unread == 1 && $0["lobby"]?.light.isMarked == false }
    }

    /// In one room the next one is sent without waiting for the answer, so that they meet in batches; in the other not.
    @Test(arguments: UInt64(0)..<20)
    func readsAndSettingsCountInTheOrderInWhichTheyWereSent(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let server = try server()
        let rooms = rooms("together", "oneByOne")
        let ann = try await server.join(as: "ann")
        for room in rooms {
            _ = try await ann.answer(to: .subscribe(.messages(room), limit: 9, resume: nil))
            _ = try await ann.answer(to: .join(room))
            for text in 2...9 { try await say("\(text)", in: room, by: ann) }
        }

        let commands = (1...20).map { _ in Self.command(using: &random) }
        for command in commands { ann.send(command(rooms[0])) }
        for command in commands { _ = try await ann.answer(to: command(rooms[1])) }
        var ends: [Revision?] = []
        for room in rooms {
            ends.append(try await ann.answer(to: .settings(room, SettingsChange(isMarked: true))).effect?.revision)
        }

        #expect(ends[0] != nil && ends[0] == ends[1])
        let watcher = try await RoomsWatcher(server.join(as: "ann"))
        let lights = rooms.map { watcher[$0.description]?.light }
        #expect(lights[0]?.read == lights[1]?.read && lights[0]?.unread == lights[1]?.unread)
    }

    /// Mostly a read mark of something that was said before.
    private static func command(using random: inout SplitMix64) -> (RoomName) -> ClientFrame.Request {
        let (sort, flag) = (UInt64.random(in: 1...9, using: &random), Bool.random(using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return { .send(room: $0, id: .random(), "more") }
        case 1: return { .settings($0, SettingsChange(isMuted: flag)) }
        case 2, 3: return { .settings($0, SettingsChange(isMarked: flag)) }
        case 4, 5: return { .settings($0, SettingsChange(unreadFrom: sort)) }
        default: return { .read($0, sort) }
        }
    }

    @Test(arguments: [1, 4])
    func withoutARevisionAllIsReadThatIsThere(shards: Int) async throws {
        let server = try server(shards: shards)
        let ann = try await member(of: rooms("lobby"), at: server)
        let bob = try await MembersWatcher(server.follow(as: "bob"))
        for text in ["one", "two"] { try await say(text, in: room, by: bob.connection) }
        _ = try await ann.answer(to: .settings(room, SettingsChange(isMarked: true)))
        try await ann.until { $0["lobby"]?.light.isMarked == true && $0["lobby"]?.light.unread == 2 }

        #expect(try await ann.answer(to: .read(room, nil)).effect == .init(list: lobby, revision: 4))

        try await ann.until { $0["lobby"]?.light.unread == 0 && $0["lobby"]?.light.isMarked == false }
        #expect(ann["lobby"]?.light.read == 4)
        // The others see that, though ann is not there.
        try await bob.until { $0["ann"]?.light.read == 4 }
        #expect(bob.members["ann"]?.section == .offline)
    }

    @Test func onlyMembersHaveSettings() async throws {
        let server = try server()
        let ann = try await member(of: [], at: server)
        let bob = try await RoomsWatcher(server.join(as: "bob"))
        let command = CommandID.random()
        _ = try await ann.answer(to: .create(command, .private(people: [UserName("bob")!])))
        let (secret, never) = (RoomName(privateRoomOf: command), RoomName("never")!)
        let change = SettingsChange(isMuted: true)

        #expect(try await ann.answer(to: .settings(never, change)).errorCode == .notFound)
        #expect(try await ann.answer(to: .read(never, nil)).errorCode == .notFound)
        #expect(try await bob.answer(to: .settings(secret, change)).errorCode == .forbidden)
        #expect(try await bob.answer(to: .read(secret, nil)).errorCode == .notFound)
        _ = try await ann.answer(to: .send(room: secret, id: .random(), "come in"))
        try await bob.until { $0[secret.description]?.light.unread == 1 }
        _ = try await bob.answer(to: .subscribe(.messages(secret), limit: 50, resume: nil))
        #expect(try await bob.answer(to: .read(secret, 2)).errorCode == nil)
        _ = try await ann.answer(to: .send(room: secret, id: .random(), "please"))
        try await bob.until { $0[secret.description]?.light.unread == 2 }
        #expect(bob[secret.description]?.light.read == 0)
        _ = try await bob.answer(to: .join(secret))
        #expect(try await bob.answer(to: .settings(secret, change)).errorCode == nil)
        // A room is not made by that.
        #expect(try await ann.answer(to: .join(never)).effect?.revision == 1)
    }

    @Test func leavingForgetsThem() async throws {
        let server = try server()
        let ann = try await member(of: rooms("lobby"), at: server)
        let change = SettingsChange(pinned: .at(1), isMuted: true, isArchived: true, isMarked: true)
        _ = try await ann.answer(to: .settings(room, change))
        try await ann.until { $0["lobby"]?.light.isMarked == true }

        _ = try await ann.answer(to: .leave(room))
        _ = try await ann.answer(to: .join(room))

        try await ann.until { $0["lobby"]?.section == .rooms }
        #expect(ann["lobby"]?.light.isMuted == false && ann["lobby"]?.light.isMarked == false)
    }

    @Test func whatChangesNothingTakesARevisionByWhichItsRepeatIsKnown() async throws {
        let server = try server()
        let ann = try await member(of: rooms("lobby"), at: server)
        let changes = [
            SettingsChange(pinned: .off), SettingsChange(isMuted: false),
            SettingsChange(isArchived: false, isMarked: false), SettingsChange(pinned: .at(5)),
            SettingsChange(pinned: .at(5)),
        ]
        for (revision, change) in zip((2 as Revision)..., changes) {
            let request = ClientFrame.Request.settings(room, change, command: .random())
            for _ in 0..<2 { #expect(try await ann.answer(to: request).effect?.revision == revision) }
        }
    }
}
