import ChatRoom
import ChatWire
import Foundation
import PostgresStore
import Replicas
import RoomStore
import StoreEngine
import TestSupport
import Testing

@testable import ChatServer

/// One of two databases is down: at the start, while the server runs, and back again. Real PostgreSQL processes.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct DatabaseOutageTests {
    private static let partition = Partition(parts: 2)
    /// A room of each database, and a person whose profile is there.
    private static let rooms = (0...1).map { part in
        (0..<100).lazy.compactMap { RoomName("room\($0)") }.first { partition.part(of: $0) == part }!
    }
    private static let faces = (0...1).map { part in
        (0..<100).lazy.compactMap { UserName("face\($0)") }.first { partition.part(of: $0) == part }!
    }
    private static let cold = (0...1).map { part in
        (0..<100).lazy.compactMap { RoomName("cold\($0)") }.first { partition.part(of: $0) == part }!
    }

    private let databases: [ThrowawayPostgres]

    init() throws {
        databases = [try ThrowawayPostgres(), try ThrowawayPostgres()]
    }

    private func open() throws -> ShardedStore {
        var patience = PostgresStore.Patience()
        (patience.writing, patience.reading) = (.seconds(3), .seconds(3))
        return ShardedStore(
            try PostgresStore.open(databases.map { try PostgresAddress($0.address) }, patience: patience))
    }

    private func desk() throws -> AdminDesk {
        try AdminDesk(store: try open()) {
            $0.members.tick = .milliseconds(20)
            $0.refreshInterval = .milliseconds(500)
        }
    }

    /// Fills both databases: ann and cid are members of both rooms, and are mentioned there.
    private func fill(_ desk: AdminDesk) async throws {
        for user in ["ann", "cid"] {
            let connection = try await desk.server.join(as: user)
            for room in Self.rooms { #expect(try await connection.answer(to: .join(room)).errorCode == nil) }
        }
        let bob = try await desk.server.join(as: "bob")
        for room in Self.rooms {
            let call = ClientFrame.Request.send(
                room: room, id: .random(), MessageContent("hi", mentions: [UserName("ann")!, UserName("cid")!]))
            #expect(try await bob.answer(to: call).errorCode == nil)
        }
        for face in Self.faces {
            #expect(try desk.post("profile", #"{"user":"\#(face)","name":"A face","picture":""}"#).status == 200)
        }
    }

    /// The three lists of a person.
    private struct Lists {
        let rooms: RoomsWatcher
        let mentions: MentionsWatcher
        let people: PeopleWatcher

        init(of user: String, _ server: ServerUnderTest) async throws {
            let connection = try await server.join(as: user)
            _ = try await connection.answer(to: .people(DatabaseOutageTests.faces))
            people = try await PeopleWatcher(connection)
            rooms = try await RoomsWatcher(server.join(as: user))
            mentions = try await MentionsWatcher(server.join(as: user))
        }

        /// Waits until each list has what these databases have, and says that the others are missing.
        func have(_ parts: [Int]) async throws {
            let missing = (0...1).filter { !parts.contains($0) }.map { $0 + 1 }
            let (rooms, faces) = (
                parts.map { DatabaseOutageTests.rooms[$0] }, parts.map { DatabaseOutageTests.faces[$0] }
            )
            try await self.rooms.until { Set($0.list.rows.map(\.id)) == Set(rooms) && $0.list.missing == missing }
            try await mentions.until {
                Set($0.list.rows.map(\.id.room)) == Set(rooms) && $0.list.missing == missing
            }
            // Profiles that the server knows are there all the same.
            try await people.until { Set(faces).isSubset(of: $0.list.rows.map(\.id)) && $0.list.missing == missing }
        }

        /// Waits until each list has everything, though it says that a database is missing.
        func keep(without down: Int) async throws {
            try await rooms.until { $0.list.rows.count == 2 && $0.list.missing == [down + 1] }
            try await mentions.until { $0.list.rows.count == 2 && $0.list.missing == [down + 1] }
            try await people.until { $0.list.rows.count == 2 && $0.list.missing == [down + 1] }
        }
    }

    private func ready(_ desk: AdminDesk, without down: Int?) throws {
        let text = down == nil ? "ready\n" : "ready, but 1 of 2 databases cannot be written\n"
        while true {
            let answer = try HTTPAnswer(getting: "/readyz", from: desk.server.server.port)
            #expect(answer.status == 200)
            if answer.text == text { return }
        }
    }

    /// What somebody gets who comes while a database is down.
    private func newcomersGetTheRest(_ desk: AdminDesk, without down: Int) async throws {
        let dan = try await desk.server.join(as: "dan")
        let refusal = try await dan.answer(to: .subscribe(.messages(Self.cold[down]), limit: 50, resume: nil))
        #expect(refusal.errorCode == .unavailable)
        let other = Self.rooms[1 - down]
        #expect(try await dan.answer(to: .subscribe(.messages(other), limit: 50, resume: nil)).errorCode == nil)
        let send = ClientFrame.Request.send(room: other, id: .random(), "here")
        #expect(try await dan.answer(to: send).errorCode == nil)
        for path in ["rooms", "memberships?user=cid"] {
            let answer = try desk.get(path)
            #expect(
                answer.status == 200 && answer.text.contains("\"missing\":{\"databases\":[\(down + 1)]}"), "\(path)")
            #expect(answer.text.contains("\"\(other)\"") && !answer.text.contains("\"\(Self.rooms[down])\""), "\(path)")
        }
    }

    @Test(arguments: [0, 1]) func listsHaveTheRestAndAreCompletedWhileItRuns(down: Int) async throws {
        let desk = try desk()
        try await fill(desk)
        let followed = try await Lists(of: "ann", desk.server)
        try await followed.have([0, 1])

        try databases[down].kill()
        try ready(desk, without: down)
        try await followed.keep(without: down)
        let new = try await Lists(of: "cid", desk.server)
        try await new.have([1 - down])
        try await newcomersGetTheRest(desk, without: down)

        try databases[down].start()
        try await followed.have([0, 1])
        try await new.have([0, 1])
        try ready(desk, without: nil)
        #expect(try !desk.get("rooms").text.contains("missing"))
    }

    /// The drafts of people whose database is down hold up nobody else's.
    @Test(arguments: [0, 1]) func draftsOfTheOtherDatabaseAreStored(down: Int) async throws {
        let desk = try desk()
        let (there, gone) = (
            try await desk.server.join(as: Self.faces[1 - down].description),
            try await desk.server.join(as: Self.faces[down].description)
        )
        try databases[down].kill()
        try ready(desk, without: down)

        for number in 0..<3 {
            let draft = ClientFrame.Request.draft(room, MessageContent("\(number)"))
            _ = gone.send(draft)
            #expect(try await there.answer(to: draft).errorCode == nil)
            #expect(try await gone.frame().errorCode == .unavailable)
        }

        let watcher = try await DraftsWatcher(there)
        #expect(watcher.texts == [room.description: "2"])
        try databases[down].start()
        try ready(desk, without: nil)
        #expect(try await gone.answer(to: .draft(room, "back")).errorCode == nil)
    }

    @Test(arguments: [0, 1]) func aServerStartsWithoutOneAndTakesItLater(down: Int) async throws {
        do {
            let desk = try desk()
            try await fill(desk)
        }
        try databases[down].kill()

        let desk = try desk()
        try ready(desk, without: down)
        #expect(desk.server.server.metricsText.contains("diffroom_store_writable 0"))
        let new = try await Lists(of: "cid", desk.server)
        try await new.have([1 - down])
        try await newcomersGetTheRest(desk, without: down)

        try databases[down].start()
        try ready(desk, without: nil)
        try await new.have([0, 1])
        let dan = try await desk.server.join(as: "dan")
        for room in Self.rooms {
            let send = ClientFrame.Request.send(room: room, id: .random(), "back")
            #expect(try await dan.answer(to: send).errorCode == nil)
        }
        try await new.rooms.until { $0.list.rows.allSatisfy { $0.light.last?.text == "back" } }
    }

    @Test func aServerDoesNotStartWithoutAnyOrBeforeAllHaveRecordedTheList() throws {
        try databases[1].kill()
        let first = #expect(throws: RoomStoreError.self) { try open() }
        #expect(String(describing: first).contains("have recorded yet"), "\(String(describing: first))")
        try databases[1].start()
        _ = try open()
        for database in databases { try database.kill() }
        guard case .unavailable = #expect(throws: RoomStoreError.self, performing: { try open() }) else {
            Issue.record("another error")
            return
        }
    }
}
