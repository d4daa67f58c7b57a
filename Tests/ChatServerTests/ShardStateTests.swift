import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing
import WebSocketTransport

@testable import ChatServer

struct ShardStateTests {
    private static let ann = UserName("ann")!

    private static func subscribe(_ reader: Reader, to room: RoomName) -> ShardInput {
        let visitor = Visitor(user: ann, grant: .own)
        return .request(.subscribe(.messages, visitor, ref: 1, limit: 50, nil), reader, room)
    }

    private static func send(_ number: UInt64, _ text: String = "x", to room: RoomName, by reader: Reader) -> ShardInput
    {
        let operation = Operation(
            command: CommandID(high: 0, low: number), author: ann, role: .own, time: Milliseconds(number),
            action: .send(MessageContent(text)))
        return .request(.operate(ref: 2, operation), reader, room)
    }

    /// However many rooms it was in: one submission to the committer, then one list for each event loop.
    @Test
    func whatComesTogetherIsOneSubmissionAndOneListForEachLoop() throws {
        let shard = ShardUnderTest(loops: 2)
        let rooms = (0..<5).map { RoomName("r\($0)")! }
        let readers = (0..<2).map { ShardUnderTest.reader(1, onLoop: $0) }
        _ = try shard.settle(readers.flatMap { reader in rooms.map { Self.subscribe(reader, to: $0) } })

        let decisions = try shard.settle(
            rooms.enumerated().map { Self.send(UInt64($0), to: $1, by: readers[0]) })

        #expect(decisions.count == 2)
        #expect(decisions[0].commits.map(\.room) == rooms)
        #expect(decisions[0].loops.map(\.commands.count) == [0, 0])
        #expect(decisions[1].commits.isEmpty)
        for loop in decisions[1].loops {
            let appended = loop.commands.count(where: \.isAppend)
            #expect(appended == rooms.count)
        }
    }

    /// Whatever the order in which hash tables have their keys, which is another in each.
    @Test(arguments: UInt64(0)..<20)
    func theSameInputsAreDecidedAlike(seed: UInt64) throws {
        func play() throws -> [String] {
            var random = SplitMix64(seed: seed)
            let shard = ShardUnderTest(loops: 2)
            let rooms = (0..<8).map { RoomName("r\($0)")! }
            var told: [String] = []
            for number in 0..<60 as Range<UInt64> {
                let room = rooms.randomElement(using: &random)!
                let reader = ShardUnderTest.reader(UInt64.random(in: 1...6, using: &random), onLoop: number % 2)
                let input: ShardInput =
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0...1: Self.subscribe(reader, to: room)
                    case 2: .request(.unsubscribe(.messages), reader, room)
                    case 3: .people(.missed, nil)
                    default: Self.send(number, to: room, by: reader)
                    }
                told += try shard.settle([input]).flatMap(\.plain)
            }
            return told
        }

        let (first, second) = (try play().map(Self.withoutEpochs), try play().map(Self.withoutEpochs))

        #expect(first == second)
    }

    /// A store in memory has an epoch of its own.
    private static func withoutEpochs(_ text: String) -> String {
        text.replacing(/"epoch":"[^"]*"/, with: "")
    }

    /// Rooms keep the last rows only, as many as have some size, and count it. When memory is short, they keep the last 64.
    @Test
    func roomsOfLongMessagesHaveABoundedSizeThatCounts() throws {
        let shard = ShardUnderTest(loops: 1)
        let (rooms, text) = ((0..<10).map { RoomName("r\($0)")! }, String(repeating: "x", count: 8_192))
        let reader = ShardUnderTest.reader(1, onLoop: 0)
        // The cost of a room with its one person, and of a row beside its text.
        let (roomBytes, rowBytes) = (8_192 + 512, 256)
        var held = 0
        func settle(_ inputs: [ShardInput]) throws {
            held = try shard.settle(inputs).reduce(held) { $0 + $1.growth.rowBytes }
        }

        try settle(rooms.map { Self.subscribe(reader, to: $0) })
        for number in 0..<400 as Range<UInt64> {
            try settle(rooms.map { Self.send(number, text, to: $0, by: reader) })
            #expect(held <= rooms.count * 2 << 20)
        }
        #expect(held >= rooms.count * 64 * text.utf8.count)

        try settle([.pressed])
        #expect(held == rooms.count * (roomBytes + 64 * (text.utf8.count + rowBytes)))

        // The rooms themselves stay for as long as their reader may come back.
        try settle(rooms.map { .request(.unsubscribe(.messages), reader, $0) })
        #expect(held == rooms.count * roomBytes)
    }

    /// A room stays open while pages of it are under way, and must not go by rules that have long changed elsewhere.
    @Test
    func whoeverOnlyReadsPagesHearsOfOtherServersOperationsButNotOfTheirPeople() throws {
        let shard = ShardUnderTest(loops: 1) { $0.isShared = true }
        let room = RoomName("r")!
        let reader = ShardUnderTest.reader(1, onLoop: 0)
        let page = SessionRequest.page(Visitor(user: Self.ann, grant: .own), ref: 1, .before(9), limit: 32)

        let first = try shard.settle([.request(page, reader, room)]).flatMap(\.peers)
        let both = try shard.settle([.request(page, reader, room), Self.subscribe(reader, to: room)]).flatMap(\.peers)

        #expect(first == [.follow(room, withPeople: false), .leave(room)])
        #expect(
            both.filter { $0.isAboutRevisions } == [
                .follow(room, withPeople: false), .follow(room, withPeople: true),
            ])
    }

    /// Frames on their way to a loop count against no budget, so there are never many.
    @Test
    func aMegabyteIsHandedOverBeforeTheRestIsDecided() throws {
        let store = InMemoryStore()
        let room = RoomName("r")!
        let shard = ShardUnderTest(loops: 1, on: store)
        let writer = ShardUnderTest.reader(1, onLoop: 0)
        for number in 0..<40 as Range<UInt64> {
            _ = try shard.settle([Self.send(number, String(repeating: "x", count: 4_000), to: room, by: writer)])
        }
        _ = try shard.settle([Self.subscribe(writer, to: room)])

        let herd = (2..<40).map { Self.subscribe(ShardUnderTest.reader($0, onLoop: 0), to: room) }
        let (decision, rest) = shard.take(herd)

        let attached = decision.loops[0].commands.count(where: \.isAttach)
        #expect(!rest.isEmpty && attached + rest.count == herd.count)
    }
}

extension ShardDecision.PeerNote {
    fileprivate var isAboutRevisions: Bool {
        switch self {
        case .follow, .leave: true
        case .announce: false
        }
    }
}

extension LoopCommand {
    fileprivate var isAppend: Bool {
        if case .append = self { true } else { false }
    }

    fileprivate var isAttach: Bool {
        if case .attach = self { true } else { false }
    }
}

extension ShardDecision {
    fileprivate var plain: [String] {
        loops.indices.flatMap { loop in loops[loop].commands.map { "\(loop) \($0.plain)" } }
            + commits.map { "commit \($0.room) \($0.ticket)" } + alarms.map { "wake \($0.alarm)" }
    }
}
