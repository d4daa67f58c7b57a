import ChatRoom
import ChatServer
import ChatWire
import PostgresStore
import Replicas
import RoomStore
import TestSupport
import Testing

/// A server that keeps a part of each room, and its readers.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct RetentionTests {
    private let folder = TemporaryFolder()

    private func server(on store: (any RoomStore)? = nil, keeping messages: Int = 40) throws -> ServerUnderTest {
        try ServerUnderTest(store: store ?? StoreOfTheRun.current.open(in: folder)) {
            $0.retention = Retention(.init(messages: messages))
            $0.retentionRest = .milliseconds(1)
        }
    }

    private func snapshot(for connection: Connection) async throws -> ServerFrame.Snapshot<Message> {
        let answer = try await connection.answer(to: .subscribe(lobby, limit: 500, resume: nil))
        guard case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = answer else { throw Unexpected() }
        return snapshot
    }

    /// Applies diffs until the list begins at `start` or later and is short enough. Throws the fault of a faulty diff.
    private func follow(
        _ replica: inout Replica<Message>, over connection: Connection, until start: UInt64
    ) async throws {
        var reached: UInt64 = 0
        while reached < start || replica.count > 40 {
            guard case .diff(nil, _, let epoch, let diff as ListDiff<Message>) = try await connection.frame() else {
                throw Unexpected()
            }
            try replica.apply(diff, epoch: epoch)
            reached = diff.start
        }
    }

    private func say(_ count: Int, over connection: Connection) async throws {
        for number in 1...count { _ = try await connection.answer(to: .say("\(number)")) }
    }

    @Test
    func whoHoldsAllOfTheListSeesItsBeginningGoAndNeverStartsOver() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")
        let bob = try await server.join(as: "bob")
        var replica = try Replica(try await snapshot(for: bob))

        try await say(100, over: ann)
        try await follow(&replica, over: bob, until: 61)

        #expect(!replica.more && replica.rows.count == 40)
    }

    @Test
    func whoComesBackGetsADiffAndHoldsWhatANewcomerHolds() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")
        try await say(20, over: ann)
        let bob = try await server.join(as: "bob")
        var replica = try Replica(try await snapshot(for: bob))
        bob.send(.unsubscribe(lobby))
        try await say(30, over: ann)

        // A reader who is there all the time sees all the trimmed rows go.
        let cid = try await server.join(as: "cid")
        var fresh = try Replica(try await snapshot(for: cid))
        try await follow(&fresh, over: cid, until: 0)
        let late = try await server.join(as: "bob")
        let answer = try await late.answer(to: .subscribe(lobby, limit: 500, resume: replica.resume()))
        guard case .diff(_, _, let epoch, let diff as ListDiff<Message>) = answer else { throw Unexpected() }
        try replica.apply(diff, epoch: epoch)

        #expect(replica.rows.map(\.id) == fresh.rows.map(\.id) && !fresh.more && !replica.more)
    }

    @Test
    func whatWasTrimmedIsOnNoPageAndNotFound() async throws {
        let server = try server(keeping: 0)
        let ann = try await server.follow(as: "ann")
        let id = MessageID.random()
        // The row may go before its sender has the answer.
        ann.send(.say("hello", id: id))
        while try await ann.diff().start == 0 {}

        let answer = try await ann.answer(to: .page(lobby, .before(70), limit: 100))
        let edit = ClientFrame.Request.edit(room: room, command: .random(), id: id, "bye")

        guard case .page(_, _, _, let page as ListPage<Message>) = answer else { throw Unexpected() }
        #expect(page.rows == [] && !page.more)
        #expect(try await ann.answer(to: edit).errorCode == .notFound)
    }

    @Test
    func whatIsKeptChangesWhileTheServerRuns() async throws {
        let server = try ServerUnderTest { $0.retentionRest = .milliseconds(1) }
        let ann = try await server.follow(as: "ann")
        try await say(50, over: ann)

        var configuration = ChatServerConfiguration()
        configuration.retention = Retention(.init(messages: 10))
        server.server.reconfigure(configuration)

        while true {
            if case .diff(nil, _, _, let diff as ListDiff<Message>) = try await ann.frame(), diff.start == 41 { break }
        }
    }

    @Test
    func readersOnAnotherServerOfTheSameDatabaseSeeItToo() async throws {
        let address = try PostgresAddress.unused()
        let first = try server(on: PostgresStore(address))
        let second = try ServerUnderTest(store: PostgresStore(address))
        let bob = try await second.join(as: "bob")
        var replica = try Replica(try await snapshot(for: bob))

        try await say(100, over: try await first.join(as: "ann"))
        try await follow(&replica, over: bob, until: 61)

        #expect(!replica.more && replica.rows.count == 40)
    }
}
