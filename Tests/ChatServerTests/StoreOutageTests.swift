import ChatWire
import Foundation
import PostgresStore
import RoomStore
import StoreEngine
import TestSupport
import Testing

@testable import ChatServer

/// A database that takes no writes, or does not answer at all: the waits and the answers of clients. The times are
/// short here; docs/scaling.md has those of a server.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct StoreOutageTests {
    private let database: ThrowawayPostgres
    private let server: ServerUnderTest

    private static let patience = Duration.seconds(3)
    /// The time that a busy machine may add.
    private static let slack = Duration.seconds(3)

    init() throws {
        database = try ThrowawayPostgres()
        var patience = PostgresStore.Patience()
        (patience.writing, patience.reading) = (Self.patience, Self.patience)
        server = try ServerUnderTest(store: PostgresStore(PostgresAddress(database.address), patience: patience))
    }

    /// Returns when `/readyz` has this status.
    private func ready(_ status: Int) throws {
        while try HTTPAnswer(getting: "/readyz", from: server.server.port).status != status {}
    }

    private func setStandby(_ name: String) throws {
        try database.query("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
        try database.query("SELECT pg_reload_conf()")
    }

    /// Nothing can be written, but everything can be read.
    @Test
    func aMessageThatCannotBeWrittenIsAnsweredInTimeAndIsDoneOnceWhenItCan() async throws {
        let ann = try await server.follow(as: "ann")
        _ = try await ann.answer(to: .say("before"))
        try ready(200)
        try setStandby("nobody")
        try ready(503)
        let id = MessageID.random()

        let start = ContinuousClock.now
        let refusal = try await ann.answer(to: .say("meanwhile", id: id))
        let time = ContinuousClock.now - start

        #expect(refusal.errorCode == .unavailable && time < Self.patience + Self.slack, "\(refusal) after \(time)")
        let bob = try await server.join(as: "bob")
        #expect(try await bob.answer(to: .subscribe(lobby, limit: 50, resume: nil)).revision == 1)
        #expect(server.server.metricsText.contains("diffroom_store_writable 0"))

        try setStandby("")
        try ready(200)
        #expect(server.server.metricsText.contains("diffroom_store_writable 1"))
        #expect(try await ann.answer(to: .say("meanwhile", id: id)).revision == 2)
        #expect(try await ann.answer(to: .say("after")).revision == 3)
    }

    /// The room is in no server's memory.
    @Test
    func aJoinThatNeedsADatabaseWhichDoesNotAnswerFailsInTime() async throws {
        let ann = try await server.join(as: "ann")
        let cold = ListName.messages(RoomName("cold")!)
        try database.freeze()

        let start = ContinuousClock.now
        let refusal = try await ann.answer(to: .subscribe(cold, limit: 50, resume: nil))
        let time = ContinuousClock.now - start

        #expect(refusal.errorCode == .unavailable && time < Self.patience + Self.slack, "\(refusal) after \(time)")
        try ready(503)
        try database.thaw()
        try ready(200)
        #expect(try await ann.answer(to: .subscribe(cold, limit: 50, resume: nil)).revision == 0)
    }
}

/// One of several databases does not answer.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct PartialOutageTests {
    private let databases: [ThrowawayPostgres]
    private let server: ServerUnderTest

    private static let patience = Duration.seconds(60)

    init() throws {
        databases = [try ThrowawayPostgres(), try ThrowawayPostgres()]
        var patience = PostgresStore.Patience()
        (patience.writing, patience.reading) = (Self.patience, Self.patience)
        let stores = try PostgresStore.open(databases.map { try PostgresAddress($0.address) }, patience: patience)
        server = try ServerUnderTest(store: ShardedStore(stores))
    }

    /// Rooms of one database, which are in no server's memory.
    private func rooms(of part: Int, _ count: Int) -> [RoomName] {
        let all = (0..<1_000).compactMap { RoomName("room\($0)") }
        return Array(all.filter { Partition(parts: 2).part(of: $0) == part }.prefix(count))
    }

    @Test
    func theRoomsOfTheOthersGoOn() async throws {
        let (ann, bob) = (try await server.join(as: "ann"), try await server.join(as: "bob"))
        try databases[1].freeze()
        defer { try? databases[1].thaw() }
        while !server.server.metricsText.contains("diffroom_store_writable 0") {}

        let readiness = try HTTPAnswer(getting: "/readyz", from: server.server.port)
        #expect(readiness.status == 200)
        #expect(String(decoding: readiness.body, as: UTF8.self) == "ready, but 1 of 2 databases cannot be written\n")
        // So many that each queue has some.
        for room in rooms(of: 1, 40) { _ = bob.send(.subscribe(.messages(room), limit: 50, resume: nil)) }
        let start = ContinuousClock.now
        for room in rooms(of: 0, 40) {
            #expect(try await ann.answer(to: .subscribe(.messages(room), limit: 50, resume: nil)).revision == 0)
            let send = ClientFrame.Request.send(room: room, id: .random(), "here")
            #expect(try await ann.answer(to: send).revision == 1)
        }
        #expect(ContinuousClock.now - start < Self.patience)
    }
}
