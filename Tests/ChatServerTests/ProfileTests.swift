import ChatRoom
import ChatServer
import ChatWire
import Foundation
import PostgresStore
import Replicas
import RoomStore
import TestSupport
import Testing

/// `me/people` over real sockets.
@Suite(.timeLimit(.minutes(1)))
struct ProfileTests {
    private static let (ann, bob) = (UserName("ann")!, UserName("bob")!)
    private let folder = TemporaryFolder()

    private func desk() throws -> AdminDesk {
        try AdminDesk(store: try StoreOfTheRun.current.open(in: folder)) {
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

        #expect(second.names == ["ann": "Ann Example"])
        guard case .peopleDiff = second.answer else { throw PeopleWatcher.NoPeople(answer: second.answer) }
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
        (#"{"user":"ann","name":"A\u202e","picture":""}"#, "nobody sees"),
        (#"{"user":"ann","name":"","picture":"http://a"}"#, "https URL"),
        (#"{"user":"ann","name":7,"picture":""}"#, "name: found a number"),
    ])
    func whatIsWrongIsNamed(body: String, hint: String) throws {
        let desk = try desk()

        let answer = try desk.post("profile", body)

        #expect(answer.status == 400 && answer.text.contains(hint), "\(answer.text)")
        #expect(try desk.get("profile?user=ann").text.contains(#""name":"""#))
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

    /// The hint is lost, and the review finds what it would have told.
    @Test func whatNobodyToldIsFoundByTheReview() async throws {
        let address = try PostgresAddress.unused()
        let server = try ServerUnderTest(store: PostgresStore(address)) { $0.members.tick = .milliseconds(20) }
        let watcher = try await PeopleWatcher(server.join(as: "bob"))
        _ = try await watcher.answer(to: .people([Self.ann]))
        _ = try await watcher.answer(to: .ping)

        try ThrowawayPostgres.shared.get().query(
            "INSERT INTO \(address.schema).profiles VALUES('ann', 'Ann', NULL, 1)")

        try await watcher.until { $0.names == ["ann": "Ann"] }
    }
}

/// A connection that follows the profiles that its user asks for.
final class PeopleWatcher {
    let connection: Connection
    private(set) var people: Replica<Person>
    /// The answer to the subscribe.
    let answer: ServerFrame

    /// The answer was another frame.
    struct NoPeople: Error {
        let answer: ServerFrame
    }

    init(_ connection: Connection, holding held: Replica<Person>? = nil) async throws {
        self.connection = connection
        answer = try await connection.answer(to: .subscribe(.myPeople, limit: 50, resume: held?.resume()))
        switch (answer, held) {
        case (.peopleSnapshot(_, let snapshot), _): people = try Replica(snapshot)
        case (.peopleDiff(_, let epoch, let diff), var held?):
            try held.apply(diff, epoch: epoch)
            people = held
        default: throw NoPeople(answer: answer)
        }
    }

    /// The display names, by the users' names.
    var names: [String: String] {
        let names = people.rows.map { ($0.id.description, $0.light.name?.description ?? "") }
        return Dictionary(names) { first, _ in first }
    }

    func until(_ condition: (PeopleWatcher) -> Bool) async throws {
        while !condition(self) { try take(await connection.frame()) }
    }

    func answer(to request: ClientFrame.Request) async throws -> ServerFrame {
        let ref = connection.send(request)
        while true {
            let frame = try await connection.frame()
            if frame.ref == ref { return frame }
            try take(frame)
        }
    }

    private func take(_ frame: ServerFrame) throws {
        switch frame {
        case .peopleDiff(nil, let epoch, let diff): try people.apply(diff, epoch: epoch)
        case .peopleSnapshot(nil, let snapshot): people = try Replica(snapshot)
        default: break
        }
    }
}

extension ServerFrame {
    fileprivate var isDone: Bool { if case .ok = self { true } else { false } }
}
