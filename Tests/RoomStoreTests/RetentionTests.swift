import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

private let day = Retention.day

/// The trimming and keeping of rows, in every store.
struct RetentionTests {
    private let folder = TemporaryFolder()

    // MARK: - Against the naive store

    @Test(arguments: StoreUnderTest.histories(100))
    func afterAnyHistoryARoomReadsAsTheNaiveStoreSays(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: HistoryTests.limits)
        var naive = Dictionary(
            uniqueKeysWithValues: HistoryTests.rooms.map { ($0, NaiveRoom(limits: HistoryTests.limits)) })

        for round in 0..<8 {
            let batch = HistoryTests.batch(round: round, using: &random).map { $0.later(by: Int64(round) * day) }
            let verdicts = batch.map { naive[$0.room]!.apply($0.operation) }
            try #require(try store.commit(batch).map(NaiveRoom.Verdict.init) == verdicts)
            guard Bool.random(using: &random) else { continue }
            let retention = retention(using: &random)
            let now = Int64(round) * day + 2_000
            let shortened = try store.trim(retention, at: now)
            for room in HistoryTests.rooms {
                let before = naive[room]?.revision
                naive[room]?.trim(retention.rule(for: room), at: now, forgetting: now - retention.resumeTime)
                #expect(shortened[room] == (naive[room]?.revision == before ? nil : naive[room]?.revision))
            }
        }

        for (room, naive) in naive {
            try HistoryTests().expect(store, room, toReadAs: naive, using: &random)
        }
    }

    private func retention(using random: inout SplitMix64) -> Retention {
        func rule() -> Retention.Rule {
            Retention.Rule(
                messages: Bool.random(using: &random) ? Int.random(in: 0...5, using: &random) : nil,
                age: Bool.random(using: &random) ? Int64.random(in: 0...4, using: &random) * day : nil)
        }
        let rules = [RoomPattern("k*")!: rule(), RoomPattern("attic")!: .everything]
        return Retention(rule(), rules: rules, resumeTime: Int64.random(in: 1...3, using: &random) * day)
    }

    // MARK: - One by one

    @Test(arguments: StoreUnderTest.allCases)
    func theLastMessagesAreKeptAndTheListBeginsWithThem(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit((1...10).map { .send($0) })

        let shortened = try store.trim(Retention(.init(messages: 3)), at: 2_000)

        #expect(shortened == [lobby: 11])
        let reading = try store.read(lobby, tail: 10, since: 10, atMost: 10)
        #expect(reading.revision == 11 && reading.count == 3 && reading.start == 8)
        #expect(reading.tail.map(\.sort) == [8, 9, 10] && reading.changes == .all([]))
        let page = try #require(try store.page(lobby, .before(9), limit: 10))
        #expect(page.rows.map(\.sort) == [8] && !page.more)
        #expect(try store.commit([.send(11)]).map(\.revision) == [12])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aRoomThatLosesAllItsMessagesGoesOn(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit((1...10).map { .send($0) })

        try store.trim(Retention(.init(age: day)), at: 9 * day)

        let empty = try store.read(lobby, tail: 10, since: 3, atMost: 10)
        #expect(empty.revision == 11 && empty.count == 0 && empty.tail == [] && empty.changes == .gone)
        #expect(try store.operations(lobby, since: 0, limit: 20) == [])
        #expect(try store.trim(Retention(.init(age: day)), at: 9 * day).isEmpty)
        #expect(try store.commit([.send(20).later(by: 9 * day)]).map(\.revision) == [12])
        #expect(try store.read(lobby, tail: 10, since: 11, atMost: 10).changes.all?.map(\.rev) == [12])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whatWasTrimmedIsNotFoundAndItsSendIsARepeatAsLongAsItIsRemembered(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let retention = Retention(.init(messages: 1))
        _ = try store.commit([.send(1), .send(2)])
        try store.trim(retention, at: 2_000)

        #expect(try store.commit([.edit(3, 1, "bye")]) == [.refused(.notFound(id(1)))])
        #expect(try store.commit([.send(1)]) == [.repeated(1)])
        try store.trim(retention, at: 2_000 + 8 * day)
        #expect(try store.commit([.send(1), .send(2)]).map(\.revision) == [4, nil])
        #expect(try store.commit([.edit(4, 2, "bye")]).map(\.revision) == [5])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whoWasAwayForLongerThanIsRememberedIsToldThatItIsGone(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let late: [RoomOperation] = [.send(4), .delete(5, 4)]
        _ = try store.commit([.send(1), .send(2), .delete(3, 1)] + late.map { $0.later(by: 8 * day) })

        try store.trim(Retention(.everything), at: 9 * day)

        #expect(try store.read(lobby, tail: 9, since: 2, atMost: 9).changes == .gone)
        #expect(try store.read(lobby, tail: 9, since: 3, atMost: 9).changes.all?.map(\.rev) == [5])
        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 9).tail.map(\.sort) == [2])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func theAuditLogIsKept(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([
            .send(1), .act(2, .delete(id(1)), by: Someone.bob, as: .moderate),
            .act(3, .moderate(.ban(Someone.ann)), by: Someone.bob, as: .moderate),
        ])
        let before = try store.audit(lobby, before: .max, limit: 9)

        try store.trim(Retention(.init(messages: 0)), at: 9 * day)

        #expect(before.entries.count == 2)
        #expect(try store.audit(lobby, before: .max, limit: 9) == before)
        #expect(try store.operations(lobby, since: 0, limit: 9).map(\.revision) == [2, 3])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aRoomWithARuleOfItsOwnFollowsIt(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let names = ["log", "log-a", "log-b", "other"].map { RoomName($0)! }
        _ = try store.commit(names.flatMap { name in (1...5).map { .send($0, to: name) } })
        let rules = [RoomPattern("log-*")!: Retention.Rule(messages: 2), RoomPattern("log-b")!: .everything]

        try store.trim(Retention(.init(messages: 4), rules: rules), at: 2_000)

        #expect(try names.map { try store.read($0, tail: 0, since: nil, atMost: 0).count } == [4, 2, 5, 4])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func moreThanOneStepCanDoIsDoneInSeveral(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let names = (0..<150).map { RoomName("room-\($0)")! }
        _ = try store.commit(names.flatMap { name in (1...3).map { .send($0, to: name) } })
        _ = try store.commit((1...1_000).map { .send($0) })
        let retention = Retention(.init(messages: 1))

        let part = store.part(of: lobby)
        let first = try store.trim(retention, part: part, after: nil, at: 2_000)
        let shortened = try store.trim(retention, at: 2_000)

        #expect(first.next == .after(nil) && first.rows == Trimming.entries && first.shortened == [lobby: 1_001])
        #expect(shortened.count == 151 && shortened[lobby] == 1_004)
        #expect(try (names + [lobby]).allSatisfy { try store.read($0, tail: 9, since: nil, atMost: 0).count == 1 })
    }
}

extension RoomStore {
    /// Trims a whole pass, and returns the rooms whose lists begin later now.
    @discardableResult
    func trim(_ retention: Retention, at now: Milliseconds) throws(RoomStoreError) -> [RoomName: Revision] {
        var shortened: [RoomName: Revision] = [:]
        for part in 0..<parts {
            var next = Trimming.Next.after(nil)
            while case .after(let room) = next {
                let step = try trim(retention, part: part, after: room, at: now)
                shortened.merge(step.shortened) { $1 }
                next = step.next
            }
        }
        return shortened
    }
}

extension RoomOperation {
    func later(by time: Milliseconds) -> RoomOperation {
        var later = Operation(
            command: operation.command, author: operation.author, role: operation.role, time: operation.time + time,
            action: operation.action)
        later.requester = operation.requester
        return RoomOperation(room: room, operation: later)
    }
}
