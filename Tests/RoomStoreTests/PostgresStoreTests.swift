import ChatRoom
import ChatWire
import Dispatch
import Foundation
import Locking
import PostgresStore
import RoomStore
import TestSupport
import Testing

/// Faults that only a store in another program, shared with others, can have.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct PostgresStoreTests {
    @Test func whatOneServerCommitsAnotherReads() throws {
        let address = try PostgresAddress.unused()
        let (first, second) = (try PostgresStore(address), try PostgresStore(address))

        _ = try first.commit([.send(1, "one")])
        #expect(try second.commit([.edit(2, 1, "two"), .send(3)]).map(\.revision) == [2, 3])

        #expect(first.epoch == second.epoch)
        #expect(try first.read(lobby, tail: 10, since: 0, atMost: 10).tail.map(\.text) == ["two", "hello"])
    }

    @Test func serversThatStartTogetherOnAnEmptyDatabaseAgree() throws {
        let address = try PostgresAddress.unused()
        let epochs = Guarded<[Epoch]>([])

        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            if let store = try? PostgresStore(address) { epochs.withLock { $0.append(store.epoch) } }
        }

        #expect(epochs.withLock { $0.count } == 4)
        #expect(epochs.withLock { Set($0).count } == 1)
    }

    /// In opposite orders, so that two servers without a common order of locks would wait for each other.
    @Test func serversThatWriteToTheSameRoomsGetEachRevisionOnce() throws {
        let address = try PostgresAddress.unused()
        let rooms = (0..<5).map { RoomName("room\($0)")! }
        let revisions = Guarded<[RoomName: [Revision]]>([:])

        DispatchQueue.concurrentPerform(iterations: 3) { server in
            guard let store = try? PostgresStore(address) else { return }
            for round in 0..<20 {
                let order = server % 2 == 0 ? rooms : rooms.reversed()
                let batch = order.map { RoomOperation.send(UInt64(server * 1_000 + round), to: $0) }
                let outcomes = (try? store.commit(batch)) ?? []
                revisions.withLock { revisions in
                    for (entry, outcome) in zip(batch, outcomes) {
                        if let revision = outcome.revision { revisions[entry.room, default: []].append(revision) }
                    }
                }
            }
        }

        for room in rooms { #expect(revisions.withLock { $0[room]?.sorted() } == Array(1...60)) }
    }

    /// When a connection ends, the outcome of its commit is unknown, and it is sent again.
    @Test func whateverEndsItsConnectionsEachOperationIsDoneOnce() throws {
        let server = try ThrowawayPostgres()
        let store = try PostgresStore(PostgresAddress(server.address))
        let isOver = Guarded(false)
        DispatchQueue.global().async {
            for _ in 0..<10 {
                _ = try? server.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'diffroomd'")
            }
            isOver.withLock { $0 = true }
        }

        var answers: [Revision?] = []
        while !isOver.withLock({ $0 }) {
            answers += try store.commit([.send(UInt64(answers.count + 1))]).map { outcome in
                switch outcome {
                case .committed(let revision, _), .repeated(let revision): revision
                case .conflict, .refused: nil
                }
            }
        }

        let all = Array(1...UInt64(answers.count))
        #expect(answers == all)
        #expect(try store.operations(lobby, since: 0, limit: .max).map(\.operation.command) == all.map { id($0) })
    }

    /// Each statement costs the database time, also in the fastest round trip.
    @Test func aBatchOfMessagesIsThirteenStatementsAtMost() throws {
        let server = try ThrowawayPostgres(settings: ["fsync=off", "log_statement=all", "log_line_prefix=%p:"])
        let store = try PostgresStore(PostgresAddress(server.address))
        _ = try store.commit([.send(1)])

        _ = try store.commit([.send(2), .send(3)])

        let statements = try lastTransaction(of: server)
        #expect(statements.last?.hasSuffix("COMMIT") == true && statements.count <= 13, "\(statements)")
    }

    /// The statements of the last transaction that wrote operations. Other connections are at work meanwhile.
    private func lastTransaction(of server: ThrowawayPostgres) throws -> [Substring] {
        let statements = try String(contentsOfFile: "\(server.folder)/log", encoding: .utf8).split(separator: "\n")
            .filter { $0.contains("LOG:  execute ") }
        let write = try #require(statements.last { $0.contains("execute addOperations:") })
        let own = statements.filter { $0.prefix { $0 != ":" } == write.prefix { $0 != ":" } }
        return Array(own[try #require(own.lastIndex { $0.hasSuffix("BEGIN") })...])
    }

    @Test func aDatabaseOfALaterVersionIsRefused() throws {
        let server = try ThrowawayPostgres.shared.get()
        let address = try PostgresAddress.unused()
        _ = try PostgresStore(address)
        try server.query("UPDATE \(address.schema).store SET format = 99, in_force = 99")

        let refusal = #expect(throws: RoomStoreError.self) { try PostgresStore(address) }

        #expect(refusal == .newer(found: 99, supported: PostgresStore.latestFormat))
    }

    @Test func aDatabaseThatIsNotThereIsNamed() throws {
        var patience = PostgresStore.Patience()
        patience.reading = .zero
        let address = try PostgresAddress("postgres://nobody@127.0.0.1:1/chat")

        let refusal = #expect(throws: RoomStoreError.self) { try PostgresStore(address, patience: patience) }

        #expect(refusal?.description.contains("database chat at 127.0.0.1:1 cannot be reached") == true, "\(refusal!)")
    }

    @Test func anAddressThatIsNoneIsRefused() {
        #expect(throws: PostgresAddressError.self) { try PostgresAddress("postgres://host/?colour=blue") }
    }
}
