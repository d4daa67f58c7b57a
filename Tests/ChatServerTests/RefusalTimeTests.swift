import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing
import Tokens
import WebSocketTransport

@testable import ChatServer

/// When a private room refuses somebody who has no place in it: at the same times and in the same order as a room that never
/// was, whether anybody reads it and however long the store takes.
struct RefusalTimeTests {
    enum Condition: CaseIterable, Sendable {
        /// Nobody ever created it.
        case missing
        /// It is in the store alone.
        case resting
        /// A member reads it: it is in memory.
        case read
    }

    private static let room = RoomName(privateRoomOf: SecrecyTests.creation)
    private static let other = RoomName(privateRoomOf: .random())
    private static let ann = UserName("ann")!

    /// A shard with the room and a member.
    private static func shard(_ condition: Condition) throws -> ShardUnderTest {
        let shard = ShardUnderTest(loops: 1)
        let reader = ShardUnderTest.reader(1, onLoop: 0)
        func operate(_ command: CommandID, _ action: RoomAction) throws {
            let operation = Operation(command: command, author: ann, role: .own, time: 0, action: action)
            _ = try shard.settle([.request(.operate(ref: 1, operation), reader, room)])
        }
        guard condition != .missing else { return shard }
        try operate(SecrecyTests.creation, .create(.private(people: [], title: nil)))
        try operate(SecrecyTests.said, .send("secret"))
        guard condition == .read else { return shard }
        let visitor = Visitor(user: ann, grant: .own)
        for list in RoomList.allCases {
            _ = try shard.settle([.request(.subscribe(list, visitor, ref: 1, limit: 50, nil), reader, room)])
        }
        #expect(shard.isAtWork(room))
        return shard
    }

    /// What a stranger hears who asks for everything at once, here and in another room that never was.
    ///
    /// - Parameter latency: the time in which the store answers about the room. It answers about the other in 20 ms.
    private static func heard(_ condition: Condition, _ latency: Duration) throws -> [String] {
        let stranger = StrangerUnderTest(on: try shard(condition)) { $0 == room ? latency : .milliseconds(20) }
        let requests = zip(SecrecyTests.requests(about: room), SecrecyTests.requests(about: other))
        // No shard handles a search, a draft, an item of `me/later`, a block, or a request about files: SecrecyTests look at those.
        let elsewhere = ["search", "draft", "later", "block", "upload", "links"]
        return try stranger.hears(after: requests.flatMap { [$0, $1] }.filter { !elsewhere.contains($0.name) })
    }

    @Test(arguments: Condition.allCases, [1, 45, 99])
    func noAnswerComesEarlierLaterOrInAnotherPlace(condition: Condition, latency: Int) throws {
        let heard = try Self.heard(condition, .milliseconds(latency))

        #expect(heard == (try Self.heard(.missing, .milliseconds(20))))
        #expect(!heard.contains { $0.contains("secret") })
    }

    /// Also while the store takes longer than refusals wait.
    @Test(arguments: Condition.allCases, [130, 250, 777])
    func noAnswerComesOutOfMemoryWhileTheStoreIsSlow(condition: Condition, latency: Int) throws {
        let heard = try Self.heard(condition, .milliseconds(latency))

        #expect(heard == (try Self.heard(.missing, .milliseconds(latency))))
    }

    /// Whoever asks again while the room is being read for the last request.
    @Test(arguments: Condition.allCases)
    func requestsOneAfterTheOtherAreRefusedAlike(condition: Condition) throws {
        func heard(_ condition: Condition) throws -> [String] {
            let stranger = StrangerUnderTest(on: try Self.shard(condition)) { _ in .milliseconds(40) }
            return try (0..<12).flatMap { number in
                try stranger.hears(
                    after: [.subscribe(.messages(Self.room), limit: 50, resume: nil), .join(Self.room)],
                    for: .milliseconds(number * 17))
            } + stranger.hears(after: [])
        }

        #expect(try heard(condition) == heard(.missing))
    }
}

/// Somebody's connection to a shard, on a virtual clock and with a store that takes its time.
final class StrangerUnderTest {
    private struct Event {
        let time: Duration
        let number: Int
        let inputs: () throws -> [ShardInput]
    }

    private let shard: ShardUnderTest
    private let latency: (RoomName) -> Duration
    private let reader = ShardUnderTest.reader(7, onLoop: 0)
    private let identity: ServerIdentity
    private var session = SessionState()
    private var now = Duration.seconds(1)
    private var events: [Event] = []
    private var lastNumber = 0
    private var lastRef: UInt64 = 0
    private var heard: [String] = []

    init(on shard: ShardUnderTest, latency: @escaping (RoomName) -> Duration) {
        (self.shard, self.latency) = (shard, latency)
        var allowances = Allowances()
        (allowances.pages, allowances.commands) = (nil, nil)
        identity = ServerIdentity(
            name: "test", heartbeat: 1_000, limits: WireLimits(), quotas: Quotas(allowances))
        let hello = AuthenticationRequest(credential: .user(UserName("eve")!), authorization: nil, ref: 0)
        _ = session.handle(identity.check(hello, at: 0), of: hello, as: identity, at: 0)
        _ = shard.take([.woken(.refusals)])  // what was set before has gone off
    }

    /// The frames that come after these requests, each with its time: all of them, or those of a while.
    func hears(after requests: [ClientFrame.Request], for span: Duration? = nil) throws -> [String] {
        heard = []
        let end = span.map { now + $0 }
        let inputs = requests.flatMap { request in
            lastRef += 1
            return perform(session.handle(ClientFrame(ref: lastRef, request: request), as: identity, at: 0))
        }
        try take(inputs)
        while let event = events.min(by: { ($0.time, $0.number) < ($1.time, $1.number) }), event.time < end ?? .max {
            events.removeAll { $0.number == event.number }
            now = event.time
            try take(event.inputs())
        }
        if let end { now = end }
        return heard
    }

    private func perform(_ effects: [SessionState.Effect]) -> [ShardInput] {
        effects.compactMap { effect in
            switch effect {
            case .toRoom(let room, let request): return .request(request, reader, room)
            case .answer(let frame): heard.append("\(now) \(String(decoding: frame.json, as: UTF8.self))")
            default: Issue.record("\(effect)")
            }
            return nil
        }
    }

    private func take(_ inputs: [ShardInput]) throws {
        let (decision, rest) = shard.take(inputs, at: now)
        #expect(rest.isEmpty)
        for note in decision.loops[0].notes {
            switch note {
            case .answered: session.answered()
            case .ended(_, let list, let visit): session.ended(list, visit: visit)
            }
        }
        for case .send(let frame, reader.connection) in decision.loops[0].commands {
            heard.append("\(now) \(String(decoding: frame.text, as: UTF8.self))")
        }
        for query in decision.queries {
            expect(after: latency(query.room)) { [shard] in [try shard.answer(to: query)] }
        }
        for (room, commits) in Dictionary(grouping: decision.commits, by: \.room).sorted(by: { $0.key < $1.key }) {
            expect(after: latency(room)) { [shard] in try shard.outcomes(of: commits) }
        }
        for case (let alarm, let time?) in decision.alarms where alarm == .refusals {
            expect(after: time - now) { [.woken(alarm)] }
        }
    }

    private func expect(after time: Duration, _ inputs: @escaping () throws -> [ShardInput]) {
        lastNumber += 1
        events.append(Event(time: now + time, number: lastNumber, inputs: inputs))
    }
}

extension Duration {
    fileprivate static let max = Duration.seconds(1_000_000)
}
