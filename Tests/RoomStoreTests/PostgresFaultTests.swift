import CPostgres
import ChatRoom
import ChatWire
import Dispatch
import Foundation
import RoomStore
import TestSupport
import Testing

@testable import PostgresStore

/// Faults of other clients of a shared database, and the delays that they cause.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct PostgresFaultTests {
    /// A server's machine is lost between the two round trips of a batch: its connection stays, and is silent.
    @Test func aServerThatIsLostInATransactionHoldsTheOthersUpForFiveSecondsAtMost() throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        _ = try store.commit([.send(1)])
        let lost = try Connection.open(address, seeing: History(), preparing: Query.committing)
        try lost.run([.run("BEGIN"), .run(.lockRooms, .texts(["lobby"]))])

        let start = ContinuousClock.now
        #expect(try store.commit([.send(2)]).map(\.revision) == [2])

        #expect(ContinuousClock.now - start < .seconds(5))
    }

    /// A second server had waited for the first one's room, and is lost too.
    @Test func twoServersThatAreLostOneAfterTheOtherHoldTheOthersUpForFiveSecondsAtMost() throws {
        let database = try ThrowawayPostgres()
        let address = try PostgresAddress(database.address)
        let store = try PostgresStore(address)
        _ = try store.commit([.send(1)])
        let lost = try Connection.open(address, seeing: History(), preparing: Query.committing)
        try lost.run([.run("BEGIN"), .run(.lockRooms, .texts(["lobby"]))])
        let (isOver, group) = (DispatchSemaphore(value: 0), DispatchGroup())
        DispatchQueue.global().async(group: group) {
            let next = try? Connection.open(address, seeing: History(), preparing: Query.committing)
            _ = try? next?.run([.run("BEGIN"), .run(.lockRooms, .texts(["lobby"]))])
            isOver.wait()
            withExtendedLifetime(next) {}
        }
        while try database.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'").isEmpty {}

        let start = ContinuousClock.now
        #expect(try store.commit([.send(2)]).map(\.revision) == [2])

        #expect(ContinuousClock.now - start < .seconds(5))
        isOver.signal()
        group.wait()
    }

    /// A server is frozen while it sends: the database has the lock of its room, and waits for the rest.
    @Test func aServerThatIsFrozenInTheMiddleOfARoundTripHoldsNobodyUp() throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        _ = try store.commit([.send(1)])
        let lock = "SELECT FROM \(address.schema).rooms WHERE name = 'lobby' FOR UPDATE"
        let frozen = try HalfSent(["BEGIN", lock], to: address)
        let locks = "SELECT pid FROM pg_stat_activity WHERE query = '\(lock.replacing("'", with: "''"))'"
        while try ThrowawayPostgres.shared.get().query(locks + " AND wait_event = 'ClientRead'") == "" {}
        store.listen { _ in }

        #expect(try store.commit([.send(2)]).map(\.revision) == [2])

        withExtendedLifetime(frozen) {}
    }

    /// Another room is committed by another connection meanwhile.
    @Test func aRoomThatNobodyHoldsWaitsForNone() throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        let other = RoomName("other")!
        _ = try store.commit([.send(1)])
        _ = try store.commit([.send(1, to: other)])
        let lost = try Connection.open(address, seeing: History(), preparing: Query.committing)
        try lost.run([.run("BEGIN"), .run(.lockRooms, .texts(["lobby"]))])
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { _ = try? store.commit([.send(2)]) }

        #expect(try store.commit([.send(2, to: other)]).map(\.revision) == [2])

        #expect(try lost.run([.run("SELECT 1::bigint")])[0].rows.count == 1)
        group.wait()
    }

    @Test func aDatabaseThatCannotHoldEveryTextIsRefusedAtTheStart() throws {
        let server = try ThrowawayPostgres.shared.get()
        let name = "latin_" + UUID().uuidString.filter { $0 != "-" }.lowercased()
        try server.query("CREATE DATABASE \(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        let address = try PostgresAddress("postgres:///\(name)?user=diffroom&host=\(server.folder)")

        let refusal = #expect(throws: RoomStoreError.self) { try PostgresStore(address) }

        #expect("\(refusal!)".contains("LATIN1") && "\(refusal!)".contains("UTF8"), "\(refusal!)")
    }

    static let damages = [
        "UPDATE rooms SET revision = -1", "UPDATE rooms SET count = 9223372036854775807",
        "UPDATE rooms SET revision = 9223372036854775807", "UPDATE messages SET author = ''",
        "UPDATE messages SET reactions = 'nonsense'", "UPDATE operations SET kind = 99",
        "UPDATE messages SET sort = -5",
        "UPDATE standings SET role = 77", "UPDATE rooms SET slow = -1", "UPDATE rooms SET revision = revision - 1",
        "UPDATE rooms SET count = 0",
    ]

    @Test(arguments: damages)
    func aDamagedRowIsAnErrorOfItsRoomAndOfNoOther(damage: String) throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        let attic = RoomName("attic")!
        let mute = RoomOperation.act(3, .moderate(.mute(Someone.bob, for: 5_000)), by: Someone.ann, as: .moderate)
        _ = try store.commit([.send(1), .send(2), mute])
        _ = try store.commit([.send(1, to: attic)])
        let only =
            "WHERE " + (damage.contains("rooms") ? "name" : "room = (SELECT id FROM \(address.schema).rooms WHERE name")
        let end = damage.contains("rooms") ? " = 'lobby'" : " = 'lobby')"
        try ThrowawayPostgres.shared.get().query(
            damage.replacing("UPDATE ", with: "UPDATE \(address.schema).", maxReplacements: 1) + " \(only)\(end)"
                + (damage.contains("messages") || damage.contains("operations")
                    ? " AND author = 'ann' AND time = 1001" : ""))

        for ask in [
            { _ = try store.soundReading(of: lobby, tail: 9, since: 0, atMost: 99) },
            { _ = try store.page(lobby, .before(99), limit: 9) },
            { _ = try store.operations(lobby, since: 0, limit: 9) },
            { _ = try store.commit([.edit(9, 1, "changed"), .send(1)]) }, { _ = try store.commit([.delete(10, 2)]) },
        ] as [() throws -> Void] {
            do { try ask() } catch RoomStoreError.damagedRoom(let room, _) { #expect(room == lobby) }
        }

        #expect(try store.commit([.send(2, to: attic)]).map(\.revision) == [2])
        #expect(try store.read(attic, tail: 9, since: nil, atMost: 0).tail.count == 2)
    }

    @Test func aMessageIsNotDeletedFromAListWithoutAny() throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        _ = try store.commit([.send(1)])
        try ThrowawayPostgres.shared.get().query("UPDATE \(address.schema).rooms SET count = 0")

        #expect { try store.commit([.delete(2, 1)]) } throws: { isDamaged($0, of: lobby) }
    }

    /// The store does not say which room it is: the committer finds out.
    @Test func aRoomWhoseRevisionWentBackIsDamagedOnceItIsAlone() throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        let attic = RoomName("attic")!
        _ = try store.commit([.send(1), .send(2), .send(1, to: attic)])
        try ThrowawayPostgres.shared.get().query(
            "UPDATE \(address.schema).rooms SET revision = 1 WHERE name = 'lobby'")

        #expect { try store.commit([.send(3), .send(3, to: attic)]) } throws: { isDamaged($0, of: nil) }
        #expect { try store.commit([.send(3)]) } throws: { isDamaged($0, of: lobby) }
        #expect(try store.commit([.send(3, to: attic)]).map(\.revision) == [2])
    }

    private func isDamaged(_ error: any Error, of room: RoomName?) -> Bool {
        switch error as? RoomStoreError {
        case .damaged: room == nil
        case .damagedRoom(let damaged, _): room == damaged
        default: false
        }
    }

    /// Only the database tells of it, because its revision is set there.
    @Test func ofADamagedRoomAServerHearsAllOthersGoOn() async throws {
        let address = try PostgresAddress.unused()
        let store = try PostgresStore(address)
        let attic = RoomName("attic")!
        _ = try store.commit([.send(1), .send(1, to: attic)])
        let set = "UPDATE \(address.schema).rooms SET revision ="
        try ThrowawayPostgres.shared.get().query(set + " -1 WHERE name = 'lobby'")
        let news = Heard(store)
        for room in [lobby, attic] { store.follow(room, withPeople: false) }

        try ThrowawayPostgres.shared.get().query(set + " 7 WHERE name = 'attic'")

        await news.wait { $0 == .reached(attic, 7) }
    }

    // MARK: - Tasks of one server at a time

    @Test func whoeverTrimmedAndIsFrozenHoldsUpNoOtherServersRetention() throws {
        let address = try PostgresAddress.unused()
        let review = FailoverCheck(
            address: address,
            lease: Lease(
                server: .random(), knows: PostgresStore.latestFormat, length: .seconds(10), schema: address.schema),
            history: History())
        let store = try PostgresStore(address)
        _ = try store.commit([.send(1), .send(2), .send(3)])
        let retention = Retention(.init(messages: 1))
        let frozen = try StoreTrimmer(review, Announcer(review), knows: PostgresStore.latestFormat)
        _ = try frozen.step(Retention(.init()), after: nil, at: StoreMoment(1, lead: 0))
        #expect(try store.trim(retention, part: 0, after: nil, at: 5_000).rows == 0)

        // The same effect as ten seconds.
        try ThrowawayPostgres.shared.get().query("UPDATE \(address.schema).lessees SET until = clock_timestamp()")

        #expect(try store.trim(retention, part: 0, after: nil, at: 5_000).rows == 2)
        withExtendedLifetime(frozen) {}
    }

    @Test func whoeverToldAndIsFrozenLosesTheRightToTell() throws {
        let address = try PostgresAddress.unused()
        let (one, two) = (try PostgresStore(address), try PostgresStore(address))
        _ = try one.commit([.send(1)])
        let first = try #require(try one.deliveries(part: 0))
        #expect(try two.deliveries(part: 0) == nil)

        // The same effect as ten seconds.
        try ThrowawayPostgres.shared.get().query("UPDATE \(address.schema).lessees SET until = clock_timestamp()")

        let second = try #require(try two.deliveries(part: 0))
        #expect(throws: RoomStoreError.self) { try first.noteDelivered(lobby, upTo: 1) }
        try second.noteDelivered(lobby, upTo: 1)
    }
}

/// A connection of a server that was frozen while it sent a round trip: its end never comes.
private final class HalfSent {
    private let handle: OpaquePointer

    init(_ statements: [String], to address: PostgresAddress) throws {
        handle = try #require(address.connect(to: address.hosts[0]))
        try #require(PQenterPipelineMode(handle) == 1)
        for sql in statements { try #require(PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1) }
        try #require(PQflush(handle) == 0)
    }

    deinit {
        PQfinish(handle)
    }
}
