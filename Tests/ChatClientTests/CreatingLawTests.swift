import ChatClient
import ChatWire
import Testing

/// A client that creates rooms and speaks in them, over connections that end and with a server that takes few rooms a time.
@Suite struct CreatingLawTests {
    /// The server, and the connection to it, which loses what is under way when it is cut.
    struct World {
        var probe = SessionProbe.ready()
        var random: SeededGenerator
        /// The requests that have not reached the server.
        var under: [ClientFrame] = []
        var created: [RoomName] = []
        var said: [MessageID] = []
        /// What was said in a room that was not there.
        var early: [MessageID] = []
        var outcomes: [CommandID: Command.Outcome] = [:]

        mutating func tell(_ input: SessionInput) {
            for effect in probe.session.handle(input, at: probe.now) {
                switch effect {
                case .send(let frame): under.append(frame)
                case .answered(let command, let outcome): outcomes[command.id] = outcome
                default: break
                }
            }
        }

        /// The server takes the next request, and its answer comes unless the connection ends before.
        mutating func step() {
            guard !under.isEmpty else {
                probe.now = probe.session.deadline ?? probe.now
                return tell(.tick)
            }
            let frame = under.removeFirst()
            let answer = answer(frame)
            if random.chance(0.2) { comeBack() } else { tell(.received(answer)) }
        }

        private mutating func answer(_ frame: ClientFrame) -> ServerFrame {
            switch frame.request {
            case .create(let id, _):
                let room = RoomName(privateRoomOf: id)
                if !created.contains(room) {
                    if random.chance(0.3) {
                        return .error(ref: frame.ref, WireError(.sends, "later", retryAfter: 100))
                    }
                    created.append(room)
                }
                return .ok(ref: frame.ref, ServerFrame.Effect(list: .messages(room), revision: 1))
            case .send(let room, let id, _):
                guard created.contains(room) else {
                    early.append(id)
                    return .error(ref: frame.ref, WireError(.role, "no such room"))
                }
                if !said.contains(id) { said.append(id) }
                return .ok(ref: frame.ref, ServerFrame.Effect(list: .messages(room), revision: 2))
            default: return .pong(ref: frame.ref)
            }
        }

        private mutating func comeBack() {
            under = []
            tell(.disconnected(.silent))
            while under.isEmpty {
                probe.now = probe.session.deadline ?? probe.now
                tell(.tick)
                tell(.connected)
            }
            let hello = under.removeFirst()
            tell(.received(.welcome(ref: hello.ref, probe.welcome)))
        }
    }

    @Test(arguments: UInt64(0)..<100)
    func eachRoomIsMadeOnceAndBeforeAnythingIsSaidThere(seed: UInt64) throws {
        var world = World(random: SeededGenerator(seed: seed))
        var rooms: [RoomName] = []

        for number in UInt64(0)..<8 {
            let make = Command(id: SessionProbe.id(100 + number), creating: .private(people: [], title: nil))
            rooms.append(try #require(make.room))
            world.tell(.command(make))
            let say = RoomAction.send("hello")
            world.tell(.command(Command(id: SessionProbe.id(200 + number), room: rooms[Int(number)], action: say)))
            while world.random.chance(0.5) { world.step() }
        }
        for _ in 0..<10_000 where world.probe.session.unanswered > 0 { world.step() }

        #expect(world.early == [])
        #expect(Set(world.created) == Set(rooms) && world.created.count == 8 && world.said.count == 8)
        #expect(world.outcomes.count == 16 && world.outcomes.values.allSatisfy { $0.isDone })
    }
}

extension Command.Outcome {
    fileprivate var isDone: Bool {
        if case .done = self { true } else { false }
    }
}
