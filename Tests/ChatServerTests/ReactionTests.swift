import ChatServer
import ChatWire
import Replicas
import TestSupport
import Testing

/// Reactions of many people to one message.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ReactionTests {
    private static let message = MessageID.random()
    private static let emojis = ["👍", "🎉", "🚀"]

    private func react(_ emoji: String, _ direction: ClientFrame.Switch = .on) -> ClientFrame.Request {
        .react(room: room, command: .random(), id: Self.message, emoji: emoji, direction)
    }

    /// Each of the people reacts when the one before was answered, so each reaction is a commit and a frame of its own.
    @Test func aReactionCostsAReaderWhatItChanges() async throws {
        try #expect(ProtocolDocuments.has("costs what has changed, however many people have reacted to the message."))
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        _ = try await ann.answer(to: .say("hello", id: Self.message))
        let reader = try RawReader(port: server.server.port)
        try reader.say([
            ClientFrame(ref: 1, request: .hello(.user(UserName("reader")!))),
            ClientFrame(ref: 2, request: .subscribe(lobby, limit: 50, resume: nil)),
        ])
        for _ in 1...2 { _ = try reader.next() }

        var last: Revision = 0
        for number in 1...300 {
            let person = try await server.join(as: "person-\(number)")
            last = try #require(try await person.answer(to: react("👍")).revision)
            person.close()
        }

        var (bytes, reached) = (0, Revision(0))
        while reached < last {
            let frame = try reader.next()
            bytes += frame.count
            if case .diff(_, _, _, let diff as ListDiff<Message>) = try ServerFrame(json: frame) { reached = diff.to }
        }
        #expect(bytes <= 300 * 300, "\(bytes) bytes")
    }

    /// Readers that were there all the time, that came back and that are new hold the same reactions.
    @Test func everyReaderHoldsTheSameReactions() async throws {
        let server = try ServerUnderTest()
        let ann = try await server.follow(as: "ann")
        _ = try await ann.answer(to: .say("hello", id: Self.message))
        var watcher = try await held(by: server.join(as: "watcher"), resuming: nil)
        var random = SplitMix64(seed: 29)
        var people: [Connection] = []
        for number in 1...12 { people.append(try await server.join(as: "person-\(number)")) }

        for _ in 1...8 {
            for _ in 1...15 {
                let person = people.randomElement(using: &random)!
                let direction: ClientFrame.Switch = Int.random(in: 0..<3, using: &random) > 0 ? .on : .off
                let answer = try await person.answer(to: react(Self.emojis.randomElement(using: &random)!, direction))
                #expect(answer.errorCode == nil)
            }
            watcher = try await held(by: server.join(as: "watcher"), resuming: watcher)
            let fresh = try await held(by: server.join(as: "fresh"), resuming: nil)
            #expect(watcher.rows.map(\.light) == fresh.rows.map(\.light))
            #expect(!fresh.rows[0].reactions.isEmpty)
        }
    }

    private func held(by reader: Connection, resuming held: Replica<Message>?) async throws -> Replica<Message> {
        switch try await reader.answer(to: .subscribe(lobby, limit: 50, resume: held?.resume())) {
        case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>): return try Replica(snapshot)
        case .diff(_, _, let epoch, let diff as ListDiff<Message>):
            var replica = try #require(held)
            try replica.apply(diff, epoch: epoch)
            return replica
        default: throw Unexpected()
        }
    }
}
