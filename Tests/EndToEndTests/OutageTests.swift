import ChatClient
import ChatWire
import Foundation
import Locking
import Publishing
import TestSupport
import Testing

/// A database that is down for a while and comes back, with everything it was in the middle of.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has a database of its own"))
struct OutageTests {
    /// It is frozen, not ended: nobody is told, and it carries out earlier requests afterwards, even those given up.
    @Test
    func whileTheDatabaseIsAwayFor20SecondsReadersReadAndWhatIsSentComesAfterwardsOnce() async throws {
        let database = try ThrowawayPostgres()
        let first = try await Server(store: database.address, host: "127.0.0.3")
        let second = try await Server(store: database.address, host: "127.0.0.4")
        let (ann, bob) = (try Chatter("ann", on: first), try Chatter("bob", on: second))
        let before = ann.say("before")
        await ann.wait { $0.isDone([before]) }
        await bob.wait { $0.texts == ["before"] }

        try database.freeze()
        let begin = ContinuousClock.now
        let (annSays, bobSays) = ((1...10).map { "ann \($0)" }, (1...10).map { "bob \($0)" })
        let (annSent, bobSent) = (annSays.map { ann.say($0) }, bobSays.map { bob.say($0) })
        let carl = try Chatter("carl", on: second)
        await carl.wait { $0.texts == ["before"] }
        try await Pause.lasting(.seconds(20) - (.now - begin))
        #expect(ann.seen.answers == [before: true], "it was answered without a database")
        #expect(bob.seen.answers.isEmpty, "it was answered without a database")
        try database.thaw()

        await ann.wait { $0.isDone(annSent) }
        await bob.wait { $0.isDone(bobSent) }
        for person in [ann, bob, carl] { await person.wait { $0.texts.count == 21 } }
        let texts = carl.seen.texts
        #expect(texts.filter { $0.hasPrefix("ann") } == annSays && texts.filter { $0.hasPrefix("bob") } == bobSays)
        #expect(ann.seen.texts == texts && bob.seen.texts == texts)
        #expect(try database.query("SELECT count(*), max(revision) FROM diffroom.operations") == "21|21\n")
    }
}

/// A client in the lobby, with everything it was told.
private final class Chatter: Sendable {
    struct Seen: Sendable {
        var texts: [String] = []
        /// What was answered, and whether it was done.
        var answers: [CommandID: Bool] = [:]

        func isDone(_ commands: [CommandID]) -> Bool { commands.allSatisfy { answers[$0] == true } }
    }

    private let client: ChatClient
    private let room = RoomName("lobby")!
    private let state = Guarded(Seen())
    private let news: AsyncStream<Void>
    private let tell: AsyncStream<Void>.Continuation
    private let subscriptions = Guarded<[Subscription]>([])

    init(_ name: String, on server: Server) throws {
        (news, tell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        client = try ChatClient(url: server.url, user: UserName(name)!)
        let made = [
            client.didChange.sink { [weak self] change in
                self?.note { $0.texts = change.view.messages.map(\.text) }
            },
            client.answers.sink { [weak self] answer in
                let isDone = if case .done = answer.outcome { true } else { false }
                self?.note { $0.answers[answer.command.id] = isDone }
            },
        ]
        subscriptions.withLock { $0 = made }
        client.open(room)
    }

    private func note(_ change: @Sendable (inout Seen) -> Void) {
        state.withLock { change(&$0) }
        tell.yield()
    }

    var seen: Seen { state.withLock { $0 } }

    func say(_ text: String) -> MessageID {
        client.send(text, to: room)
    }

    /// Returns when the news fulfil `condition`.
    func wait(until condition: (Seen) -> Bool) async {
        var news = news.makeAsyncIterator()
        while !condition(seen), await news.next() != nil {}
    }
}
