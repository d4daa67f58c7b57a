import ChatWire
import Testing

@testable import ChatRoom

/// Who owns an open room.
struct OpenRoomFoldTests {
    private let ann = UserName("ann")!
    private let new = RoomAction.create(.open(RoomName("tea")!, title: RoomTitle("Tea")))

    private func fold(
        _ action: RoomAction, as role: Role = .write, memberships: Int = 0, founding: Operation.Founding = .counted,
        under rules: RoomRules = RoomRules(of: .open), at revision: Revision = 1
    ) throws(Refusal) -> RowChange {
        var operation = Operation(command: .random(), author: ann, role: role, time: 5, action: action)
        operation.founding = founding
        var limits = WireLimits()
        limits.memberships = 2
        return try operation.fold(
            onto: nil, by: .guest(RoomCounts(atMost: memberships)), under: rules, at: revision, limits: limits)
    }

    @Test func whoCreatesAnOpenRoomOwnsItAndIsAMember() throws {
        let change = try fold(new)

        #expect(change == .created([Affiliation(ann, Standing(role: .own), .member)], title: RoomTitle("Tea")))
        var rules = RoomRules(of: .open)
        rules.apply(change)
        #expect(rules.role(of: ann, granted: .read) == .own && rules.title == RoomTitle("Tea"))
        #expect(rules.role(of: UserName("bob")!, granted: .write) == .write)
    }

    @Test(arguments: [RoomAction.send("first!"), .join])
    func whoIsTheFirstToSpeakOrJoinOwnsNothing(action: RoomAction) throws {
        #expect(try fold(action).standings.isEmpty)
    }

    @Test func aRoomThatIsThereIsTaken() {
        #expect(throws: Refusal.roomTaken) { try fold(new, at: 2) }
    }

    @Test func whoMayNotWriteThereDoesNotLearnWhetherItIsThere() {
        for revision in [1, 2] as [Revision] {
            #expect(throws: Refusal.notGranted(.write, .read)) { try fold(new, as: .read, at: revision) }
        }
        let banned = RoomRules(of: .open, standings: [ann: Standing(isBanned: true)])
        #expect(throws: Refusal.shutOut(.write)) { try fold(new, under: banned, at: 2) }
    }

    @Test func itCountsAsARoomAndAsAMembership() {
        #expect(throws: Refusal.tooManyRooms(wait: 9)) { try fold(new, founding: .refused(wait: 9)) }
        #expect(throws: Refusal.tooManyMemberships(most: 2)) { try fold(new, memberships: 2) }
    }
}
