import ChatRoom
import ChatWire
import Foundation
import PostgresStore
import RoomStore
import SQLiteStore
import TestSupport
import Testing

/// The state of deliveries, in every store.
struct DeliveryTests {
    private let folder = TemporaryFolder()
    private let attic = RoomName("attic")!

    private func begin(_ store: any RoomStore) throws -> any Deliveries {
        try #require(try store.deliveries(part: store.part(of: lobby)))
    }

    @Test(arguments: [StoreUnderTest.memory, .sqlite, .postgres])
    func whatWasThereBeforehandCountsAsToldAndWhatComesDoesNot(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1), .send(2)])
        let deliveries = try begin(store)
        #expect(try deliveries.state(of: lobby) == DeliveryState(room: lobby, revision: 2, delivered: 2))
        #expect(try deliveries.state(of: attic) == nil)

        _ = try store.commit([.send(3), .send(1, to: attic)])

        #expect(
            try deliveries.states(after: nil, limit: 10) == [
                DeliveryState(room: attic, revision: 1, delivered: 0),
                DeliveryState(room: lobby, revision: 3, delivered: 2),
            ])
        #expect(try deliveries.states(after: attic, limit: 10).map(\.room) == [lobby])
        #expect(try deliveries.states(after: nil, limit: 1).map(\.room) == [attic])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whatWasToldIsRemembered(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let deliveries = try begin(store)
        _ = try store.commit((1...5).map { .send($0) })

        try deliveries.noteDelivered(lobby, upTo: 3)

        #expect(try deliveries.state(of: lobby) == DeliveryState(room: lobby, revision: 5, delivered: 3))
        try deliveries.noteDelivered(lobby, upTo: 5)
        #expect(try deliveries.state(of: lobby)?.isBehind == false)
    }

    @Test
    func anotherProcessGoesOnWhereOneEnded() throws {
        do {
            let store = try SQLiteStore(path: folder.file("rooms.db"))
            let deliveries = try begin(store)
            _ = try store.commit([.send(1), .send(2)])
            try deliveries.noteDelivered(lobby, upTo: 1)
        }

        let deliveries = try begin(SQLiteStore(path: folder.file("rooms.db")))

        #expect(try deliveries.state(of: lobby) == DeliveryState(room: lobby, revision: 2, delivered: 1))
    }

    @Test
    func ofServersOnOneDatabaseOneTellsAtATime() throws {
        let address = try PostgresAddress.unused()
        let (one, two) = (try PostgresStore(address), try PostgresStore(address))
        var first: (any Deliveries)? = try begin(one)
        #expect(try two.deliveries(part: 0) == nil)

        _ = try two.commit([.send(1)])
        try first?.noteDelivered(lobby, upTo: 1)
        first = nil

        #expect(try begin(two).state(of: lobby) == DeliveryState(room: lobby, revision: 1, delivered: 1))
    }

    /// The note is written at the end, and begins a copy of the log, which must be over before the end copies the log.
    @Test
    func aStoreEndsInOrderHoweverShortItsLogIs() throws {
        for number in 1...100 as ClosedRange<UInt64> {
            let store = try SQLiteStore(path: folder.file("rooms.db"), copyingLogAfter: 1)
            let deliveries = try #require(try store.deliveries(part: 0))
            for part in 0...number % 4 { _ = try store.commit([.send(4 * number + part)]) }
            try deliveries.noteDelivered(lobby, upTo: 1)

            try store.close()

            #expect(!FileManager.default.fileExists(atPath: folder.file("rooms.db-wal")), "end \(number)")
        }
    }
}
