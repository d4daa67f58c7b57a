import ChatRoom
import ChatWire
import Replicas
import TestSupport
import Testing

/// The list of members has everyone who belongs to the room, in whatever order the store and the news answer.
struct MembershipListTests {
    private let ann = UserName("ann")!
    private let bob = UserName("bob")!
    private let cid = UserName("cid")!

    private static func policy(_ seed: UInt64) -> MembersPolicy {
        var policy = MembersPolicy()
        policy.grace = [.zero, .seconds(1)][Int(seed / 2 % 2)]
        policy.shown = [200, 3][Int(seed % 2)]
        policy.listed = [200, 4, 8, 1][Int(seed / 3 % 4)]
        policy.remembered = [100, 2][Int(seed / 5 % 2)]
        policy.retry = .milliseconds(700)
        policy.reload = [nil, .seconds(3)][Int(seed / 7 % 2)]
        return policy
    }

    @Test(arguments: UInt64(0)..<150)
    func theListEqualsARecountOnceAllIsRead(seed: UInt64) {
        let names = MembersWorld.names.prefix(Int(seed % 15))
        let stored = names.map { ($0, RoomMember($0, $0 == names.last ? .invited : .member, at: 3, read: 2)) }
        var world = MembersWorld(
            seed: seed, policy: Self.policy(seed), memberships: Dictionary(stored) { $1 })

        for _ in 0..<250 { world.step() }
        world.settleMemberships()

        #expect(world.complaints == [])
        #expect(world.differencesFromRecount() == [])
        for (reader, replica) in world.followers {
            #expect(replica.rows == world.held.rows && replica.counts == world.held.counts, "\(reader)")
        }
    }

    @Test
    func membersWhoAreNotThereAndInvitedPeopleHaveRows() {
        let world = MembersWorld(memberships: [
            ann: RoomMember(ann, .member, at: 7, read: 12, role: .own),
            bob: RoomMember(bob, .member, at: 8), cid: RoomMember(cid, .invited, at: 9, by: ann),
        ])

        #expect(world.held.rows.map(\.id) == [ann, bob, cid])
        #expect(world.held.rows.map(\.section) == [.offline, .offline, .invited])
        #expect(world.held[ann]?.light == Member.Light(read: 12, since: 7, role: .own))
        #expect(world.held[cid]?.light == Member.Light(inviter: ann))
        #expect(world.held.counts == [.online: 0, .offline: 2, .invited: 1])
    }

    @Test
    func ofALargeRoomTheFirstMembersHaveRowsAndTheOthersAreCounted() throws {
        let names = (0..<1_000).map { UserName("m\(10_000 + $0)")! }
        var world = MembersWorld(
            memberships: Dictionary(names.map { ($0, RoomMember($0, .member, at: 1)) }) { $1 })
        #expect(world.held.rows.map(\.id) == Array(names.prefix(200)))
        #expect(world.held.counts == [.online: 0, .offline: 1_000, .invited: 0])

        world.come(names[700])
        world.settleMemberships()

        #expect(try #require(world.held[names[700]]).light.since == 1)
        #expect(world.held.counts == [.online: 1, .offline: 999, .invited: 0])
    }

    @Test
    func theCountsFollowAMemberWithoutARowWhoLeaves() {
        let names = (0..<1_000).map { UserName("m\(10_000 + $0)")! }
        var world = MembersWorld(
            memberships: Dictionary(names.map { ($0, RoomMember($0, .member, at: 1)) }) { $1 })

        world.remove(names[700])
        world.settleMemberships()

        #expect(world.held.counts == [.online: 0, .offline: 999, .invited: 0])
    }

    @Test
    func aMemberWhoLeavesTheRoomForGoodHasNoRow() {
        var world = MembersWorld(memberships: [ann: RoomMember(ann, .member, at: 7)])
        world.remove(ann)
        world.settleMemberships()

        #expect(world.held.rows.isEmpty)
        #expect(world.held.counts == [.online: 0, .offline: 0, .invited: 0])
    }

    @Test
    func aMarkOfAMemberWhoIsNotThereIsShown() {
        var world = MembersWorld(memberships: [ann: RoomMember(ann, .member, at: 7, read: 3)])
        world.perform(.readAll(ann, 9))
        world.pass(.seconds(1))

        #expect(world.held[ann]?.light.read == 9)
    }

    @Test
    func aReaderIsToldThatTheStoreDidNotAnswer() {
        var state = MembersState(
            room: RoomName("lobby")!, epoch: MembersWorld.epoch, policy: MembersPolicy())

        let asked = state.handle(.membershipsRequested, at: .zero)
        let failed = state.handle(.loadingFailed(.superseded, number: 1), at: .seconds(1))

        #expect(asked == [.load(MembersQuery(names: [], first: 200), number: 1)])
        #expect(failed == [.membershipsUnavailable(.superseded)])
        #expect(state.isResting && !state.hasMemberships)
    }
}
