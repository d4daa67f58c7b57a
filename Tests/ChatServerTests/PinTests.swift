import ChatRoom
import ChatServer
package import ChatWire
import PostgresStore
import Replicas
import RoomStore
import TestSupport
import Testing

/// `room/NAME/pins` over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct PinTests {
    private let folder = TemporaryFolder()
    private static let owner = UserName("owner")!
    private static let ids = (0..<5).map { _ in MessageID.random() }

    private func server() throws -> ServerUnderTest {
        try Self.server(of: StoreOfTheRun.current.open(in: folder))
    }

    /// A server with an owner of the room.
    private static func server(of store: some RoomStore) throws -> ServerUnderTest {
        let appointment = Operation(
            command: .random(), author: UserName("root")!, role: .own, time: 0, action: .moderate(.appoint(owner, .own))
        )
        _ = try store.commit([RoomOperation(room: room, operation: appointment)])
        return try ServerUnderTest(store: store)
    }

    private func moderate(_ moderation: Moderation) -> ClientFrame.Request {
        .moderate(room: room, command: .random(), moderation)
    }

    /// Sends some messages, of which the text is their number.
    private func write(_ owner: Connection) async throws {
        for (number, id) in Self.ids.enumerated() { _ = try await owner.answer(to: .say("\(number)", id: id)) }
    }

    // MARK: - The list

    @Test func theListIsInTheOrderOfItsModeratorsAndFollowsItsMessages() async throws {
        let server = try server()
        let owner = try await server.join(as: "owner")
        try await write(owner)
        let bob = try await PinsWatcher(server.join(as: "bob"))
        #expect(bob.texts == [])
        let ids = Self.ids

        for id in ids[1...3] { _ = try await owner.answer(to: moderate(.pin(id, .last))) }
        try await bob.until { $0.texts == ["1", "2", "3"] }
        _ = try await owner.answer(to: moderate(.pin(ids[3], .before(ids[1]))))
        try await bob.until { $0.texts == ["3", "1", "2"] }
        _ = try await owner.answer(to: moderate(.pin(ids[3], .after(ids[1]))))
        try await bob.until { $0.texts == ["1", "3", "2"] }
        _ = try await owner.answer(to: moderate(.pin(ids[0], .before(ids[1]))))
        try await bob.until { $0.texts == ["0", "1", "3", "2"] }
        _ = try await owner.answer(to: .edit(room: room, command: .random(), id: ids[1], "one"))
        try await bob.until { $0.texts == ["0", "one", "3", "2"] }
        _ = try await owner.answer(to: .delete(room: room, command: .random(), id: ids[3]))
        try await bob.until { $0.texts == ["0", "one", "2"] }
        _ = try await owner.answer(to: moderate(.unpin(ids[0])))
        try await bob.until { $0.texts == ["one", "2"] }
        #expect(bob.moves == 2, "a row that is moved is no other row")
        let late = try await PinsWatcher(server.join(as: "carl"))
        #expect(late.list.rows == bob.list.rows)
    }

    /// Its messages are older than all that the room remembers, and nobody follows those.
    @Test func afterARestartWhoComesBackIsSentOnlyWhatHasChanged() async throws {
        var first: ServerUnderTest? = try server()
        let held = try await hold(#require(first))
        first = nil
        let server = try ServerUnderTest(store: try StoreOfTheRun.current.open(in: folder))
        let owner = try await server.join(as: "owner")
        _ = try await owner.answer(to: moderate(.pin(Self.ids[4], .before(Self.ids[0]))))
        let back = try await PinsWatcher(server.join(as: "bob"), holding: held)

        #expect(back.texts == ["4", "0", "1", "2", "3"])
        guard case .diff(_, .pins, _, let diff as ListDiff<Pin>) = back.answer else { throw Unexpected() }
        #expect(diff.insertions.map(\.id) == [Self.ids[4]])
    }

    /// Pins all messages, and returns the list that a reader holds then.
    private func hold(_ server: ServerUnderTest) async throws -> Replica<Pin> {
        let owner = try await server.join(as: "owner")
        try await write(owner)
        for id in Self.ids { _ = try await owner.answer(to: moderate(.pin(id, .last))) }
        let bob = try await PinsWatcher(server.join(as: "bob"))
        #expect(bob.texts == ["0", "1", "2", "3", "4"])
        return bob.list
    }

    @Test func aReaderWhoIsPutOutIsToldAndGetsNothingMore() async throws {
        let server = try server()
        let owner = try await server.join(as: "owner")
        try await write(owner)
        let bob = try await PinsWatcher(server.join(as: "bob"))

        _ = try await owner.answer(to: moderate(.ban(UserName("bob")!)))
        var ending: ListName?
        while ending == nil {
            if case .ended(let list, _) = try await bob.connection.frame() { ending = list }
        }
        #expect(ending == .pins(room))
        let refused = try await bob.connection.answer(to: .subscribe(.pins(room), limit: 50, resume: nil))
        guard case .error(_, let error) = refused else { throw Unexpected() }
        #expect(error.reason == .banned)
    }

    /// Another server sends messages of its own accord, and everything else is read.
    @Test(.enabled(if: StoreOfTheRun.current == .sqlite, "has a database of its own"))
    func aReaderOnAnotherServerSeesTheSame() async throws {
        let address = try PostgresAddress.unused()
        let first = try Self.server(of: PostgresStore(address))
        let second = try ServerUnderTest(store: PostgresStore(address))
        let owner = try await first.join(as: "owner")
        let bob = try await PinsWatcher(second.join(as: "bob"))
        try await write(owner)
        let ids = Self.ids

        for id in ids[1...3] { _ = try await owner.answer(to: moderate(.pin(id, .last))) }
        try await bob.until { $0.texts == ["1", "2", "3"] }
        _ = try await owner.answer(to: moderate(.pin(ids[3], .before(ids[1]))))
        _ = try await owner.answer(to: .edit(room: room, command: .random(), id: ids[1], "one"))
        try await bob.until { $0.texts == ["3", "one", "2"] }
        _ = try await owner.answer(to: .delete(room: room, command: .random(), id: ids[3]))
        _ = try await owner.answer(to: moderate(.unpin(ids[2])))
        try await bob.until { $0.texts == ["one"] }
        #expect(bob.moves <= 1)
    }

    // MARK: - Refusals

    @Test func whatCannotBePinnedIsRefusedWithItsReason() async throws {
        let server = try server()
        let (owner, bob) = (try await server.join(as: "owner"), try await server.join(as: "bob"))
        try await write(owner)
        let ids = Self.ids
        func reason(_ moderation: Moderation, _ connection: Connection) async throws -> WireError.Reason? {
            guard case .error(_, let error) = try await connection.answer(to: moderate(moderation)) else { return nil }
            return error.reason
        }

        #expect(try await reason(.pin(ids[0], .last), bob) == .role)
        #expect(try await reason(.pin(.random(), .last), owner) == .noMessage)
        #expect(try await reason(.pin(ids[0], .after(ids[1])), owner) == .notPinned)
        #expect(try await reason(.unpin(.random()), owner) == nil)
        #expect(try await reason(.pin(ids[0], .last), owner) == nil)
        #expect(try await reason(.unpin(ids[0]), bob) == .role)
        for number in 1..<WireLimits().pins {
            let id = MessageID.random()
            _ = try await owner.answer(to: .say("\(number)", id: id))
            #expect(try await reason(.pin(id, .last), owner) == nil)
        }
        #expect(try await reason(.pin(ids[1], .last), owner) == .pins)
    }

    // MARK: - Random

    /// Two moderators reorder at once, over two connections, while messages are edited and deleted; one reader is there
    /// all the time, and one comes back now and then.
    @Test(arguments: 0..<4)
    func everyReaderConvergesOnOneOrder(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let server = try server()
        let owners = [try await server.join(as: "owner"), try await server.join(as: "owner")]
        let steady = try await PinsWatcher(server.join(as: "bob"))
        var guest = try await PinsWatcher(server.join(as: "carl"))
        var ids: [MessageID] = []
        for step in 0..<120 {
            let other = ids.randomElement(using: &random) ?? .random()
            let id = ids.randomElement(using: &random) ?? .random()
            let request: ClientFrame.Request
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                ids.append(.random())
                request = .say("\(step)", id: ids[ids.count - 1])
            case 2: request = .edit(room: room, command: .random(), id: id, ContentEdit("\(step)!"))
            case 3 where ids.count > 6: request = .delete(room: room, command: .random(), id: id)
            case 4: request = moderate(.unpin(id))
            default:
                let place: PinPlace = other == id ? .last : Bool.random(using: &random) ? .before(other) : .after(other)
                request = moderate(.pin(id, Bool.random(using: &random) ? .last : place))
            }
            owners.randomElement(using: &random)!.send(request)
            guard Int.random(in: 0..<30, using: &random) == 0 else { continue }
            guest.connection.close()
            guest = try await PinsWatcher(server.join(as: "carl"), holding: guest.list)
        }
        for (number, owner) in owners.enumerated() { _ = try await owner.answer(to: .say("end \(number)")) }

        let right = try await PinsWatcher(server.join(as: "dan"))
        for reader in [steady, guest] { try await reader.until { $0.list.revision >= right.list.revision } }
        let last = try await PinsWatcher(server.join(as: "eve"))
        #expect(steady.list.rows == last.list.rows)
        #expect(guest.texts == last.texts)
    }
}

extension Pin: OwnRow {
    package static var list: ListName { .pins(ChatServerTests.room) }
}

private typealias PinsWatcher = ListWatcher<Pin>

extension ListWatcher<Pin> {
    fileprivate var texts: [String] { list.rows.map(\.light.content.text) }
}
