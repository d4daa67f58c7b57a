import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// Joining, leaving and reading on, in every store.
struct MembershipTests {
    private let folder = TemporaryFolder()
    private static let attic = RoomName("attic")!

    private func join(_ number: UInt64, by user: UserName = Someone.bob, in room: RoomName = lobby) -> RoomOperation {
        .act(number, .join, by: user, as: .read, in: room)
    }

    private func leave(_ number: UInt64, by user: UserName = Someone.bob, in room: RoomName = lobby) -> RoomOperation {
        .act(number, .leave, by: user, as: .read, in: room)
    }

    private func ban(_ number: UInt64, _ user: UserName = Someone.bob) -> RoomOperation {
        .act(number, .moderate(.ban(user)), by: Someone.ann, as: .moderate)
    }

    private func rooms(of user: UserName = Someone.bob, in store: any RoomStore) throws -> [RoomName] {
        try store.memberships(of: user).map(\.room)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whoJoinsHasReadAll(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        let outcomes = try store.commit([.send(1), join(2), .send(3)])

        #expect(outcomes[1] == .committed(2, .joined(Someone.bob)))
        let reading = try #require(try store.memberships(of: Someone.bob).first)
        #expect((reading.room, reading.user, reading.revision) == (lobby, Someone.bob, 3))
        #expect((reading.joined, reading.time, reading.read, reading.unread) == (2, 1_002, 2, 1))
        #expect(reading.last?.id == id(3) && reading.last?.section == .history)
        #expect(try store.memberships(of: [Someone.ann, Someone.bob], in: lobby) == [Someone.bob: reading])
        #expect(try store.memberships(of: Someone.ann) == [])
    }

    /// A hundred messages of one millisecond, and a message elsewhere in the next: its room was the last.
    @Test(arguments: StoreUnderTest.allCases)
    func aBusyRoomStandsBehindOneInWhichSomethingIsSaidLater(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let (now, busy, quiet) = (Milliseconds(1_700_000_000_000), RoomName("busy")!, RoomName("quiet")!)
        _ = try store.commit([join(1, in: busy), join(2, in: quiet)])

        _ = try store.commit((10..<110).map { RoomOperation.send($0, to: busy).at(now) })
        _ = try store.commit([RoomOperation.send(200, to: quiet).at(now + 1)])

        let places = try store.places(of: Someone.bob)
        #expect(places.sorted { $0.activity < $1.activity }.map(\.room) == [busy, quiet])
    }

    /// Whatever the names, the pages are those of all names in the order of their bytes.
    @Test(arguments: StoreUnderTest.allCases)
    func theMembersOfARoomAreListedInPages(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let names = ["ann", "bob", "Zoë", "z", "é", "日本", "a b", "ann2"].compactMap { UserName($0) }
        let secret = RoomName(privateRoomOf: id(99))
        _ = try store.commit(
            names.enumerated().map { join(UInt64($0) + 1, by: $1) }
                + [.act(99, .create(.private(people: [Someone.bob])), by: Someone.ann, in: secret)]
                + [leave(50, by: UserName("z")!), join(51, by: Someone.ann, in: Self.attic)])
        let expected = names.filter { $0.description != "z" }.sorted()

        for limit in 1...8 {
            var listed: [UserName] = []
            while case let page = try store.members(of: lobby, after: listed.last, limit: limit), !page.isEmpty {
                #expect(page.count == min(limit, expected.count - listed.count))
                listed += page.map(\.user)
            }
            #expect(listed == expected)
        }
        #expect(try store.members(of: secret, after: nil, limit: 9).map(\.user) == [Someone.ann, Someone.bob])
        #expect(try store.members(of: RoomName("nowhere")!, after: nil, limit: 9) == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func joiningAndLeavingAgainChangesNothingAndIsRemembered(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        #expect(try store.commit([leave(1)]) == [.repeated(0)], "a leave creates no room")
        #expect(try store.rooms(after: nil, limit: 9) == [])
        #expect(try store.commit([join(2), .send(3), join(4)]).last == .committed(3, .nothing))
        let reading = try #require(try store.memberships(of: Someone.bob).first)
        #expect((reading.joined, reading.read, reading.unread) == (1, 1, 1))
        #expect(try store.commit([join(2), join(4)]) == [.repeated(1), .repeated(3)])
        #expect(try store.commit([join(3)]) == [.conflict])
        #expect(
            try store.commit([leave(5), leave(6)]) == [.committed(4, .left(Someone.bob)), .committed(5, .nothing)])
        #expect(
            try store.operations(lobby, since: 0, limit: 9).map(\.operation.action) == [
                .join, .send("hello"), .join, .leave, .leave,
            ])
        #expect(try rooms(in: store) == [])
    }

    /// The answer to each is lost after the commit, and another device does the opposite. The repeat gets the lost answer and
    /// undoes nothing, also after a restart of the store.
    @Test(arguments: StoreUnderTest.allCases)
    func aRepeatAfterALostAnswerGetsThatAnswer(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let (quiet, loud) = (SettingsChange(isMuted: true), SettingsChange(isMuted: false))
        func set(_ number: UInt64, _ change: SettingsChange) -> RoomOperation {
            .act(number, .settings(change), by: Someone.bob, as: .read)
        }
        _ = try store.commit([.send(1)])
        for (lost, other) in [
            (join(2), leave(3)), (leave(4), join(5)), (join(6), leave(7)), (join(8), leave(9)), (leave(10), join(11)),
            (set(12, quiet), set(13, loud)), (set(14, loud), set(15, quiet)), (set(16, quiet), set(17, loud)),
        ] {
            let revision = try #require(try store.commit([lost]).first?.revision)
            _ = try store.commit([other])
            let (before, row) = (try rooms(in: store), try store.memberships(of: Someone.bob))

            #expect(try store.commit([lost]) == [.repeated(revision)], "\(lost)")
            #expect(try rooms(in: store) == before)
            #expect(try store.memberships(of: Someone.bob) == row)
        }
        #expect(try store.commit([set(2, quiet)]) == [.conflict], "an id is of one command")
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aBanEndsAMembershipAndKeepsOneFromJoining(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let owner = RoomOperation.act(5, .join, by: Someone.bob, as: .own)

        #expect(try store.commit([join(1), ban(2), join(3)]).last == .refused(.shutOut(.read)))
        #expect(try rooms(in: store) == [] && store.memberships(of: [Someone.bob], in: lobby) == [:])
        #expect(try store.commit([owner]) == [.refused(.shutOut(.read))])
        let unban = RoomOperation.act(6, .moderate(.unban(Someone.bob)), by: Someone.ann, as: .moderate)
        #expect(try store.commit([unban, join(7)]).map(\.revision) == [3, 4])
        #expect(try rooms(in: store) == [lobby])
        _ = try store.commit([ban(8)])
        #expect(try rooms(in: store) == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whoMayNotReadNeitherJoinsNorLeaves(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let acts = [RoomAction.join, .leave].enumerated().map {
            RoomOperation.act(UInt64($0), $1, by: Someone.bob, as: .none)
        }

        #expect(try store.commit(acts) == [.refused(.notGranted(.read, .none)), .refused(.notGranted(.read, .none))])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func theyAreNotInTheAuditLog(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([join(1), leave(2), ban(3)])

        #expect(try store.audit(lobby, before: .max, limit: 9).entries.map(\.revision) == [3])
    }

    // MARK: - Limit

    @Test(arguments: [StoreUnderTest.memory, .sqlite, .postgres])
    func nobodyIsAMemberOfMoreRoomsThanTheLimit(kind: StoreUnderTest) throws {
        var limits = WireLimits()
        limits.memberships = 3
        let store = try kind.make(in: folder, limits: limits)
        let names = (0..<5).map { RoomName("room-\($0)")! }
        let full = CommitOutcome.refused(.tooManyMemberships(most: 3))

        #expect(try store.commit(names.enumerated().map { join(UInt64($0), in: $1) }).suffix(2) == [full, full])
        #expect(try store.commit([join(10, in: names[3]), join(11, in: names[0])]) == [full, .committed(2, .nothing)])
        let swap = [leave(12, in: names[0]), join(13, in: names[3]), join(14, in: names[4])]
        #expect(
            try store.commit(swap) == [.committed(3, .left(Someone.bob)), .committed(1, .joined(Someone.bob)), full])
        #expect(try rooms(in: store) == Array(names[1...3]))
        #expect(try store.commit([join(15, by: Someone.ann, in: names[4])]).map(\.revision) == [1])
    }

    @Test(arguments: [StoreUnderTest.memory, .sqlite, .postgres])
    func aBanMakesRoomForAnotherMembershipAtOnce(kind: StoreUnderTest) throws {
        var limits = WireLimits()
        limits.memberships = 1
        let store = try kind.make(in: folder, limits: limits)

        #expect(
            try store.commit([join(1), join(2, in: Self.attic), ban(3), join(4, in: Self.attic)])
                == [
                    .committed(1, .joined(Someone.bob)), .refused(.tooManyMemberships(most: 1)),
                    .committed(2, .ruled(.standing(Someone.bob, Standing(isBanned: true)))),
                    .committed(1, .joined(Someone.bob)),
                ])
    }

    // MARK: - Read marks

    @Test(arguments: StoreUnderTest.allCases)
    func aReadMarkOnlyGrowsUpToTheHead(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([join(1), .send(2), .send(3)])
        func read(_ revisions: Revision...) throws -> Revision? {
            let marks = revisions.map { ReadMark(room: lobby, user: Someone.bob, revision: $0) }
            _ = try store.commit([], marking: marks)
            return try store.memberships(of: Someone.bob).first?.read
        }

        #expect(try read() == 1)
        #expect(try read(0) == 1)
        #expect(try read(2) == 2)
        #expect(try read(1, 3, 2) == 3)
        #expect(try read(.max) == 3)
        _ = try store.commit([.send(4)])
        #expect(try store.memberships(of: Someone.bob).first?.unread == 1)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aMarkOfSomebodyWhoIsNotAMemberDoesNothing(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1), join(2), leave(3)])
        let marks = [lobby, Self.attic].map { ReadMark(room: $0, user: Someone.bob, revision: 1) }

        #expect(try store.commit([], marking: marks) == [])

        #expect(try store.memberships(of: Someone.bob) == [])
        #expect(try store.rooms(after: nil, limit: 9).map(\.name) == [lobby])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aMarkIsOfTheRoomAtItsPlaceInTheBatch(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let mark = BatchEntry.mark(ReadMark(room: lobby, user: Someone.bob, revision: 9))

        _ = try store.commit(inOrder: [mark, .operation(join(1)), .operation(.send(2)), mark, .operation(.send(3))])

        let reading = try #require(try store.memberships(of: Someone.bob).first)
        #expect((reading.read, reading.unread) == (2, 1))
    }

    // MARK: - Names

    /// Two people, to every store.
    @Test(arguments: StoreUnderTest.allCases)
    func anotherSpellingIsAnotherMember(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let names = ["Jos\u{E9}", "Jose\u{301}"].map { UserName(known: $0)! }

        _ = try store.commit([join(1, by: names[0])])

        #expect(try rooms(of: names[1], in: store) == [])
        #expect(try store.commit([leave(2, by: names[1]), join(3, by: names[1])]).map(\.revision) == [2, 3])
        #expect(try store.memberships(of: names, in: lobby).mapValues(\.joined) == [names[0]: 1, names[1]: 3])
        #expect(try store.memberships(of: names, in: Self.attic) == [:])
    }
}
