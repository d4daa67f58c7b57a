import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// Readings, from every store.
struct ReadTests {
    private let folder = TemporaryFolder()

    @Test(arguments: StoreUnderTest.allCases)
    func aRoomThatNobodyWroteToIsEmptyAtRevisionZero(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        #expect(
            try store.read(lobby, tail: 10, since: 0, atMost: 10)
                == RoomReading(revision: 0, count: 0, tail: [], changes: .all([]), rules: RoomRules(of: .open)))
        let nothing = ListPage<Message>(revision: 0, from: 0, to: 0, rows: [], more: false, newer: false)
        #expect(try store.page(lobby, .before(1), limit: 10) == nothing)
        #expect(try store.operations(lobby, since: 0, limit: 10) == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aRoomWhereAllWasRefusedIsEmptyAtRevisionZero(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.delete(1, 2)])

        #expect(try store.read(lobby, tail: 1, since: nil, atMost: 0).revision == 0)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func theTailIsTheEndAscending(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit((1...5).map { .send($0) })

        #expect(try store.read(lobby, tail: 3, since: nil, atMost: 0).tail.map(\.sort) == [3, 4, 5])
        #expect(try store.read(lobby, tail: 0, since: nil, atMost: 0).tail == [])
    }

    // MARK: - Rooms

    @Test(arguments: StoreUnderTest.allCases)
    func roomsAreListedInTheOrderOfTheirNamesBytes(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let names = ["Zoo", "attic", "b-2", "b.1", "lobby"].map { RoomName($0)! }
        for name in names.shuffled() { _ = try store.commit([.send(1, to: name), .send(2, to: name)]) }
        _ = try store.commit([.delete(3, 1)])
        _ = try store.commit([.act(9, .delete(id(1)), by: Someone.ann, in: RoomName("refused")!)])

        let rooms = try store.rooms(after: nil, limit: 10)

        #expect(rooms.map(\.name) == names)
        #expect(rooms.last == RoomSummary(name: lobby, revision: 3, count: 1))
        #expect(try store.rooms(after: names[1], limit: 2) == Array(rooms[2...3]))
        #expect(try store.rooms(after: lobby, limit: 10) == [])
    }

    // MARK: - Changes

    @Test(arguments: StoreUnderTest.allCases)
    func aRevisionThatTheRoomHasNotReachedIsTheFuture(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1)])

        for since in [2, .max] as [Revision] {
            #expect(try store.read(lobby, tail: 0, since: since, atMost: 10).changes == .future)
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func moreChangesThanAreWorthItAreTooMany(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        // One of each kind of change: inserted, touched, deleted.
        _ = try store.commit([.send(1), .send(2), .send(3), .edit(4, 1, "bye"), .delete(5, 2)])

        #expect(try store.read(lobby, tail: 0, since: 2, atMost: 2).changes == .tooMany)
        #expect(try store.read(lobby, tail: 0, since: 2, atMost: 3).changes.all?.map(\.rev) == [3, 4, 5])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func manyTouchesOfOneRowAreOneChange(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1), .edit(2, 1, "a"), .edit(3, 1, "b"), .react(4, 1), .react(5, 1, "👍", .off)])

        let changes = try store.read(lobby, tail: 1, since: 1, atMost: 10)

        #expect(changes.changes == .all([.row(changes.tail[0], reloaded: 3)]))
    }

    // MARK: - Pages

    @Test(arguments: StoreUnderTest.allCases)
    func walkingThePagesMeetsEveryRowOnce(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit((1...20).map { .send($0) } + [.delete(30, 7), .delete(31, 1), .delete(32, 20)])

        var rows: [Message] = []
        var page = try store.page(lobby, .before(.max), limit: 4)
        while let here = page {
            rows.insert(contentsOf: here.rows, at: 0)
            page = here.more ? try store.page(lobby, .before(here.from), limit: 4) : nil
        }

        #expect(rows.map(\.sort) == (2...19).filter { $0 != 7 })
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aPageBeforeTheBeginningIsEmpty(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1)])

        let nothing = ListPage<Message>(revision: 1, from: 0, to: 0, rows: [], more: false, newer: true)
        #expect(try store.page(lobby, .before(1), limit: 10) == nothing)
        #expect(try store.page(lobby, .before(0), limit: 10)?.rows == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aPageSaysWhetherThereIsMore(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit((1...4).map { .send($0) })

        #expect(try store.page(lobby, .before(4), limit: 2)?.more == true)
        #expect(try store.page(lobby, .before(4), limit: 3)?.more == false)
    }

    // MARK: - Operations

    @Test(arguments: StoreUnderTest.allCases)
    func operationsComeBackAsTheyWere(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let batch: [RoomOperation] = [
            .act(1, .send(MessageContent("a\u{0}", replyTo: id(77))), by: Someone.ann), .edit(2, 1, "b"), .react(3, 1),
            .react(4, 1, "👍", .off), .delete(5, 1), .act(6, .send("c"), by: Someone.bob, as: .own),
        ]
        _ = try store.commit(batch)

        #expect(
            try store.operations(lobby, since: 0, limit: 10)
                == zip(1..., batch).map { CommittedOperation(revision: $0, operation: $1.operation) })
    }

    @Test(arguments: StoreUnderTest.allCases)
    func operationsAreThoseAboveARevisionUpToALimit(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit((1...9).map { .send($0) })

        #expect(try store.operations(lobby, since: 3, limit: 2).map(\.revision) == [4, 5])
        #expect(try store.operations(lobby, since: 9, limit: 2) == [])
    }
}

extension RoomReading.Changes {
    var all: [RoomChange]? {
        if case .all(let changes) = self { changes } else { nil }
    }
}
