import ChatRoom
import ChatWire
import Foundation
import PostgresStore
import Replicas
import RoomStore
import TestSupport
import Testing
import Tokens

@testable import ChatServer

/// `me/people` over real sockets.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct ProfileTests {
    private static let (ann, bob) = (UserName("ann")!, UserName("bob")!)
    private let folder = TemporaryFolder()

    private func desk(on store: (any RoomStore)? = nil) throws -> AdminDesk {
        try AdminDesk(store: store ?? StoreOfTheRun.current.open(in: folder)) {
            $0.shards = 3
            $0.members.tick = .milliseconds(20)
        }
    }

    private func give(_ name: String, _ picture: String = "", to user: String = "ann", at desk: AdminDesk) throws {
        let answer = try desk.post("profile", #"{"user":"\#(user)","name":"\#(name)","picture":"\#(picture)"}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test func oneChangeIsOneDiffForEachWhoHasAsked() async throws {
        let desk = try desk()
        let watchers = [
            try await PeopleWatcher(desk.server.join(as: "bob")), try await PeopleWatcher(desk.server.join(as: "cid")),
            try await PeopleWatcher(desk.server.join(as: "bob")),
        ]
        #expect(try await watchers[0].answer(to: .people([Self.ann, Self.bob])).isDone)
        #expect(try await watchers[1].answer(to: .people([Self.ann])).isDone)

        try give("Ann Example", "https://chat.example/ann.png", at: desk)
        for watcher in watchers { try await watcher.until { $0.names == ["ann": "Ann Example"] } }
        #expect(watchers[2].people.rows.first?.light.picture == Picture("https://chat.example/ann.png"))
        try give("Ann", at: desk)
        for watcher in watchers { try await watcher.until { $0.names == ["ann": "Ann"] } }
        #expect(watchers[0].people.rows.first?.light.picture == nil)
        try give("Bob", to: "bob", at: desk)
        try await watchers[0].until { $0.names == ["ann": "Ann", "bob": "Bob"] }
        try give("", at: desk)
        for watcher in watchers { try await watcher.until { $0.names["ann"] == nil } }
        #expect(watchers[1].names == [:])
    }

    @Test func whoAsksBeforeTheySubscribeGetsASnapshotOfAll() async throws {
        let desk = try desk()
        try give("Ann", at: desk)
        let bob = try await desk.server.join(as: "bob")
        #expect(try await bob.answer(to: .people([Self.ann, UserName(known: "nobody\u{AD}")!])).isDone)

        let watcher = try await PeopleWatcher(bob)

        #expect(watcher.names == ["ann": "Ann"])
    }

    @Test func aCutIsResumedByADiff() async throws {
        let desk = try desk()
        try give("Ann", at: desk)
        let first = try await PeopleWatcher(desk.server.join(as: "bob"))
        _ = try await first.answer(to: .people([Self.ann]))
        try await first.until { $0.names == ["ann": "Ann"] }
        let held = first.people
        first.connection.close()
        try give("Ann Example", at: desk)

        let second = try await PeopleWatcher(desk.server.join(as: "bob"), holding: held)

        // The store of a database tells of the change by itself, and it may come after the answer.
        try await second.until { $0.names == ["ann": "Ann Example"] }
        guard case .diff(_, .myPeople, _, _) = second.answer else {
            throw PeopleWatcher.OtherAnswer(answer: second.answer)
        }
    }

    @Test func whoComesBackToAnotherServerGetsTheProfilesThatHaveChanged() async throws {
        let store = try StoreOfTheRun.current.open(in: folder)
        let (desk, people) = (try desk(on: store), (0..<40).map { UserName("person \($0)")! })
        for person in people { try give("Name of \(person)", to: person.description, at: desk) }
        let first = try await PeopleWatcher(desk.server.join(as: "bob"))
        _ = try await first.answer(to: .people(people))
        try await first.until { $0.names.count == 40 }
        let held = first.people
        try give("New", to: "person 7", at: desk)
        try give("", to: "person 9", at: desk)
        desk.server.server.drain()

        let server = try ServerUnderTest(
            store: StoreOfTheRun.current == .sqlite ? store : StoreOfTheRun.current.open(in: folder))
        let connection = try await server.join(as: "bob")
        _ = try await connection.answer(to: .people(people))
        let second = try await PeopleWatcher(connection, holding: held)

        guard case .diff(_, .myPeople, _, let diff as ListDiff<Person>) = second.answer else {
            throw PeopleWatcher.OtherAnswer(answer: second.answer)
        }
        #expect(diff.kept != nil && diff.insertions.map(\.id) == [people[7]] && diff.deletions == [people[9]])
        #expect(second.names.count == 39 && second.names["person 7"] == "New")
    }

    @Test func theOperatorSeesAndReplacesAProfile() throws {
        let desk = try desk()
        let nothing = #"{"user":"a b","name":"","picture":"","second":0}"#
        #expect(try desk.get("profile?user=a%20b").text == nothing)

        let answer = try desk.post("profile", #"{"user":"a b","name":"Å","picture":"https://a.example/b"}"#)

        #expect(answer.text.hasPrefix(#"{"user":"a b","name":"Å","picture":"https://a.example/b","second":"#))
        #expect(try desk.get("profile?user=a%20b").text == answer.text)
        #expect(try desk.get("profile?user=a%20b", token: nil).status == 401)
    }

    @Test(arguments: [
        ("{}", "user: missing"), (#"{"user":"ann","picture":""}"#, "name: missing"),
        (#"{"user":"ann","name":"Ann"}"#, "picture: missing"),
        (#"{"user":"ann","name":" Ann","picture":""}"#, "name: ' Ann' begins or ends with a space"),
        (#"{"user":"ann","name":"A\u030a","picture":""}"#, "normal form C"),
        (#"{"user":"ann","name":"A\u202e","picture":""}"#, "invisible"),
        (#"{"user":"ann","name":"","picture":"http://a"}"#, "https URL"),
        (#"{"user":"ann","name":7,"picture":""}"#, "name: found a number"),
    ])
    func whatIsWrongIsNamed(body: String, hint: String) throws {
        let desk = try desk()

        let answer = try desk.post("profile", body)

        #expect(answer.status == 400 && answer.text.contains(hint), "\(answer.text)")
        #expect(try desk.get("profile?user=ann").text.contains(#""name":"""#))
    }

    /// A device with an old token does not take a newer name back, and neither does one that does not say how old it is.
    @Test func aTokenTellsWhatItsBearerIsCalled() async throws {
        let mint = Mint()
        let server = try ServerUnderTest(store: try StoreOfTheRun.current.open(in: folder)) {
            $0.keyring = try? mint.keyring(leeway: 0)
            $0.members.tick = .milliseconds(20)
        }
        func connect(_ user: String, _ name: String? = nil, issued: Double? = nil) async throws -> Connection {
            let profile = Profile(name: name.flatMap { DisplayName(known: $0) })
            let token = try mint.token(user, [:], named: profile, issued: issued)
            let connection = try server.connect()
            _ = try await connection.answer(to: .hello(.token(token)))
            return connection
        }
        let watcher = try await PeopleWatcher(connect("bob"))
        _ = try await watcher.answer(to: .people([Self.ann, Self.bob]))

        _ = try await connect("ann", "Ann Old", issued: 100)
        try await watcher.until { $0.names == ["ann": "Ann Old"] }
        let ann = try await connect("ann", "Ann", issued: 50)
        try await watcher.until { $0.names == ["ann": "Ann"] }
        _ = try await connect("ann", "Ann Older", issued: 200)
        _ = try await connect("ann", "Nobody")
        _ = try await connect("ann", "an\u{AD}n", issued: 1)
        _ = try await connect("ann")
        let fresh = try mint.token("ann", [:], named: Profile(name: DisplayName("Ann New")), issued: 10)
        _ = try await ann.answer(to: .token(fresh))
        try await watcher.until { $0.names != ["ann": "Ann"] }
        #expect(watcher.names == ["ann": "Ann New"])
    }

    /// What one server is told reaches those who read on the other.
    @Test func anotherServersChangeIsTold() async throws {
        let address = try PostgresAddress.unused()
        let desk = try AdminDesk(store: PostgresStore(address))
        let other = try ServerUnderTest(store: PostgresStore(address)) { $0.members.tick = .milliseconds(20) }
        let watcher = try await PeopleWatcher(other.join(as: "bob"))
        _ = try await watcher.answer(to: .people([Self.ann]))

        try give("Ann", at: desk)
        try await watcher.until { $0.names == ["ann": "Ann"] }
    }

    /// A server ends between its commit and its news. The commit has counted, so the review finds it.
    @Test func aChangeWithoutNewsIsFoundByTheReview() async throws {
        let address = try PostgresAddress.unused()
        let server = try ServerUnderTest(store: PostgresStore(address)) { $0.members.tick = .milliseconds(20) }
        let watcher = try await PeopleWatcher(server.join(as: "bob"))
        _ = try await watcher.answer(to: .people([Self.ann]))
        _ = try await watcher.answer(to: .ping)

        try ThrowawayPostgres.shared.get().query(
            """
            INSERT INTO \(address.schema).witnesses(server, lane, count, time)
                VALUES('\(ServerID.random())', 1, 1, clock_timestamp());
            INSERT INTO \(address.schema).profiles VALUES('ann', 'Ann', NULL, 1)
            """)

        try await watcher.until { $0.names == ["ann": "Ann"] }
    }
}

/// What tokens say, on its way to the store.
struct ProfileClaimTests {
    private let store = InMemoryStore()
    private let told = Tally()

    private func claims() -> ProfileClaims {
        let log = ServerLog(format: .text, level: .error)
        let errors = StoreErrors(counter: Metrics.Counter(), log: log)
        return ProfileClaims(store, errors: errors, log: log) { [told] users in for _ in users { told.add() } }
    }

    /// Ten thousand come back with what they said before: nothing is written, and nobody is told.
    @Test func whoComesBackWithTheSameClaimsWritesNothing() throws {
        let claims = claims()
        let people = (0..<10_000).map { UserName("p\($0)")! }
        func come(at second: Int64) {
            for person in people {
                let profile = Profile(name: DisplayName("Name of \(person)"))
                claims.enqueue(ClaimedProfile(profile: profile, issued: second), of: person)
            }
            claims.flush()
        }
        come(at: 1)
        let stored = try store.profiles(of: people)
        #expect(stored.count == 10_000 && told.count == 10_000)

        for second in Int64(1)...5 { come(at: second) }

        #expect(told.count == 10_000)
        #expect(try store.profiles(of: people) == stored)
    }
}

extension ListWatcher<Person> {
    var people: Replica<Person> { list }

    /// The display names, by the users' names.
    var names: [String: String] {
        let names = people.rows.map { ($0.id.description, $0.light.name?.description ?? "") }
        return Dictionary(names) { first, _ in first }
    }
}

extension ServerFrame {
    fileprivate var isDone: Bool { if case .ok = self { true } else { false } }
}
