import ChatRoom
import ChatServer
import ChatWire
import Replicas
import TestSupport
import Testing
import WebSocketTransport

/// The members of a room over real sockets. The times are short; tests without a clock cover their meaning.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct MembersTests {
    private func server(_ configure: (inout ChatServerConfiguration) -> Void = { _ in }) throws -> ServerUnderTest {
        try ServerUnderTest {
            $0.members.tick = .milliseconds(20)
            $0.members.grace = .milliseconds(40)
            configure(&$0)
        }
    }

    @Test
    func whoeverFollowsTheMessagesIsThereAndWhoeverOnlyWatchesIsNot() async throws {
        let server = try server()
        let eve = try await MembersWatcher(server.join(as: "eve"))
        #expect(eve.members.rows == [] && eve.members.counts == [.online: 0, .offline: 0, .invited: 0])

        let ann = try await server.follow(as: "ann")
        let bob = try await server.follow(as: "bob")
        try await eve.until { $0.counts == [.online: 2, .offline: 0, .invited: 0] }
        #expect(eve.online == ["ann", "bob"])

        bob.close()
        try await eve.until { $0["bob"]?.section == .offline }
        #expect(eve.online == ["ann"] && eve.offline == ["bob"])
        _ = try await ann.answer(to: .unsubscribe(lobby))
        try await eve.until { $0.counts == [.online: 0, .offline: 2, .invited: 0] }
        #expect(eve.offline == ["ann", "bob"])
    }

    @Test
    func somebodyWithTwoConnectionsStandsOnceAndGoesWithTheLast() async throws {
        let server = try server()
        let eve = try await MembersWatcher(server.join(as: "eve"))
        let first = try await server.follow(as: "ann")
        let second = try await server.follow(as: "ann")

        first.close()
        _ = try await server.follow(as: "bob")
        try await eve.until { $0["bob"] != nil }
        #expect(eve.online == ["ann", "bob"] && eve.members.revision == 2)

        second.close()
        try await eve.until { $0["ann"]?.section == .offline }
        #expect(eve.members.revision == 3)
    }

    @Test
    func whoGoesSilentIsGoneWithoutFurtherGrace() async throws {
        let server = try server {
            $0.members.grace = .seconds(300)
            $0.transport.heartbeatSeconds = 0.5
            $0.transport.heartbeatGraceSeconds = 2
            $0.transport.closeSeconds = 300
        }
        // It answers pings; a peer that reads nothing does not.
        let eve = try await MembersWatcher(server.join(as: "eve"))
        let ann = try await server.follow(as: "ann")
        try await eve.until { $0["ann"]?.section == .online }

        ann.pauseReading()

        try await eve.until { $0["ann"]?.section == .offline }
    }

    @Test
    func aQuickReturnIsNotTold() async throws {
        let server = try server { $0.members.grace = .seconds(60) }
        let eve = try await MembersWatcher(server.join(as: "eve"))
        for _ in 0..<3 {
            let ann = try await server.follow(as: "ann")
            ann.close()
            #expect(try await ann.next() == .closed(1000))
        }
        _ = try await server.follow(as: "ann")
        _ = try await server.follow(as: "bob")

        try await eve.until { $0["bob"] != nil }
        #expect(eve.online == ["ann", "bob"] && eve.members.revision == 2 && eve.diffs == 2)
    }

    @Test
    func aConnectionThatIsCutIsGone() async throws {
        let server = try server()
        let eve = try await MembersWatcher(server.join(as: "eve"))
        let elsewhere = try Connections()
        let ann = try elsewhere.connect(to: server.server.port)
        _ = try await ann.answer(to: .hello(.user(UserName("ann")!)))
        _ = try await ann.answer(to: .subscribe(lobby, limit: 50, resume: nil))
        try await eve.until { $0["ann"]?.section == .online }

        elsewhere.stop()

        try await eve.until { $0["ann"]?.section == .offline }
    }

    @Test
    func typingIsSeenAndEndsByItself() async throws {
        let server = try server { $0.members.typing = .milliseconds(500) }
        let ann = try await server.follow(as: "ann")
        let eve = try await MembersWatcher(server.join(as: "eve"))

        #expect(try await ann.answer(to: .typing(room, .on)) == .ok(ref: 3, nil))

        let began = try await eve.next()
        #expect(began.reconfigurations.map(\.light.isTyping) == [true] && began.changeCount == 1)
        let ended = try await eve.next()
        #expect(ended.reconfigurations.map(\.light.isTyping) == [false] && ended.changeCount == 1)
    }

    @Test
    func aMessageEndsTyping() async throws {
        let server = try server { $0.members.typing = .seconds(60) }
        let ann = try await server.follow(as: "ann")
        let eve = try await MembersWatcher(server.join(as: "eve"))
        _ = try await ann.answer(to: .typing(room, .on))
        try await eve.until { $0["ann"]?.light.isTyping == true }

        _ = try await ann.answer(to: .say("done"))

        try await eve.until { $0["ann"]?.light.isTyping == false }
    }

    @Test
    func aReadMarkIsSeenAndDoesNotRunAhead() async throws {
        let server = try server()
        let ann = try await server.follow(as: "ann")
        let eve = try await MembersWatcher(server.join(as: "eve"))
        for text in ["one", "two", "three"] { _ = try await ann.answer(to: .say(text)) }

        #expect(try await ann.answer(to: .read(room, 2)).errorCode == nil)
        #expect(try await ann.answer(to: .read(room, 4)).errorCode == .badRequest)

        try await eve.until { $0["ann"]?.light.read == 2 }
    }

    @Test
    func whatTheListDoesNotDoHasAClearAnswer() async throws {
        let server = try server()
        let ann = try await server.join(as: "ann")

        let page = try await ann.answer(to: .page(lobbyMembers, .before(9), limit: 50))
        let error = WireError(
            .invalid, "before: pages of members have only `after`, a name, and `find`, a text", field: "before")
        #expect(page == .error(ref: 2, error))
        #expect(try await ann.answer(to: .typing(room, .on)).errorCode == .notFound)
        #expect(try await ann.answer(to: .read(room, 0)).errorCode == .notFound)
        #expect(try await ann.answer(to: .unsubscribe(lobbyMembers)).errorCode == .notFound)
        _ = try await MembersWatcher(ann)
        #expect(try await ann.answer(to: .unsubscribe(lobbyMembers)).errorCode == nil)
    }

    @Test
    func aboveTheShownSizeTheOthersAreCounted() async throws {
        let server = try server { $0.members.shown = 3 }
        let eve = try await MembersWatcher(server.join(as: "eve"))
        var people: [Connection] = []
        for number in 1...5 { people.append(try await server.follow(as: "p\(number)")) }
        try await eve.until { $0.counts?[.online] == 5 }
        #expect(eve.online == ["p1", "p2", "p3"])

        people[1].close()
        try await eve.until { $0.counts == [.online: 4, .offline: 1, .invited: 0] }
        #expect(eve.online == ["p1", "p3", "p4"] && eve.offline == ["p2"])
        let late = try await MembersWatcher(server.join(as: "late"))
        #expect(late.members.rows == eve.members.rows && late.members.counts == eve.members.counts)
        #expect(!late.members.more)
    }

    @Test
    func aResumeIsAnsweredWithOneNetDiff() async throws {
        let server = try server()
        let ann = try await server.follow(as: "ann")
        let eve = try await MembersWatcher(server.join(as: "eve"))
        let old = eve.members
        _ = try await ann.answer(to: .typing(room, .on))
        let bob = try await server.follow(as: "bob")
        try await eve.until { $0["bob"]?.section == .online && $0["ann"]?.light.isTyping == true }
        bob.close()
        _ = try await ann.answer(to: .typing(room, .off))
        try await eve.until { $0["bob"]?.section == .offline && $0["ann"]?.light.isTyping == false }

        let late = try await MembersWatcher(server.join(as: "eve"), holding: old)

        guard case .diff(_, _, _, let diff as ListDiff<Member>) = late.answer else { throw Unexpected() }
        #expect(diff.insertions.map(\.id.description) == ["bob"])
        #expect(diff.reconfigurations.map(\.id.description) == ["ann"] && diff.changeCount == 2)
        #expect(late.members.rows == eve.members.rows)
    }

    @Test
    func roomsThatNobodyIsInAreNotKeptWithoutLimit() async throws {
        let server = try server {
            $0.shards = 1
            $0.restingRooms = 4
        }
        let eve = try await server.join(as: "eve")
        for number in 1...5 {
            let ann = try await server.join(as: "ann")
            let room = RoomName("r\(number)")!
            _ = try await ann.answer(to: .subscribe(.messages(room), limit: 50, resume: nil))
            _ = try await eve.answer(to: .subscribe(.members(room), limit: 50, resume: nil))
            ann.close()
            while try await eve.memberDiff().counts?[.offline] != 1 {}
            _ = try await eve.answer(to: .unsubscribe(.members(room)))
        }

        var remembered: [Int] = []
        for number in 1...5 {
            let list = ListName.members(RoomName("r\(number)")!)
            let answer = try await eve.answer(to: .subscribe(list, limit: 50, resume: nil))
            guard case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Member>) = answer else {
                throw Unexpected()
            }
            remembered.append(snapshot.snapshot.rows.count)
        }
        #expect(remembered == [0, 0, 0, 1, 1])
    }

    @Test
    func theListOfAnotherRunOfTheServerIsAnotherOne() async throws {
        let first = try server()
        _ = try await first.follow(as: "ann")
        let old = try await MembersWatcher(first.join(as: "eve")).members
        let second = try server()

        let eve = try await MembersWatcher(second.join(as: "eve"), holding: old)

        guard case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Member>) = eve.answer else {
            throw Unexpected()
        }
        #expect(snapshot.why == .epoch && eve.members.rows == [])
    }
}
