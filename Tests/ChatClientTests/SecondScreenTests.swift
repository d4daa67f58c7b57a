import ChatClient
import ChatWire
import Dispatch
import Locking
import Publishing
import Replicas
import TestSupport
import Testing

/// A second screen of a list that a client follows already: it subscribes when nothing more happens there.
@Suite(.timeLimit(.minutes(Deadline.minutes))) struct SecondScreenTests {
    private let room = RoomName("lobby")!

    /// A screen that draws by the changes alone, and what it came to know.
    private final class Screen<ID: Hashable & Sendable, View: Sendable>: Sendable {
        struct Seen: Sendable {
            var drawn: Set<ID> = []
            var view: View?
            var changes = 0
            var faults: [String] = []
        }

        private let state = Guarded(Seen())
        private let news = DispatchSemaphore(value: 0)

        var seen: Seen { state.withLock { $0 } }

        func draw(_ changes: ReplicaChanges<ID>, _ view: View) {
            state.withLock { seen in
                seen.changes += 1
                seen.view = view
                let touched = changes.deleted + changes.moved + changes.reloaded + changes.reconfigured
                seen.faults += touched.filter { !seen.drawn.contains($0) }.map { "\($0) is not there" }
                seen.drawn.subtract(changes.deleted)
                seen.faults += changes.inserted.filter(seen.drawn.contains).map { "\($0) is there already" }
                seen.drawn.formUnion(changes.inserted)
            }
            news.signal()
        }

        func wait(at location: SourceLocation = #_sourceLocation, until condition: (Seen) -> Bool) {
            while !condition(seen), news.waitForEvent(at: location, or: "seen: \(seen)") {}
        }
    }

    @Test func aSecondScreenOfARoomBeginsWithItsMessagesAndGoesOn() throws {
        let server = try TestServer()
        let ann = try Person("ann", on: server.port)
        ann.client.open(room)
        let ids = ["one", "two", "three"].map { ann.client.send($0, to: room) }
        ann.wait { $0.view?.messages.count == 3 && $0.outcomes.count == 3 }

        let second = Screen<MessageID, RoomView>()
        let follow = ann.client.didChange.sink { second.draw($0.changes, $0.view) }
        second.wait { $0.drawn == Set(ids) }
        let later = ann.client.send("four", to: room)
        second.wait { $0.drawn == Set(ids + [later]) }
        ann.client.delete(ids[0], in: room)
        second.wait { $0.drawn == Set(ids[1...] + [later]) }

        #expect(second.seen.faults.isEmpty)
        #expect(second.seen.view?.messages.map(\.text) == ["two", "three", "four"])
        follow.cancel()
        ann.client.close()
    }

    @Test func aSecondScreenOfSeveralRoomsBeginsWithEach() throws {
        let server = try TestServer()
        let ann = try Person("ann", on: server.port)
        let rooms = ["one", "two", "three"].compactMap { RoomName($0) }
        for room in rooms {
            ann.client.open(room)
            ann.client.send("to \(room)", to: room)
        }
        ann.wait { seen in rooms.allSatisfy { seen.views[$0]?.messages.count == 1 } && seen.outcomes.count == 3 }

        let views = Guarded<[RoomName: [String]]>([:])
        let news = DispatchSemaphore(value: 0)
        let follow = ann.client.didChange.sink { change in
            views.withLock { $0[change.room] = change.view.messages.map(\.text) }
            news.signal()
        }
        while views.withLock({ $0.count }) < 3, news.waitForEvent() {}

        #expect(views.withLock { $0 } == Dictionary(uniqueKeysWithValues: rooms.map { ($0, ["to \($0)"]) }))
        follow.cancel()
        ann.client.close()
    }

    @Test func aSecondScreenOfMembersBeginsWithThem() throws {
        let server = try TestServer()
        let ann = try Person("ann", on: server.port)
        ann.client.open(room)
        ann.client.openMembers(of: room)
        ann.wait { $0.members?[ann.name] != nil }

        let second = Screen<UserName, MembersView>()
        let follow = ann.client.membersDidChange.sink { second.draw($0.changes, $0.view) }
        second.wait { $0.drawn == [ann.name] }

        #expect(second.seen.faults.isEmpty && second.seen.view?.count(of: .online) == 1)
        follow.cancel()
        ann.client.close()
    }

    @Test func aSecondScreenOfOnesRoomsBeginsWithThem() throws {
        let server = try TestServer()
        let ann = try Person("ann", on: server.port)
        ann.client.openRooms()
        ann.client.join(room)
        ann.wait { $0.rooms?[room] != nil }

        let second = Screen<RoomName, RoomsView>()
        let follow = ann.client.roomsDidChange.sink { second.draw($0.changes, $0.view) }
        second.wait { $0.drawn == [room] }

        #expect(second.seen.faults.isEmpty && second.seen.view?.rooms.map(\.id) == [room])
        follow.cancel()
        ann.client.close()
    }

    @Test func aSecondScreenOfMentionsBeginsWithThemAndWithTheOlderOnes() throws {
        let server = try TestServer()
        let (ann, bob) = (try Person("ann", on: server.port), try Person("bob", on: server.port))
        let first = Screen<MyMention.ID, MentionsView>()
        let drawing = ann.client.mentionsDidChange.sink { first.draw($0.changes, $0.view) }
        ann.client.openRooms()
        ann.client.join(room)
        bob.client.openRooms()
        ann.wait { $0.outcomes.count == 1 }
        for number in 1...130 { bob.client.send("\(number)", to: room, mentions: [ann.name]) }
        bob.wait { $0.outcomes.count == 130 }
        ann.client.openMentions()
        first.wait { $0.drawn.count == 100 }
        ann.client.olderMentions(limit: 100)
        first.wait { $0.drawn.count == 130 }

        let second = Screen<MyMention.ID, MentionsView>()
        let follow = ann.client.mentionsDidChange.sink { second.draw($0.changes, $0.view) }
        second.wait { $0.drawn.count == 130 }

        #expect(second.seen.faults.isEmpty)
        #expect(second.seen.view?.mentions.map(\.id) == first.seen.view?.mentions.map(\.id))
        for subscription in [follow, drawing] { subscription.cancel() }
        for person in [ann, bob] { person.client.close() }
    }

    @Test func aSecondScreenOfProfilesBeginsWithThem() throws {
        let server = try TestServer()
        let ann = try Person("ann", on: server.port)
        let first = Screen<UserName, PeopleView>()
        let drawing = ann.client.peopleDidChange.sink { first.draw($0.changes, $0.view) }
        ann.client.know([ann.name])
        first.wait { $0.view != nil }

        let second = Screen<UserName, PeopleView>()
        let follow = ann.client.peopleDidChange.sink { second.draw($0.changes, $0.view) }
        second.wait { $0.view != nil }

        #expect(second.seen.faults.isEmpty && second.seen.drawn == first.seen.drawn)
        for subscription in [follow, drawing] { subscription.cancel() }
        ann.client.close()
    }

    /// The screen of a room shows what its user may do, and whether there is a connection.
    @Test func aSecondScreenBeginsWithTheRightsAndTheConnection() throws {
        let server = try TestServer()
        let ann = try Person("ann", on: server.port)
        let name = RoomName("tea")!
        ann.client.openRooms()
        ann.client.create(name)
        ann.wait { $0.outcomes.count == 1 }
        ann.client.open(name)
        ann.wait { $0.views[name] != nil }

        let roles = Guarded<[Role]>([])
        let states = Guarded<[ConnectionState]>([])
        let news = DispatchSemaphore(value: 0)
        let follow = [
            ann.client.notices.sink { notice in
                guard case .standing(name, let standing) = notice else { return }
                roles.withLock { $0.append(standing.role) }
                news.signal()
            },
            ann.client.connection.sink { state in
                states.withLock { $0.append(state) }
                news.signal()
            },
        ]
        for _ in 1...2 { news.waitForEvent() }

        #expect(roles.withLock { $0 } == [.own])
        #expect(states.withLock { $0.map { if case .online = $0 { true } else { false } } } == [true])
        for subscription in follow { subscription.cancel() }
        ann.client.close()
    }

    /// Whenever a screen comes, its changes lead from nothing to what is there.
    @Test func screensThatComeWhileMessagesComeMissNoneAndGetNoneTwice() throws {
        let server = try TestServer()
        let (ann, bob) = (try Person("ann", on: server.port), try Person("bob", on: server.port))
        for person in [ann, bob] {
            person.client.open(room)
            person.wait { $0.view != nil }
        }
        var screens: [Screen<MessageID, RoomView>] = []
        var subscriptions: [Subscription] = []
        for number in 1...200 {
            bob.client.send("\(number)", to: room)
            let screen = Screen<MessageID, RoomView>()
            if number.isMultiple(of: 5) {
                subscriptions.append(ann.client.didChange.sink { screen.draw($0.changes, $0.view) })
                screens.append(screen)
            }
        }

        for screen in screens {
            screen.wait { $0.view?.count == 200 }
            #expect(screen.seen.faults.isEmpty)
            #expect(screen.seen.drawn == Set(screen.seen.view?.messages.map(\.id) ?? []))
        }
        for subscription in subscriptions { subscription.cancel() }
        for person in [ann, bob] { person.client.close() }
    }
}
