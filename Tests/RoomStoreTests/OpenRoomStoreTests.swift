import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// Open rooms that somebody creates, in every store.
struct OpenRoomStoreTests {
    private let folder = TemporaryFolder()
    private static let tea = RoomName("tea")!

    private static func create(
        _ number: UInt64, title: RoomTitle? = RoomTitle("Tea"), by author: UserName = Someone.ann,
        as role: Role = .write, in room: RoomName = tea
    ) -> RoomOperation {
        .act(number, .create(.open(room, title: title)), by: author, as: role, in: room)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whoCreatesItOwnsItAndIsAMember(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let slower = RoomOperation.act(2, .moderate(.slowMode(9)), by: Someone.ann, as: .read, in: Self.tea)

        let outcomes = try store.commit([Self.create(1), slower])

        #expect(outcomes.map(\.revision) == [1, 2])
        let rules = try store.read(Self.tea, tail: 0, since: nil, atMost: 0).rules
        #expect(rules.standings == [Someone.ann: Standing(role: .own)])
        #expect(rules.title == RoomTitle("Tea") && rules.slowMode == 9)
        let membership = try #require(try store.memberships(of: [Someone.ann], in: Self.tea)[Someone.ann])
        #expect((membership.kind, membership.joined, membership.read) == (.member, 1, 1))
        #expect(membership.standing == Standing(role: .own) && membership.title == RoomTitle("Tea"))
        let stranger = RoomOperation.act(3, .moderate(.slowMode(0)), by: Someone.bob, in: Self.tea)
        #expect(try store.commit([stranger]) == [.refused(.notGranted(.moderate, .write))])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aNameIsTakenOnceAndARepeatIsItsFirstAnswer(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let other = Self.create(2, by: Someone.bob)

        #expect(try store.commit([Self.create(1), Self.create(1), other]).map(\.revision) == [1, nil, nil])
        #expect(try store.commit([Self.create(1), other]) == [.repeated(1), .refused(.roomTaken)])
        let others = [Self.create(1, title: nil), Self.create(1, by: Someone.bob), Self.create(3, as: .read)]
        #expect(try store.commit(others) == [.conflict, .conflict, .refused(.roomTaken)])
        let reader = Self.create(3, by: Someone.bob, as: .read)
        #expect(try store.commit([reader]) == [.refused(.notGranted(.write, .read))])
        #expect(try store.commit([.send(4), Self.create(5, in: lobby)]).last == .refused(.roomTaken))
        #expect(try store.read(lobby, tail: 0, since: nil, atMost: 0).rules.standings.isEmpty)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func theOperationAndTheAuditLogReadBack(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let bare = RoomName("bare")!

        _ = try store.commit([Self.create(1), Self.create(1, title: nil, in: bare)])

        for (room, new) in [(Self.tea, NewRoom.open(Self.tea, title: RoomTitle("Tea"))), (bare, .open(bare))] {
            #expect(try store.operations(room, since: 0, limit: 9).map(\.operation.action) == [.create(new)])
            #expect(try store.audit(room, before: .max, limit: 9).entries.map(\.deed) == [.created(new)])
        }
    }
}
