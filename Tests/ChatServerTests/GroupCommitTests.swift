import ChatWire
import Dispatch
import RoomStore
import TestSupport
import Testing

@testable import ChatServer

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct GroupCommitTests {
    /// This holds even if the rooms are on several queues; otherwise the disk would be synchronised for each of them.
    @Test
    func whatComesTogetherIsOneTransaction() throws {
        let server = try ServerUnderTest { ($0.shards, $0.commitPatience) = (4, .seconds(3_600)) }
        let ann = try RawReader(port: server.server.port)
        try ann.say(ClientFrame(ref: 0, request: .hello(.user(UserName("ann")!))))
        _ = try ann.nextFrame()
        let rooms = (0..<6).map { RoomName("r\($0)")! }
        let rounds = 30

        for _ in 0..<rounds {
            try ann.say(
                rooms.map { room in
                    ClientFrame(ref: 1, request: .send(room: room, id: .random(), "x"))
                })
            for _ in rooms { guard case .ok = try ann.nextFrame() else { throw Unexpected() } }
        }

        let metrics = server.server.metricsText.split(separator: "\n")
        #expect(
            metrics.filter { $0.hasPrefix("diffroom_commit_operations_") }.suffix(2) == [
                "diffroom_commit_operations_sum \(rounds * rooms.count).0",
                "diffroom_commit_operations_count \(rounds)",
            ])
    }

    /// The operations came together, and one shard is at something else for long.
    @Test
    func aSlowShardDoesNotHoldUpTheOperationsOfOthers() throws {
        let server = try ServerUnderTest { $0.shards = 2 }
        let chat = server.server
        let rooms = (0..<64).map { RoomName("r\($0)")! }
        let slow = rooms[0]
        let fast = try #require(rooms.first { chat.shard(of: $0) !== chat.shard(of: slow) })
        let ann = try RawReader(port: chat.port)
        try ann.say(ClientFrame(ref: 0, request: .hello(.user(UserName("ann")!))))
        _ = try ann.nextFrame()
        let mayGoOn = DispatchSemaphore(value: 0)
        chat.shard(of: slow).people(of: slow) { _ in mayGoOn.wait() }
        defer { mayGoOn.signal() }

        try ann.say(
            [(UInt64(1), slow), (2, fast)].map { ref, room in
                ClientFrame(ref: ref, request: .send(room: room, id: .random(), "x"))
            })

        guard case .ok(ref: 2, _) = try ann.nextFrame() else { throw Unexpected() }
        mayGoOn.signal()
        guard case .ok(ref: 1, _) = try ann.nextFrame() else { throw Unexpected() }
    }
}
