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

/// Servers that share a database, and that no client can tell apart.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct SeveralServersTests {
    /// Two servers on one database, with a user on each: ann and bob.
    private struct Pair {
        let first, second: ServerUnderTest
        let ann, bob: Connection

        init(_ address: PostgresAddress) async throws {
            first = try ServerUnderTest(store: PostgresStore(address))
            second = try ServerUnderTest(store: PostgresStore(address))
            ann = try await first.follow(as: "ann")
            bob = try await second.follow(as: "bob")
        }
    }

    @Test
    func whatIsSaidOnOneServerIsSeenOnTheOther() async throws {
        let pair = try await Pair(.unused())

        #expect(try await pair.ann.answer(to: .say("from the first")).revision == 1)
        #expect(try await pair.bob.diffs(upTo: 1).flatMap(\.insertions).map(\.text) == ["from the first"])

        #expect(try await pair.bob.answer(to: .say("from the second")).revision == 2)
        #expect(try await pair.ann.diffs(upTo: 2).flatMap(\.insertions).last?.text == "from the second")
    }

    @Test
    func whatIsSaidOnBothAtOnceIsTheSameListOnBoth() async throws {
        let pair = try await Pair(.unused())

        for number in 1...50 {
            pair.ann.send(.say("ann \(number)"))
            pair.bob.send(.say("bob \(number)"))
        }

        let seenByAnn = try await pair.ann.diffs(upTo: 100)
        let seenByBob = try await pair.bob.diffs(upTo: 100)
        #expect(seenByAnn.flatMap(\.insertions).map(\.sort) == Array(1...100))
        #expect(seenByAnn.flatMap(\.insertions) == seenByBob.flatMap(\.insertions))
        #expect(seenByAnn.last?.proof == seenByBob.last?.proof)
    }

    /// Both create it at once, again and again, each on their own server.
    @Test
    func theDirectRoomOfTwoIsOneOnBothServers() async throws {
        let pair = try await Pair(.unused())
        let (ann, bob) = (UserName("ann")!, UserName("bob")!)
        let name = RoomName(directRoomOf: [ann, bob])

        for _ in 0..<10 {
            pair.ann.send(.create(.random(), .direct(people: [bob])))
            pair.bob.send(.create(.random(), .direct(people: [ann])))
        }

        for person in [pair.ann, pair.bob] {
            for _ in 0..<10 { #expect(try await person.frame().effect == .init(list: .messages(name), revision: 1)) }
        }
        #expect(try await pair.ann.answer(to: .send(room: name, id: .random(), "hi")).revision == 2)
    }

    @Test
    func anInvitationOnOneServerIsSeenAndAcceptedOnTheOther() async throws {
        let pair = try await Pair(.unused())
        let bob = try await RoomsWatcher(pair.second.join(as: "bob"))
        let people = ["bob", "cid"].compactMap { UserName($0) }
        let command = CommandID.random()
        let name = RoomName(privateRoomOf: command)

        _ = try await pair.ann.answer(to: .create(command, .private(people: people, title: RoomTitle("Plans"))))
        try await bob.until { $0[name.description]?.section == .invited }
        #expect(bob[name.description]?.light.title == RoomTitle("Plans"))
        _ = try await pair.ann.answer(to: .moderate(room: name, command: .random(), .title(RoomTitle("Tea"))))
        try await bob.until { $0[name.description]?.light.title == RoomTitle("Tea") }

        #expect(try await bob.answer(to: .join(name)).revision == 3)
        try await bob.until { $0[name.description]?.section == .rooms }
        let dan = try await pair.second.join(as: "dan")
        #expect(try await dan.answer(to: .join(name)).errorCode == .forbidden)
    }

    @Test
    func aReaderThatComesBackToAnotherServerGetsADiff() async throws {
        let pair = try await Pair(.unused())
        for number in 1...40 { _ = try await pair.ann.answer(to: .say("\(number)")) }
        let resume = Resume(epoch: try await pair.bob.epoch(), revision: 35, joined: 0)
        let carl = try await pair.second.join(as: "carl")

        let answer = try await carl.answer(to: .subscribe(lobby, limit: 50, resume: resume))

        guard case .diff(_, _, _, let diff as ListDiff<Message>) = answer else { throw Unexpected() }
        var diffs = [diff]
        while let last = diffs.last, last.to < 40 { diffs.append(try await carl.diff()) }
        #expect(diff.from == 35 && diffs.flatMap(\.insertions).map(\.text) == (36...40).map(String.init))
    }

    @Test
    func whatOneDoesOnAnotherServerShowsInTheListOfRooms() async throws {
        let pair = try await Pair(.unused())
        let phone = try await RoomsWatcher(pair.first.join(as: "ann"))
        let desk = try await pair.second.follow(as: "ann")

        _ = try await desk.answer(to: .join(room))
        try await phone.until { $0.names == ["lobby"] }
        for text in ["one", "two"] { _ = try await pair.bob.answer(to: .say(text)) }
        try await phone.until { $0["lobby"]?.light.unread == 2 }
        _ = try await desk.answer(to: .read(room, 3))
        try await phone.until { $0["lobby"]?.light.unread == 0 }
        _ = try await pair.bob.answer(to: .say("three"))
        try await phone.until { $0["lobby"]?.light.unread == 1 }
        _ = try await desk.answer(to: .say("four"))
        try await phone.until { $0["lobby"]?.light.unread == 0 && $0["lobby"]?.light.last?.text == "four" }
        _ = try await desk.answer(to: .leave(room))
        try await phone.until { $0.names.isEmpty }
    }

    /// A third server's clock is wrong, and a room's newest message goes. All lists have one order, old ones and new ones.
    @Test
    func bothDevicesHaveOneOrder() async throws {
        let address = try PostgresAddress.unused()
        let (pair, third) = (try await Pair(address), try PostgresStore(address))
        let phone = try await RoomsWatcher(pair.first.join(as: "ann"))
        let desk = try await RoomsWatcher(pair.second.join(as: "ann"))
        let rooms = ["a", "b", "c"].map { RoomName($0)! }
        for room in rooms { _ = try await phone.answer(to: .join(room)) }
        func say(_ text: String, _ error: Milliseconds) throws {
            let operation = ChatRoom.Operation(
                command: .random(), author: UserName("bob")!, role: .write, time: .now + error,
                action: .send(MessageContent(text)))
            let outcomes = try third.commit([RoomOperation(room: rooms[1], operation: operation)])
            guard case .committed? = outcomes.first else {
                Issue.record("\(outcomes)")
                return
            }
        }

        try say("fast", 3_600_000)
        try say("slow", -3_600_000)
        let (stays, goes) = (MessageID.random(), MessageID.random())
        for request in [
            .send(room: rooms[0], id: stays, "stays"),
            .send(room: rooms[0], id: goes, "goes"),
            .delete(room: rooms[0], command: .random(), id: goes),
            .edit(room: rooms[0], command: .random(), id: stays, "has stayed"),
        ] as [ClientFrame.Request] { _ = try await pair.bob.answer(to: request) }
        for device in [phone, desk] {
            try await device.until {  // news of the join of c may come last
                $0["a"]?.light.last?.text == "has stayed" && $0["b"]?.light.last?.text == "slow" && $0["c"] != nil
            }
        }

        let begun = try ServerUnderTest(store: third)
        defer { withExtendedLifetime(begun) {} }
        let late = try await RoomsWatcher(begun.join(as: "ann"))
        #expect([phone, desk, late].map(\.names) == Array(repeating: ["c", "a", "b"], count: 3))
        let sorts = [phone, desk, late].map { $0.rooms.rows.map(\.sort) }
        #expect(sorts == Array(repeating: sorts[0], count: 3))
    }

    /// Any client of the database can write anything to the channel.
    @Test
    func whatOneSetsOnAnotherServerShowsInTheListOfRooms() async throws {
        let pair = try await Pair(.unused())
        let phone = try await RoomsWatcher(pair.first.join(as: "ann"))
        _ = try await phone.answer(to: .join(room))
        try await phone.until { $0.names == ["lobby"] }
        let desk = try await pair.second.join(as: "ann")

        let change = SettingsChange(pinned: .at(5), isMuted: true, isMarked: true)
        _ = try await desk.answer(to: .settings(room, change))
        try await phone.until { $0["lobby"]?.section == .pinned }
        #expect(phone["lobby"]?.light.isMuted == true && phone["lobby"]?.light.isMarked == true)

        #expect(try await desk.answer(to: .read(room, nil)).effect?.revision == 2)
        try await phone.until { $0["lobby"]?.light.isMarked == false }
        #expect(phone["lobby"]?.light.read == 2)
    }

    @Test
    func aHintThatIsTooHighHidesNothingThatIsCommitted() async throws {
        let address = try PostgresAddress.unused()
        let pair = try await Pair(address)
        _ = try await pair.ann.answer(to: .say("first"))
        _ = try await pair.bob.diffs(upTo: 1)

        try ThrowawayPostgres.shared.get().query(
            "SELECT pg_notify('diffroom_\(address.schema)', E'r somebody\\n\(room)\\t999999')")
        for number in 2...5 {
            _ = try await pair.ann.answer(to: .say("\(number)"))
            #expect(try await pair.bob.diffs(upTo: Revision(number)).flatMap(\.insertions).map(\.text) == ["\(number)"])
        }
    }

    @Test
    func aCommandThatIsRepeatedOnAnotherServerIsDoneOnce() async throws {
        let pair = try await Pair(.unused())
        let id = MessageID.random()

        #expect(try await pair.ann.answer(to: .say("once", id: id)).revision == 1)
        let ann = try await pair.second.join(as: "ann")

        #expect(try await ann.answer(to: .say("once", id: id)).revision == 1)
    }

    /// Every connected client, on each server, starts again with a snapshot.
    @Test
    func aNewEpochIsThereAtOnceOnOpenConnections() async throws {
        let address = try PostgresAddress.unused()
        let pair = try await Pair(address)
        _ = try await pair.ann.answer(to: .say("before"))
        _ = try await pair.bob.diffs(upTo: 1)

        let epoch = try PostgresStore.beginEpoch(at: address).epoch

        for person in [pair.ann, pair.bob] {
            while true {
                guard case .snapshot(nil, _, let snapshot as ServerFrame.Snapshot<Message>) = try await person.frame()
                else { continue }
                #expect(snapshot.epoch == epoch && snapshot.why == .epoch)
                #expect(snapshot.snapshot.rows.map(\.text) == ["before"])
                break
            }
        }
        #expect(try await pair.ann.answer(to: .say("after")).revision == 2)
        #expect(try await pair.bob.diffs(upTo: 2).flatMap(\.insertions).map(\.text) == ["after"])
    }

    /// The server was silent for longer than its lease, and the others have switched to a format that it does not know.
    @Test
    func aServerThatTheOthersHaveOutgrownSendsEverybodyAway() async throws {
        let address = try PostgresAddress.unused()
        var patience = PostgresStore.Patience()
        patience.lease = .zero
        let earlier = try ServerUnderTest(store: PostgresStore(address, patience: patience, knows: 1))
        let ann = try await earlier.follow(as: "ann")

        let later = try ServerUnderTest(store: PostgresStore(address))

        while true {
            guard case .bye(CloseCode.restart, _, .some) = try await ann.frame() else { continue }
            break
        }
        let again = try await later.follow(as: "ann")
        #expect(try await again.answer(to: .say("from the later one")).revision == 1)
    }

    /// A user without the right to notify: every hint is lost.
    @Test
    func withoutNotificationsEverythingArrivesAllTheSame() async throws {
        let database = try ThrowawayPostgres()
        try database.query("CREATE ROLE mute LOGIN")
        try database.query("GRANT CREATE ON DATABASE postgres TO mute")
        try database.query("REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC")
        let address = "postgres:///postgres?user=mute&host=\(database.folder)"
        let pair = try await Pair(PostgresAddress(address))

        for number in 1...3 as ClosedRange<Revision> {
            _ = try await pair.ann.answer(to: .say("\(number)"))
            #expect(try await pair.bob.diffs(upTo: number).last?.insertions.last?.text == "\(number)")
        }
    }

    @Test
    func whileTheDatabaseIsAwayReadersReadAndSendersWait() async throws {
        let database = try ThrowawayPostgres()
        let pair = try await Pair(PostgresAddress(database.address))
        _ = try await pair.ann.answer(to: .say("before"))
        _ = try await pair.bob.diffs(upTo: 1)
        try database.kill()

        let sent = pair.ann.send(.say("meanwhile"))
        let carl = try await pair.second.join(as: "carl")
        guard
            case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = try await carl.answer(
                to: .subscribe(lobby, limit: 50, resume: nil))
        else { throw Unexpected() }
        #expect(snapshot.snapshot.rows.map(\.text) == ["before"])
        let asked = pair.ann.send(.ping)
        var frame = try await pair.ann.frame()
        while frame.ref == nil { frame = try await pair.ann.frame() }
        #expect(frame.ref == asked, "the message was answered without a database: \(frame)")

        try database.start()
        while frame.ref != sent { frame = try await pair.ann.frame() }
        #expect(frame.revision == 2)
        #expect(try await pair.bob.diffs(upTo: 2).last?.insertions.map(\.text) == ["meanwhile"])
    }
}

/// The news between servers.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct HintTests {
    private enum Heard: Equatable {
        case asked
        case reached(Revision)
    }

    @Test
    func whoeverFollowsNothingAsksNoServerWhoIsThere() async throws {
        let address = try PostgresAddress.unused()
        let server = try ServerUnderTest(store: PostgresStore(address))
        let listener = try PostgresStore(address)
        let (news, heard) = AsyncStream<Heard>.makeStream()
        listener.others?.listen { item in
            switch item {
            case .presenceRequested(let rooms?) where rooms.contains(room): heard.yield(.asked)
            case .reached(room, let revision): heard.yield(.reached(revision))
            case .sent(room, let messages, _): for message in messages { heard.yield(.reached(message.row.rev)) }
            case .reached, .sent, .presenceRequested, .present, .lost, .missed, .caughtUp, .format, .rewritten,
                .membershipsChanged, .affiliatesChanged,
                .invalidated, .renewed, .misplaced, .unwritable, .writable, .clockIsWrong, .clockIsRight, .warned:
                break
            }
        }
        listener.others?.follow(room, withPeople: true)
        let ann = try await server.join(as: "ann")

        let others: [ClientFrame.Request] = [
            .page(lobby, .before(9), limit: 32), .audit(room, before: 9, limit: 32), .typing(room, .on), .read(room, 1),
        ]
        for number in 1...20 {
            for request in others { _ = try await ann.answer(to: request) }
            _ = try await ann.answer(to: .say("\(number)"))
        }

        var all: [Heard] = []
        for await item in news {
            all.append(item)
            if item == .reached(20) { break }
        }
        #expect(!all.contains(.asked))
    }
}

/// A server whose rows differ reports it, and takes the database's.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct DivergenceTests {
    @Test
    func aRoomThatDiffersFromAnotherServersIsReadAnew() async throws {
        let address = try PostgresAddress.unused()
        let server = try ServerUnderTest(store: PostgresStore(address))
        let ann = try await server.follow(as: "ann")
        let bob = try await server.follow(as: "bob")
        _ = try await ann.answer(to: .say("1"))
        // The announcement of another server with other rows.
        try ThrowawayPostgres.shared.get().query(
            "INSERT INTO \(address.schema).fingerprints SELECT id, 64, 1 FROM \(address.schema).rooms")

        for number in 2...64 { _ = try await ann.answer(to: .say("\(number)")) }

        while true {
            guard case .snapshot(nil, _, let snapshot as ServerFrame.Snapshot<Message>) = try await bob.frame() else {
                continue
            }
            #expect(snapshot.snapshot.revision == 64 && snapshot.snapshot.rows.last?.text == "64")
            break
        }
        #expect(server.server.metricsText.contains("diffroom_divergences_total 1"))
    }

    @Test
    func serversThatHaveTheSameAgree() async throws {
        let address = try PostgresAddress.unused()
        let (agreements, report) = AsyncStream<Bool>.makeStream()
        let stores = try [PostgresStore(address), PostgresStore(address)].map { ComparingStore($0, report) }
        let (first, second) = (try ServerUnderTest(store: stores[0]), try ServerUnderTest(store: stores[1]))
        let ann = try await first.follow(as: "ann")
        let bob = try await second.follow(as: "bob")

        for number in 1...128 as ClosedRange<Revision> {
            _ = try await ann.answer(to: .say("\(number)"))
            _ = try await bob.diffs(upTo: number)
        }
        // Each compares at the revisions 64 and 128.
        var agreed: [Bool] = []
        for await isAgreed in agreements {
            agreed.append(isAgreed)
            if agreed.count == 4 { break }
        }
        #expect(agreed == [true, true, true, true])

        for server in [first, second] { #expect(server.server.metricsText.contains("diffroom_divergences_total 0")) }
    }
}

/// People on another server are listed.
@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "has databases of its own"))
struct MembersOfSeveralServersTests {
    private let first, second: ServerUnderTest

    init() throws {
        let address = try PostgresAddress.unused()
        (first, second) = (
            try ServerUnderTest(store: PostgresStore(address)), try ServerUnderTest(store: PostgresStore(address))
        )
    }

    @Test
    func whoIsOnOneServerIsThereOnTheOther() async throws {
        let ann = try await first.follow(as: "ann")
        let bob = try await MembersWatcher(try await second.follow(as: "bob"))
        try await bob.until { $0.rows.count == 2 }

        #expect(Set(bob.online) == ["ann", "bob"])
        let carl = try await MembersWatcher(ann)
        try await carl.until { $0.rows.count == 2 }
        #expect(Set(carl.online) == ["ann", "bob"])
    }

    @Test
    func whoTypesAndReadsOnOneServerDoesSoOnTheOther() async throws {
        let ann = try await first.follow(as: "ann")
        let bob = try await MembersWatcher(try await second.follow(as: "bob"))
        _ = try await ann.answer(to: .say("read this"))

        _ = try await ann.answer(to: .typing(room, .on))
        try await bob.until { $0["ann"]?.light.isTyping == true }
        _ = try await ann.answer(to: .typing(room, .off))
        try await bob.until { $0["ann"]?.light.isTyping == false }
        _ = try await ann.answer(to: .read(room, 1))
        try await bob.until { $0["ann"]?.light.read == 1 }
    }

    /// Nobody has the room open on the server that shows the list.
    @Test
    func whoTypesOnOneServerShowsInTheListOfRoomsOnTheOther() async throws {
        let ann = try await first.follow(as: "ann")
        let bob = try await RoomsWatcher(second.join(as: "bob"))
        _ = try await bob.answer(to: .join(room))
        try await bob.until { $0["lobby"] != nil }

        _ = try await ann.answer(to: .typing(room, .on))
        try await bob.until { $0["lobby"]?.light.isTyping == true }
        let eve = try await MembersWatcher(second.join(as: "eve"))
        try await eve.until { $0["ann"]?.light.isTyping == true }
        _ = try await ann.answer(to: .typing(room, .off))
        try await bob.until { $0["lobby"]?.light.isTyping == false }
    }

    @Test
    func whoLeavesOneServerIsGoneOnTheOther() async throws {
        let ann = try await first.follow(as: "ann")
        let bob = try await MembersWatcher(try await second.follow(as: "bob"))
        try await bob.until { $0.rows.count == 2 }

        ann.close()

        try await bob.until { $0["ann"]?.section == .offline }
    }

    @Test
    func whoIsOnBothStaysThereWhenOneConnectionEnds() async throws {
        let ann = try await first.follow(as: "ann")
        _ = try await second.follow(as: "ann")
        let bob = try await MembersWatcher(try await second.follow(as: "bob"))
        try await bob.until { $0.rows.count == 2 }
        let carl = try await first.follow(as: "carl")
        try await bob.until { $0.rows.count == 3 }

        ann.close()
        carl.close()

        try await bob.until { $0["carl"]?.section == .offline }
        #expect(Set(bob.online) == ["ann", "bob"])
    }
}

extension PostgresAddress {
    /// Returns a database without rooms, in the server that the tests share.
    static func unused() throws -> PostgresAddress {
        let name = "test_" + UUID().uuidString.filter { $0 != "-" }.lowercased()
        return try PostgresAddress(ThrowawayPostgres.shared.get().address, schema: name)
    }
}

/// A store that reports the comparisons with other servers.
private final class ComparingStore: ForwardingStore {
    let store: any RoomStore
    let others: (any OtherServers)?

    init(_ store: PostgresStore, _ report: AsyncStream<Bool>.Continuation) {
        self.store = store
        others = store.others.map { ComparingServers($0, report) }
    }
}

private final class ComparingServers: OtherServers {
    private let servers: any OtherServers
    private let report: AsyncStream<Bool>.Continuation

    init(_ servers: any OtherServers, _ report: AsyncStream<Bool>.Continuation) {
        (self.servers, self.report) = (servers, report)
    }

    var detectsLostNews: Bool { servers.detectsLostNews }

    func listen(_ handler: @escaping @Sendable (News) -> Void) { servers.listen(handler) }
    func follow(_ room: RoomName, withPeople: Bool) { servers.follow(room, withPeople: withPeople) }
    func leave(_ room: RoomName) { servers.leave(room) }
    func announce(_ people: [Presence], in room: RoomName) { servers.announce(people, in: room) }
    func cancelWaiting() { servers.cancelWaiting() }

    func agree(on fingerprint: UInt64, at revision: Revision, of room: RoomName) throws(RoomStoreError) -> Bool {
        let isAgreed = try servers.agree(on: fingerprint, at: revision, of: room)
        report.yield(isAgreed)
        return isAgreed
    }
}
