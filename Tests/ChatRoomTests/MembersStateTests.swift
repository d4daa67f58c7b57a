import ChatRoom
import ChatWire
import Replicas
import TestSupport
import Testing

struct MembersStateTests {
    private let ann = UserName("ann")!
    private let bob = UserName("bob")!

    // MARK: - Laws

    private static func policy(_ seed: UInt64) -> MembersPolicy {
        var policy = MembersPolicy()
        policy.grace = [.zero, .milliseconds(700), .seconds(1), .seconds(5)][Int(seed / 4 % 4)]
        policy.typing = .milliseconds(600)
        policy.shown = [4, 200, 8, 1][Int(seed % 4)]
        policy.remembered = [100, 3, 1, 100, 2][Int(seed % 5)]
        policy.memory = [.seconds(20), .seconds(3)][Int(seed % 2)]
        return policy
    }

    /// Whatever people do, at each revision the list shows the facts and every reader holds the same list. A reader
    /// that comes back from any revision gets what it lacks and nothing else.
    @Test(arguments: UInt64(0)..<150)
    func everyReaderKnowsWhoIsThere(seed: UInt64) {
        var world = MembersWorld(seed: seed, policy: Self.policy(seed))

        for _ in 0..<200 { world.step() }
        world.pass(.seconds(30))

        #expect(world.complaints == [])
        #expect(world.published.count > 20)
        for (reader, replica) in world.followers {
            #expect(replica.rows == world.held.rows && replica.counts == world.held.counts, "\(reader)")
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func aDiffFromAnyRevisionLeavesWhatTheStepsLeave(seed: UInt64) throws {
        var world = MembersWorld(seed: seed, policy: Self.policy(seed))
        for _ in 0..<120 { world.step() }

        for old in world.history {
            let reader = world.follow(from: old)
            let replica = try #require(world.followers[reader])
            #expect(replica.rows == world.held.rows && replica.revision == world.held.revision)
        }
        #expect(world.complaints == [])
    }

    @Test
    func aReaderThatWasBroughtBackIsNotBehindAnyMore() {
        var world = MembersWorld()
        world.come(ann)
        world.come(bob)
        var state = world.state
        _ = state.handle(.subscribe(Reader(9), ref: 1, nil), at: .seconds(1))

        #expect(state.handle(.behind(Reader(9), world.held.revision - 1), at: .seconds(1)) == [])
    }

    @Test
    func aResumeFromWhereTheListIsGetsAnEmptyDiff() throws {
        var world = MembersWorld()
        world.come(ann)
        let resume = world.held.resume()

        var state = world.state
        let effects = state.handle(.subscribe(Reader(9), ref: 1, resume), at: .seconds(1))

        guard case .deliver(Reader(9), ref: 1, .diff(let diff, joined: 0)) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(diff.changeCount == 0 && diff.from == diff.to && diff.counts == [.online: 1, .offline: 0, .invited: 0])
    }

    // MARK: - Rest

    /// Returns a world that ann and bob have left, and the memory of its room.
    private func rest() throws -> (world: MembersWorld, memory: MembersMemory) {
        var world = MembersWorld()
        for reader in [world.come(ann), world.come(bob)] {
            world.pass(.seconds(1))
            world.leave(reader)
        }
        world.pass(.seconds(60))
        var state = world.state
        _ = state.handle(.unsubscribe(MembersWorld.witness), at: world.now)
        return (world, try #require(state.memory))
    }

    /// Returns a room that comes back from that rest, in another epoch.
    private func wake(_ world: MembersWorld, _ memory: MembersMemory) -> MembersState {
        MembersState(
            room: RoomName("lobby")!, epoch: Epoch("n")!, remembering: memory, policy: world.policy)
    }

    @Test
    func aRoomThatComesBackFromRestRemembersWhoWasThere() throws {
        let (world, memory) = try rest()

        var state = wake(world, memory)
        let resumed = state.handle(.subscribe(Reader(9), ref: 2, world.held.resume()), at: world.now)

        guard case .deliver(_, _, .snapshot(let snapshot, .epoch, _)) = resumed.first else {
            Issue.record("\(resumed)")
            return
        }
        #expect(snapshot.rows.map(\.id) == [ann, bob] && snapshot.rows.allSatisfy { $0.section == .offline })
        #expect(snapshot.rows.map(\.sort) == world.held.rows.map(\.sort))
        #expect(snapshot.revision == 1 && snapshot.counts == [.online: 0, .offline: 2, .invited: 0])
    }

    @Test
    func aRoomThatComesBackFromALongRestForgets() throws {
        let (world, memory) = try rest()

        var state = wake(world, memory)
        let effects = state.handle(.subscribe(Reader(8), ref: 1, nil), at: world.now + world.policy.memory)

        guard case .publish(let diff) = effects.dropFirst().first else {
            Issue.record("\(effects)")
            return
        }
        #expect(Set(diff.deletions) == [ann, bob] && diff.counts == [.online: 0, .offline: 0, .invited: 0])
        #expect(state.memory == nil)
    }

    @Test
    func aPersonWhoComesAfterARestChangesSections() throws {
        let (world, memory) = try rest()

        var state = wake(world, memory)
        _ = state.handle(.subscribe(Reader(8), ref: 1, nil), at: world.now)
        let effects = state.handle(.came(Reader(9), ann), at: world.now)

        guard case .publish(let diff) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(diff.from == 1 && diff.moves.map(\.id) == [ann] && diff.moves.map(\.section) == [.online])
        #expect(diff.moves.map(\.sort) == [try #require(world.held[ann]).sort])
    }

    // MARK: - Coming and going

    @Test
    func somebodyWhoComesIsInserted() {
        var world = MembersWorld()

        world.come(ann)

        #expect(world.held.rows == [Member(id: ann, section: .online, sort: 0x616e_6e00_0000 << 4, rev: 1)])
        #expect(world.held.counts == [.online: 1, .offline: 0, .invited: 0])
    }

    @Test
    func aPersonWithTwoConnectionsStandsOnceAndGoesWithTheLast() {
        var world = MembersWorld()
        let first = world.come(ann)
        let second = world.come(ann)
        world.leave(first)
        world.pass(.seconds(60))
        #expect(world.published.count == 1)

        world.leave(second)
        world.pass(.seconds(60))

        #expect(world.published.count == 2)
        #expect(world.published.last?.diff.moves.map(\.section) == [.offline])
    }

    @Test
    func aReturnWithinTheGraceIsNotTold() {
        var world = MembersWorld()
        let reader = world.come(ann)

        world.leave(reader)
        world.pass(.milliseconds(4_999))
        world.come(ann)
        world.pass(.seconds(60))

        #expect(world.published.count == 1)
    }

    @Test
    func withoutGraceSomebodyIsGoneWithTheTick() {
        var policy = MembersPolicy()
        policy.grace = .zero
        var world = MembersWorld(policy: policy)
        let reader = world.come(ann)

        world.leave(reader)
        world.pass(policy.tick)

        #expect(world.held[ann]?.section == .offline)
    }

    @Test
    func whoeverComesAndGoesWithinATickIsForgottenInTimeToo() {
        var policy = MembersPolicy()
        policy.grace = .zero
        var world = MembersWorld(policy: policy)
        world.leave(world.come(ann))
        world.pass(.seconds(1))
        world.come(bob)  // so that the tick is young
        world.leave(world.come(ann))
        world.pass(.seconds(1))
        #expect(world.held[ann]?.section == .offline)

        world.pass(.seconds(24 * 60 * 60))

        #expect(world.held.rows.map(\.id) == [bob])
    }

    @Test
    func whoeverIsGoneIsForgottenInTime() {
        var world = MembersWorld()
        world.leave(world.come(ann))
        world.pass(.seconds(60))
        #expect(world.held[ann]?.section == .offline)

        world.pass(.seconds(24 * 60 * 60))

        #expect(world.published.last?.diff.deletions == [ann])
        #expect(world.held.counts == [.online: 0, .offline: 0, .invited: 0])
    }

    @Test
    func aRoomRestsWhileItRemembersAndIsEmptyAfterwards() {
        var world = MembersWorld()
        #expect(!world.state.isResting)
        world.perform(.unsubscribe(MembersWorld.witness))
        #expect(world.state.isResting && world.state.memory == nil)
        world.leave(world.come(ann))
        world.pass(.seconds(6))
        #expect(world.state.isResting && world.state.memory != nil)

        world.pass(.seconds(24 * 60 * 60))

        #expect(world.state.isResting && world.state.memory == nil && world.wake == nil)
    }

    // MARK: - The tick

    @Test
    func threeThousandWhoComeAreOneDiffForEachTick() {
        var world = MembersWorld()
        for number in 0..<3_000 {
            world.come(UserName("u\(number)")!)
            if number % 3 == 0 { world.pass(.milliseconds(1)) }
        }
        world.pass(.seconds(1))

        #expect(world.published.count == 4)  // at once, then each half second
        #expect(world.held.counts == [.online: 3_000, .offline: 0, .invited: 0])
        #expect(world.held.rows.count == 200)
    }

    @Test
    func nothingRunsForARoomInWhichNothingIsPending() {
        var world = MembersWorld()
        world.come(ann)
        world.come(bob)
        world.pass(.seconds(5))

        #expect(world.wake == nil)
    }

    @Test
    func whatIsUndoneWithinATickIsNotTold() {
        var world = MembersWorld()
        world.come(ann)
        let reader = world.come(bob)
        world.pass(.seconds(1))
        let told = world.published.count
        world.type(reader, .on)  // told at once: all was quiet
        world.type(reader, .off)
        world.type(reader, .on)
        world.pass(.milliseconds(600))

        #expect(world.published.count == told + 1)
    }

    // MARK: - Typing and reading

    @Test
    func typingEndsByItself() {
        var world = MembersWorld()
        let reader = world.come(ann)
        world.pass(.seconds(1))
        world.type(reader, .on)
        #expect(world.held[ann]?.light.isTyping == true)
        world.pass(.seconds(4))
        world.type(reader, .on)

        world.pass(.milliseconds(4_999))
        #expect(world.held[ann]?.light.isTyping == true)
        world.pass(.milliseconds(1))
        #expect(world.held[ann]?.light.isTyping == false)
        #expect(world.published.last?.diff.reconfigurations.map(\.id) == [ann])
        #expect(world.published.last?.diff.changeCount == 1)
    }

    @Test
    func aMessageEndsTyping() {
        var world = MembersWorld()
        let reader = world.come(ann)
        world.type(reader, .on)
        world.pass(.seconds(1))

        world.say(ann)

        #expect(world.held[ann]?.light.isTyping == false)
    }

    @Test
    func goingEndsTyping() {
        var policy = MembersPolicy()
        policy.typing = .seconds(60)
        var state = MembersState(room: RoomName("lobby")!, epoch: MembersWorld.epoch, policy: policy)
        _ = state.handle(.subscribe(MembersWorld.witness, ref: 1, nil), at: .zero)
        _ = state.handle(.came(Reader(1), ann), at: .zero)
        _ = state.handle(.typing(Reader(1), ref: 2, .on), at: .seconds(1))
        _ = state.handle(.left(Reader(1)), at: .seconds(2))

        guard case .publish(let diff) = state.handle(.woken, at: .seconds(7)).first else {
            Issue.record("another effect")
            return
        }

        #expect(diff.moves.map(\.section) == [.offline])
        #expect(diff.reconfigurations.map(\.light.isTyping) == [false])
    }

    @Test
    func whoDiedGetsNoGrace() {
        var world = MembersWorld()
        let reader = world.come(ann)
        world.come(bob)
        var state = world.state
        _ = state.handle(.subscribe(Reader(99), ref: 1, nil), at: .seconds(100))

        guard case .publish(let diff) = state.handle(.died(reader), at: .seconds(200)).first else {
            Issue.record("another effect")
            return
        }
        #expect(diff.moves.map(\.id) == [ann] && diff.moves.map(\.section) == [.offline])
    }

    @Test
    func aReadMarkOnlyGrowsAndIsNotAheadOfTheRoom() {
        var world = MembersWorld()
        let reader = world.come(ann)
        world.read(reader, 7, of: 9)
        world.read(reader, 3, of: 9)
        world.read(reader, 10, of: 9)
        world.pass(.seconds(1))

        #expect(world.held[ann]?.light.read == 7)
        #expect(world.answers.prefix(2) == [.ok(ref: 2, nil), .ok(ref: 2, nil)])
        guard case .error(2, let error) = world.answers.last else {
            Issue.record("another effect")
            return
        }
        #expect(error.code == .badRequest)
    }

    @Test
    func whoeverIsNotThereCannotTypeOrRead() {
        var world = MembersWorld()
        world.perform(.typing(Reader(7), ref: 1, .on))
        world.perform(.read(Reader(7), ref: 2, 0, of: 9))

        let codes: [WireError.Code?] = world.answers.map {
            if case .error(_, let error) = $0 { error.code } else { nil }
        }
        #expect(codes == [.notFound, .notFound])
    }

    // MARK: - The window

    @Test
    func thoseWhoCameFirstAreShownAndTheOthersCounted() {
        var policy = MembersPolicy()
        policy.shown = 2
        var world = MembersWorld(policy: policy)
        let readers = (1...4).map { world.come(UserName("p\($0)")!) }
        world.pass(.seconds(1))
        #expect(world.held.rows.map(\.id.description) == ["p1", "p2"])
        #expect(world.held.counts == [.online: 4, .offline: 0, .invited: 0])

        world.leave(readers[0])
        world.pass(.seconds(6))

        #expect(world.held.rows.map(\.id.description) == ["p2", "p3", "p1"])
        #expect(world.published.last?.diff.insertions.map(\.id.description) == ["p3"])
        #expect(world.held.counts == [.online: 3, .offline: 1, .invited: 0])
    }

    @Test
    func aChangeOfTheCountsAloneIsARevision() {
        var policy = MembersPolicy()
        policy.shown = 1
        var world = MembersWorld(policy: policy)
        world.come(ann)
        world.come(bob)
        world.pass(.seconds(1))

        #expect(world.published.last?.diff.changeCount == 0)
        #expect(world.held.counts == [.online: 2, .offline: 0, .invited: 0] && world.held.revision == 2)
    }

    // MARK: - Resuming

    @Test
    func anotherEpochAndTheFutureGetASnapshotThatSaysSo() {
        var world = MembersWorld()
        world.come(ann)
        world.perform(.subscribe(Reader(7), ref: 1, Resume(epoch: Epoch("x")!, revision: 1, joined: 0)))
        #expect(world.lastReason == .epoch)

        world.perform(.subscribe(Reader(8), ref: 1, Resume(epoch: MembersWorld.epoch, revision: 9, joined: 0)))
        #expect(world.lastReason == .future)
    }
}
