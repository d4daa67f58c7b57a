import ChatRoom
import ChatServer
import ChatWire
import Replicas
import TestSupport
import Testing

/// The list of a room's members and its pages, over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct MemberListTests {
    private let folder = TemporaryFolder()

    private func server() throws -> ServerUnderTest {
        try ServerUnderTest(store: StoreOfTheRun.current.open(in: folder)) { $0.members.tick = .milliseconds(20) }
    }

    private func page(
        _ search: MembersSearch, of room: RoomName = room, _ connection: Connection
    ) async throws -> MembersPage {
        let answer = try await connection.answer(to: .membersPage(room, search))
        guard case .page(_, .members(room), _, let page as MembersPage) = answer else { throw Unexpected() }
        return page
    }

    /// A private room with two people shows both, whoever is there, also after a restart of the server.
    @Test func membersWhoHaveLeftAreListed() async throws {
        let secret = RoomName(privateRoomOf: UniqueID(high: 0, low: 1))
        do {
            let server = try server()
            let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
            let create = ClientFrame.Request.create(
                UniqueID(high: 0, low: 1), .private(people: [UserName("bob")!, UserName("cid")!]))
            #expect(try await ann.answer(to: create).errorCode == nil)
            #expect(try await bob.answer(to: .join(secret)).errorCode == nil)
            #expect(try await bob.answer(to: .send(room: secret, id: .random(), "hello")).errorCode == nil)
            withExtendedLifetime(server) {}
        }
        let server = try server()
        let ann = try await server.join(as: "ann")

        let rows = try await MembersWatcher(ann, of: secret).members.rows

        #expect(rows.map(\.id.description) == ["ann", "bob", "cid"])
        #expect(rows.map(\.section) == [.offline, .offline, .invited])
        #expect(rows[0].light.role == .own && rows[0].light.since != nil)
        #expect(rows[1].light.read == 3 && rows[1].light.since != nil)
        #expect(rows[2].light.since == nil && rows[2].light.inviter == UserName("ann")!)
    }

    @Test func aMemberWhoJoinsIsAppointedAndLeavesIsFollowed() async throws {
        let server = try server()
        let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        #expect(try await ann.answer(to: .create(.random(), .open(room))).errorCode == nil)
        let list = try await MembersWatcher(ann)

        #expect(try await bob.answer(to: .join(room)).errorCode == nil)
        try await list.until { $0["bob"]?.light.since != nil }
        let appoint = ClientFrame.Request.moderate(
            room: room, command: .random(), .appoint(UserName("bob")!, .moderate))
        #expect(try await ann.answer(to: appoint).errorCode == nil)
        try await list.until { $0["bob"]?.light.role == .moderate }
        #expect(try await bob.answer(to: .leave(room)).errorCode == nil)
        try await list.until { $0["bob"] == nil }
    }

    @Test func pagesHaveMembersWithoutRowsByNameAndByDisplayName() async throws {
        let desk = try AdminDesk(store: StoreOfTheRun.current.open(in: folder)) { $0.members.listed = 2 }
        let ann = try await desk.server.join(as: "ann")
        for name in ["ann", "anna", "bob", "zoe"] {
            let member = try await desk.server.join(as: name)
            #expect(try await member.answer(to: .join(room)).errorCode == nil)
        }
        #expect(try desk.post("profile", #"{"user":"zoe","name":"Uncle Ánn","picture":""}"#).status == 200)

        let first = try await page(MembersSearch(limit: 3), ann)
        let rest = try await page(MembersSearch(after: first.after, limit: 3), ann)
        let found = try await page(MembersSearch("AN", limit: 9), ann)
        let both = try await page(MembersSearch("ann uncle", limit: 9), ann)

        #expect(first.rows.map(\.id.description) == ["ann", "anna", "bob"] && first.after == UserName("bob")!)
        #expect(rest.rows.map(\.id.description) == ["zoe"] && rest.after == nil)
        #expect(found.rows.map(\.id.description) == ["ann", "anna", "zoe"] && found.after == nil)
        #expect(both.rows.map(\.id.description) == ["zoe"])
        #expect(rest.rows.map(\.section) == [.offline] && rest.rows[0].light.since != nil)
    }

    @Test func outsidersOfAPrivateRoomGetNoPages() async throws {
        let server = try server()
        let (ann, eve) = (try await server.join(as: "ann"), try await server.join(as: "eve"))
        let secret = RoomName(privateRoomOf: UniqueID(high: 0, low: 1))
        #expect(try await ann.answer(to: .create(UniqueID(high: 0, low: 1), .private(people: []))).errorCode == nil)

        let answer = try await eve.answer(to: .membersPage(secret, MembersSearch(limit: 9)))

        #expect(answer.errorCode == .forbidden)
    }
}
