import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// The people who belong to a room, in every store.
struct MembersReadingTests {
    private let folder = TemporaryFolder()
    private static let secret = RoomName(privateRoomOf: id(99))

    @Test(arguments: StoreUnderTest.allCases)
    func theReadingHasThoseAskedForAndTheFirst(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let names = (0..<40).map { UserName("user-\($0 + 10)")! }
        _ = try store.commit(names.enumerated().map { .act(UInt64($0) + 1, .join, by: $1, as: .read) } + [.send(50)])
        _ = try store.commit([], marking: [ReadMark(room: lobby, user: names[30], revision: 35)])

        let reading = try store.members(
            MembersQuery(names: [names[30], names[2], Someone.ann, names[30]], first: 5), of: lobby)

        #expect(reading.counts == MemberCounts(members: 40))
        #expect(reading.people.keys.sorted() == names.prefix(5) + [names[30]])
        #expect(reading.people[names[30]] == RoomMember(names[30], .member, at: 1_031, read: 35))
        #expect(try store.members(MembersQuery(names: [], first: 0), of: lobby).people.isEmpty)
        #expect(try store.members(MembersQuery(names: [], first: 100), of: lobby).people.count == 40)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func invitedPeopleAndRolesAreRead(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([
            .act(99, .create(.private(people: [Someone.bob])), by: Someone.ann, in: Self.secret)
        ])

        let reading = try store.members(MembersQuery(names: [], first: 9), of: Self.secret)

        #expect(reading.counts == MemberCounts(members: 1, invited: 1))
        #expect(reading.people[Someone.ann]?.kind == .member && reading.people[Someone.ann]?.role == .own)
        let bob = try #require(reading.people[Someone.bob])
        #expect((bob.kind, bob.inviter, bob.role, bob.read) == (.invited, Someone.ann, .write, 0))
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aRoomThatDoesNotExistHasNoMembers(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        let reading = try store.members(MembersQuery(names: [Someone.ann], first: 9), of: RoomName("nowhere")!)

        #expect(reading == MembersReading(MemberCounts(), [:]))
    }
}
