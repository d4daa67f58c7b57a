import ChatClient
import ChatServer
import ChatWire
import Diffable
import Dispatch
import Publishing
import RoomStore
import TestSupport
import Testing

/// The client on real sockets, against a real server that keeps its rooms in memory.
@Suite struct ChatClientTests {
    private let room = RoomName("lobby")!

    @Test func whatOneSaysTheOtherSees() throws {
        let server = try TestServer()
        let (ann, bob) = (try Person("ann", on: server.port), try Person("bob", on: server.port))
        for person in [ann, bob] {
            person.client.open(room)
            person.wait { $0.view != nil }
        }

        let id = ann.client.send("hello", to: room)
        bob.wait { $0.view?[id]?.text == "hello" }
        ann.client.edit(id, in: room, text: "hello, all")
        bob.client.react(to: id, in: room, with: "👍")
        ann.wait { $0.view?[id]?.reactions.first?.users == [bob.name] }
        bob.wait { $0.view?[id]?.text == "hello, all" }
        ann.client.delete(id, in: room)
        bob.wait { $0.view?.messages.isEmpty == true }

        ann.wait { $0.outcomes.count == 3 }
        #expect(bob.seen.deleted.map(\.id) == [id])
        for person in [ann, bob] { person.client.close() }
    }

    @Test func aServerThatGoesAndComesBackIsFollowedByDiffAndNothingIsLost() throws {
        let store = InMemoryStore()
        var server: TestServer? = try TestServer(store: store)
        let port = server?.port ?? 0
        let ann = try Person("ann", on: port)
        ann.client.open(room)
        ann.client.send("before", to: room)
        ann.wait { $0.view?.messages.count == 1 }

        server?.stop()
        server = nil
        ann.wait { if case .waiting = $0.states.last { true } else { false } }
        let during = ann.client.send("while it was away", to: room)
        let again = try TestServer(store: store, port: port)
        ann.wait { $0.view?[during] != nil && $0.outcomes[during] != nil }

        #expect(ann.seen.view?.messages.map(\.text) == ["before", "while it was away"])
        #expect(ann.seen.causes.contains(.caughtUp))
        #expect(ann.seen.causes.filter { if case .snapshot = $0 { true } else { false } }.count == 1)
        ann.client.close()
        again.stop()
    }

    /// A client that asked for all at once would be sent away again and again, as one that pays no heed.
    @Test(arguments: [1, 2]) func aServerThatTakesFewRequestsAtOnceIsAskedOneAfterTheOther(pending: Int) throws {
        let store = InMemoryStore()
        let away = try TestServer(store: store)
        let port = away.port
        let ann = try Person("ann", on: port)
        ann.client.open(room)
        ann.wait { $0.view != nil }
        away.stop()
        ann.wait { if case .waiting = $0.states.last { true } else { false } }
        for name in ["attic", "den"].compactMap({ RoomName($0) }) { ann.client.open(name) }
        ann.client.openMembers(of: room)
        ann.client.openRooms()
        ann.client.openMentions()
        ann.client.know([ann.name])
        for number in 1...10 { ann.client.send("\(number)", to: room) }

        let server = try TestServer(store: store, port: port, pending: pending)
        ann.wait { seen in
            seen.outcomes.count == 10 && seen.view?.messages.count == 10 && seen.views.count == 3
                && seen.members != nil && seen.rooms != nil
        }

        #expect(ann.seen.view?.messages.map(\.text) == (1...10).map(String.init))
        #expect(ann.seen.outcomes.values.allSatisfy { if case .done = $0 { true } else { false } })
        let comings = ann.seen.states.count { state in
            if case .online(let welcome) = state { welcome.limits.pending == pending } else { false }
        }
        #expect(comings == 1)
        ann.client.close()
        server.stop()
    }

    @Test func whoIsThereWhoWritesAndWhoHasReadIsSeen() throws {
        let server = try TestServer()
        let (ann, bob) = (try Person("ann", on: server.port), try Person("bob", on: server.port))
        for person in [ann, bob] {
            person.client.open(room)
            person.client.openMembers(of: room)
        }
        ann.wait { $0.members?.members.map(\.section) == [.online, .online] && $0.view != nil }
        bob.wait { $0.view != nil }

        bob.client.setTyping(.on, in: room)
        ann.wait { $0.members?[bob.name]?.light.isTyping == true }
        let id = bob.client.send("hello", to: room)
        ann.wait { $0.members?[bob.name]?.light.isTyping == false && $0.view?[id] != nil }
        ann.client.markRead(room, upTo: try #require(ann.seen.view?[id]?.sort))
        bob.wait { $0.members?[ann.name]?.light.read == $0.view?[id]?.sort }
        bob.client.close()
        ann.wait { $0.members?[bob.name]?.section == .offline }

        #expect(ann.seen.members?.count(of: .online) == 1 && ann.seen.members?.count(of: .offline) == 1)
        ann.client.close()
    }

    /// A restarted server has seen nobody, so a client that comes back repeats its read mark.
    @Test func theMembersAndTheReadMarksComeBackWithTheServer() throws {
        let store = InMemoryStore()
        var server: TestServer? = try TestServer(store: store)
        let port = server?.port ?? 0
        let ann = try Person("ann", on: port)
        ann.client.open(room)
        ann.client.openMembers(of: room)
        ann.client.send("hello", to: room)
        ann.wait { $0.view?.revision == 1 }
        ann.client.markRead(room, upTo: 1)
        ann.wait { $0.members?[ann.name]?.light.read == 1 }

        server?.stop()
        server = nil
        ann.wait { if case .waiting = $0.states.last { true } else { false } }
        let epoch = ann.seen.members?.epoch
        let again = try TestServer(store: store, port: port)

        ann.wait { $0.members?.epoch != epoch && $0.members?[ann.name]?.light.read == 1 }
        ann.client.close()
        again.stop()
    }

    @Test func oneIsAMemberOnAllDevicesAndWhatIsReadOnOneIsReadOnTheOther() throws {
        let server = try TestServer()
        let (desk, phone, bob) = (
            try Person("ann", on: server.port), try Person("ann", on: server.port), try Person("bob", on: server.port)
        )
        for device in [desk, phone] { device.client.openRooms() }
        for person in [desk, bob] { person.client.open(room) }
        phone.wait { $0.rooms != nil }

        desk.client.join(room)
        phone.wait { $0.rooms?[room]?.light.unread == 0 }
        let id = bob.client.send("hello", to: room)
        phone.wait { $0.rooms?[room]?.light.unread == 1 && $0.rooms?[room]?.light.last?.id == id }
        desk.wait { $0.view?[id] != nil }
        let sort = try #require(desk.seen.view?[id]?.sort)
        desk.client.markRead(room, upTo: sort)
        phone.wait { $0.rooms?[room]?.light.unread == 0 && $0.rooms?[room]?.light.read == sort }
        phone.client.leave(room)
        desk.wait { $0.rooms?.rooms.isEmpty == true }

        #expect(desk.seen.view?[id] != nil)
        for person in [desk, phone, bob] { person.client.close() }
    }

    @Test func onesRoomsAndTheirMarksOutliveTheServer() throws {
        let store = InMemoryStore()
        var server: TestServer? = try TestServer(store: store)
        let port = server?.port ?? 0
        let (ann, bob) = (try Person("ann", on: port), try Person("bob", on: port))
        ann.client.openRooms()
        let joining = ann.client.join(room)
        ann.wait { $0.rooms?[room] != nil && $0.outcomes[joining] != nil }
        bob.client.open(room)
        bob.client.send("hello", to: room)
        ann.wait { $0.rooms?[room]?.light.unread == 1 }
        let (epoch, read) = (ann.seen.rooms?.epoch, ann.seen.rooms?[room]?.light.read)

        bob.client.close()
        server?.stop()
        server = nil
        ann.wait { if case .waiting = $0.states.last { true } else { false } }
        let again = try TestServer(store: store, port: port)
        ann.wait { $0.rooms?.epoch != epoch }

        #expect(ann.seen.rooms?[room]?.light.unread == 1 && ann.seen.rooms?[room]?.light.read == read)
        ann.client.close()
        again.stop()
    }

    @Test func severalRoomsAreFollowedAtOnce() throws {
        let server = try TestServer()
        let ann = try Person("ann", on: server.port)
        let rooms = ["one", "two", "three"].compactMap { RoomName($0) }
        for room in rooms { ann.client.open(room) }
        for room in rooms { ann.client.send("to \(room)", to: room) }

        ann.wait { seen in rooms.allSatisfy { seen.views[$0]?.messages.map(\.text) == ["to \($0)"] } }
        ann.client.close()
    }

    @Test func anAddressThatIsNoneIsRefusedWithWhatWouldBeRight() {
        #expect(throws: ChatClientError.badURL("http://x: the address must begin with ws:// or wss://")) {
            try ChatClient(url: "http://x", user: UserName("ann")!)
        }
    }

    @Test func theSnapshotHasTheRoomInSectionsWithItsChangesMarked() throws {
        let server = try TestServer()
        let ann = try Person("ann", on: server.port)
        ann.client.open(room)
        let id = ann.client.send("hello", to: room)
        ann.wait { $0.view?[id] != nil }
        ann.client.edit(id, in: room, text: "hello!")
        ann.wait { $0.view?[id]?.text == "hello!" }

        let snapshot = try #require(ann.seen.lastChange?.snapshot)

        #expect(snapshot.sectionIdentifiers == [.history, .socket])
        #expect(snapshot.itemIdentifiers == [.message(id)])
        #expect(snapshot.reloadedItemIdentifiers == [.message(id)])
        ann.client.close()
    }
}
