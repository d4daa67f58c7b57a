import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing
import WebSocketTransport

@testable import ChatServer

/// Rooms that know the standings of some people only.
@Suite struct PartialStandingsTests {
    private let store = InMemoryStore()
    private let shard: ShardUnderTest
    private let room = RoomName("r")!
    private static let (ann, eve) = (UserName("ann")!, UserName("eve")!)
    private let annReader = ShardUnderTest.reader(1, onLoop: 0)
    private let eveReader = ShardUnderTest.reader(2, onLoop: 0)

    init() throws {
        shard = ShardUnderTest(loops: 1, on: store) { ($0.isShared, $0.fewStandings) = (true, 0) }
        try commit(.send("a secret"))
        try commit(.moderate(.mute(UserName("dan")!, for: 365 * 86_400_000)))
    }

    /// Commits an operation as another server does, of which the shard is not notified.
    private func commit(_ action: RoomAction) throws {
        let operation = Operation(
            command: .random(), author: UserName("root")!, role: .own, time: 1_700_000_000_000, action: action)
        let outcomes = try store.commit([RoomOperation(room: room, operation: operation)])
        guard case .committed? = outcomes.first else { throw Unexpected() }
    }

    /// Returns what the decisions send to a connection.
    private func sent(_ decisions: [ShardDecision], to reader: Reader) -> [String] {
        decisions.flatMap { $0.loops.flatMap(\.commands) }.map(\.plain).filter {
            $0.hasPrefix("send \(reader.connection.rawValue) ")
        }
    }

    /// Returns the frames for ann, who has requested a page. Another server bans a user while the store reads the page, and the
    /// room then reads the standings of its reader eve only.
    private func framesForAnn(banning user: UserName) throws -> [String] {
        let subscribe = SessionRequest.subscribe(
            .messages, Visitor(user: Self.eve, grant: .write), ref: 1, limit: 50, nil)
        _ = try shard.settle([.request(subscribe, eveReader, room)])
        let page = SessionRequest.page(Visitor(user: Self.ann, grant: .write), ref: 7, .before(9), limit: 32)
        let asking = shard.take([.request(page, annReader, room)]).decision
        let admitted = shard.take(try asking.queries.map(shard.answer)).decision
        let answer = try admitted.queries.map(shard.answer)  // the page, as of before the ban
        try #require(answer.count == 1)

        try commit(.moderate(.ban(user)))
        let announced = shard.take([.announced(3, room)]).decision
        let forEve = shard.take(try announced.queries.map(shard.answer)).decision
        return sent([announced, forEve] + (try shard.settle(answer)), to: annReader)
    }

    @Test func aPageIsNotSentToAUserWhomAnotherServerBansWhileItIsRead() throws {
        let frames = try framesForAnn(banning: Self.ann)

        #expect(frames.count == 1 && frames[0].contains(#""error":"forbidden""#), "\(frames)")
        #expect(!frames.contains { $0.contains("secret") })
    }

    @Test func aPageIsSentToAUserWhoIsNotBannedThoughTheRoomHasReadForOthersMeanwhile() throws {
        let frames = try framesForAnn(banning: UserName("cid")!)

        #expect(frames.count == 1 && frames[0].contains("a secret"), "\(frames)")
    }
}
