import ChatClient
import ChatWire
import TestSupport
import Testing

/// A client heeds how many requests the server takes at once, whatever they are.
@Suite struct PendingTests {
    typealias Probe = SessionProbe

    /// A session, and a server that answers in any order.
    private struct World {
        let limit: Int
        var probe: Probe
        /// The requests that wait for their answers.
        var asked: [(ref: UInt64, request: ClientFrame.Request)] = []
        var subscribed: Set<ListName> = []
        var sent: UInt64 = 0

        init(limit: Int) {
            self.limit = limit
            probe = Probe.ready(pending: limit)
        }

        mutating func tell(_ input: SessionInput) {
            for case .send(let ref, let request) in probe.tell(input) {
                asked.append((ref, request))
                if case .send = request { sent += 1 }
                if case .subscribe(let list, _, _) = request { subscribed.insert(list) }
                if case .unsubscribe(let list) = request { #expect(subscribed.remove(list) != nil) }
                #expect(asked.count { $0.request.isPending } <= limit)
            }
        }

        mutating func answer(_ index: Int) {
            let (ref, request) = asked.remove(at: index)
            tell(.received(request.answer(ref: ref)))
        }
    }

    /// Whatever is opened, closed, said and answered, in any order.
    @Test(arguments: UInt64(0)..<200)
    func thereAreNeverMorePendingRequestsThanTheServerTakes(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var world = World(limit: .random(in: 1...4, using: &random))
        let rooms = (0..<6).compactMap { RoomName("r\($0)") }
        var commands: UInt64 = 0
        var isOpen: Set<RoomName> = []

        for _ in 0..<120 {
            let room = rooms.randomElement(using: &random)!
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3 where !world.asked.isEmpty: world.answer(.random(in: world.asked.indices, using: &random))
            case 4:
                world.tell(.open(room, limit: 50))
                isOpen.insert(room)
            case 5:
                world.tell(.close(room))
                isOpen.remove(room)
            case 6...7:
                commands += 1
                world.tell(.command(Probe.command(commands)))
            default: break
            }
        }
        while !world.asked.isEmpty { world.answer(0) }

        #expect(world.probe.session.unanswered == 0 && world.sent == commands)
        #expect(world.subscribed == Set(isOpen.map { .messages($0) }))
    }
}

extension ClientFrame.Request {
    fileprivate var isPending: Bool {
        switch self {
        case .hello, .token, .ping, .unsubscribe: false
        default: true
        }
    }

    fileprivate func answer(ref: UInt64) -> ServerFrame {
        guard case .subscribe(let list, _, _) = self else { return .ok(ref: ref, nil) }
        let empty = ListSnapshot<Message>(revision: 0, rows: [], more: false, proof: ListProof(count: 0, digest: 0))
        return .snapshot(
            ref: ref, list, ServerFrame.Snapshot(epoch: SessionProbe.epoch, joined: 0, why: .fresh, snapshot: empty))
    }
}
