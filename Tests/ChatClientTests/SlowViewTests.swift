import ChatClient
import ChatWire
import Dispatch
import Publishing
import TestSupport
import Testing

/// A view that stands still, as that of a program whose output nobody takes.
@Suite(.timeLimit(.minutes(Deadline.minutes))) struct SlowViewTests {
    private let room = RoomName("lobby")!

    /// The client would otherwise hold all that is said meanwhile, however long that is.
    @Test func whatAViewDoesNotTakeWaitsAtTheServer() throws {
        let server = try TestServer()
        let (ann, bob) = (try Person("ann", on: server.port), try Person("bob", on: server.port))
        let held = DispatchSemaphore(value: 0)
        let stop = ann.client.didChange.sink { change in
            if change.view.messages.count == 1 { held.wait() }
        }
        for person in [ann, bob] {
            person.client.open(room)
            person.wait { $0.view != nil }
        }
        bob.client.send("first", to: room)
        ann.wait { $0.view?.messages.count == 1 }

        let (count, text) = (7_000, String(repeating: "x", count: 2_000))  // more than sockets hold
        for number in 1...count { bob.client.send("\(number) \(text)", to: room) }
        bob.wait { $0.outcomes.count == 1 + count }
        held.signal()
        ann.wait { $0.view?.count == 1 + count }

        let view = try #require(ann.seen.view)
        #expect(view.messages.last?.text == "\(count) \(text)")
        #expect(view.messages.count < count, "ann got each message")
        stop.cancel()
        for person in [ann, bob] { person.client.close() }
    }
}
