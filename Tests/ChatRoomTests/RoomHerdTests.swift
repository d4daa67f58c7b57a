import ChatRoom
import ChatWire
import TestSupport
import Testing

/// The work that a herd makes for one room: as much for each reader, however many others wait. See ``isLinear(from:_:)``.
@Suite(.serialized, .timeLimit(.minutes(Deadline.minutes)))
struct RoomHerdTests {
    /// A room, and how many readers return to it from so long ago that the store must say what they hold.
    private struct Herd: ~Copyable {
        var world = RoomWorld(seed: 3)
        let size: UInt64
        private let resume = Resume(epoch: RoomWorld.epoch, revision: 3, joined: 0, ranges: [0...3])

        init(of size: UInt64) {
            self.size = size
            for _ in 0..<100 { world.commitElsewhere() }
        }

        /// - Returns: what the room asks the store.
        mutating func subscribe() -> [RoomState.Effect] {
            (0..<size).flatMap { number in
                world.state.handle(.subscribe(Reader(number), .ann, ref: number, limit: 32, resume))
            }
        }

        mutating func answerRead() -> [RoomState.Effect] {
            world.state.handle(.read(world.model.reading(tail: 64, since: nil)))
        }

        mutating func leave() -> [RoomState.Effect] {
            (0..<size).flatMap { world.state.handle(.unsubscribe(Reader($0))) }
        }
    }

    @Test
    func whoReturnsFromLongAgoCostsTheSameBesideOthersWhoDo() {
        let isLinear = isLinear(from: UInt64(150)) { size in
            var herd = Herd(of: size)
            _ = herd.subscribe()
            let asked = herd.answerRead()
            guard case .readHeld(let query, _, _) = asked.first else { return .max }
            let reading = herd.world.model.held(query, vouchingFor: [0...3])
            var delivered = 0
            let work = work {
                for case .readHeld(_, let ticket, _) in asked {
                    delivered += herd.world.state.handle(.held(ticket, .success(reading))).count
                }
            }
            #expect(delivered == Int(size))
            return work
        }

        #expect(isLinear)
    }

    @Test
    func whoComesAndLeavesWhileTheStoreIsSlowCostsTheSameBesideOthersWhoDo() {
        let isLinear = isLinear(from: UInt64(150)) { size in
            var herd = Herd(of: size)
            return work {
                #expect(herd.subscribe().count == 1, "one read for all")
                #expect(herd.leave().count == Int(size))
            }
        }

        #expect(isLinear)
    }

    @Test
    func whoLeavesWhileItsRowsAreReadCostsTheSameBesideOthersWhoDo() {
        let isLinear = isLinear(from: UInt64(150)) { size in
            var herd = Herd(of: size)
            _ = herd.subscribe()
            #expect(herd.answerRead().count == Int(size))
            return work { #expect(herd.leave().count == Int(size)) }
        }

        #expect(isLinear)
    }
}
