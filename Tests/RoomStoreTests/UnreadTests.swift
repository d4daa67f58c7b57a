import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

private let day = Retention.day

/// In every store, members' settings, the numbers of unread messages, and of those that mention somebody, equal a recount after any sends, deletions, trims and forgetting; so do the newest ones that mention somebody.
struct UnreadTests {
    private let folder = TemporaryFolder()

    @Test(arguments: StoreUnderTest.histories(200))
    func afterAnyHistoryEachMembershipReadsAsTheNaiveStoreSays(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: HistoryTests.limits)
        var naive = Dictionary(
            uniqueKeysWithValues: HistoryTests.rooms.map { ($0, NaiveRoom(limits: HistoryTests.limits)) })

        for round in 0..<10 {
            let batch = Self.batch(round: round, using: &random).map { $0.later(by: Int64(round) * day) }
            let verdicts = batch.map { naive[$0.room]!.apply($0.operation) }
            let marks = marks(in: naive, using: &random)
            for mark in marks { naive[mark.room]!.mark(mark.user, upTo: mark.revision) }
            try #require(try store.commit(batch, marking: marks).map(NaiveRoom.Verdict.init) == verdicts)
            if Bool.random(using: &random) { try trim(store, &naive, at: Int64(round) * day + 2_000, using: &random) }
            try expect(store, toReadAs: naive)
        }
    }

    /// Much is said and deleted again while people join, leave and are banned.
    static func batch(round: Int, using random: inout SplitMix64) -> [RoomOperation] {
        let first = UInt64(round) * 20 + 100
        return (0..<UInt64.random(in: 0...19, using: &random)).flatMap { number -> [RoomOperation] in
            let recent = id(UInt64.random(in: first - 40...first + number, using: &random))
            let action: RoomAction
            switch Int.random(in: 0..<14, using: &random) {
            case 0..<5:
                let mentions = HistoryTests.mentions(using: &random)
                action = .send(text: "hello", replyTo: nil, mentions: mentions)
            case 5: action = .edit(recent, text: "hello", mentions: HistoryTests.mentions(using: &random))
            case 6, 7: action = .delete(recent)
            case 8, 9: action = .join
            case 10: action = .leave
            case 12, 13: action = .settings(HistoryTests.settings(using: &random))
            default: return HistoryTests.batch(round: round, using: &random)
            }
            return [
                .act(
                    first + number, action, by: HistoryTests.people.randomElement(using: &random)!, as: .own,
                    in: HistoryTests.rooms[Int.random(in: 0...1, using: &random)])
            ]
        }
    }

    /// Some of people who are no members, and of revisions that are to come.
    private func marks(in naive: [RoomName: NaiveRoom], using random: inout SplitMix64) -> [ReadMark] {
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
            let room = HistoryTests.rooms.randomElement(using: &random)!
            let revision = Revision.random(in: 0...naive[room]!.revision + 2, using: &random)
            return ReadMark(
                room: room, user: HistoryTests.people.randomElement(using: &random)!, revision: revision)
        }
    }

    private func trim(
        _ store: any RoomStore, _ naive: inout [RoomName: NaiveRoom], at now: Milliseconds,
        using random: inout SplitMix64
    ) throws {
        let rule = Retention.Rule(
            messages: Bool.random(using: &random) ? Int.random(in: 0...6, using: &random) : nil, age: nil)
        let retention = Retention(rule, resumeTime: Int64.random(in: 1...3, using: &random) * day)
        try store.trim(retention, at: now)
        for room in HistoryTests.rooms { naive[room]?.trim(rule, at: now, forgetting: now - retention.resumeTime) }
    }

    private func expect(_ store: any RoomStore, toReadAs naive: [RoomName: NaiveRoom]) throws {
        for user in HistoryTests.people {
            let readings = naive.compactMap { room, naive in naive.membership(of: user, in: room) }
            #expect(
                try store.memberships(of: user) == readings.sorted { $0.room.description < $1.room.description })
            for rooms in [HistoryTests.rooms, Array(HistoryTests.rooms.prefix(1)), []] {
                let mentions = rooms.map { room in naive[room]!.mentions(of: user, in: room) }
                #expect(try store.mentions(of: user, in: rooms, limit: 999) == mentions.flatMap(\.self).newest(999))
                // Of a clock that went back the latest are not the newest.
                guard mentions.map({ $0.map(\.message.time) }).allSatisfy({ $0 == $0.sorted() }) else { continue }
                #expect(try store.mentions(of: user, in: rooms, limit: 5) == mentions.flatMap(\.self).newest(5))
            }
        }
        for (room, naive) in naive {
            let readings = HistoryTests.people.compactMap { naive.membership(of: $0, in: room) }
            #expect(
                try store.memberships(of: HistoryTests.people, in: room)
                    == Dictionary(uniqueKeysWithValues: readings.map { ($0.user, $0) }))
        }
    }

    // MARK: - One by one

    private func unread(of user: UserName, in store: any RoomStore) throws -> Int? {
        try store.memberships(of: [user], in: lobby)[user]?.unread
    }

    @Test(arguments: StoreUnderTest.allCases)
    func deletionsCountAlsoWhenTheyAreForgotten(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1), .act(2, .join, by: Someone.bob)])
        _ = try store.commit((11...20).map { .send($0) } + [.delete(31, 13), .delete(32, 20)])
        #expect(try unread(of: Someone.bob, in: store) == 8)

        try store.trim(Retention(.everything), at: 9 * day)
        #expect(try store.read(lobby, tail: 0, since: 3, atMost: 9).changes == .gone)
        #expect(try unread(of: Someone.bob, in: store) == 8)

        _ = try store.commit([.delete(33, 11).later(by: 9 * day), .send(21).later(by: 9 * day)])
        #expect(try unread(of: Someone.bob, in: store) == 8)
        try store.trim(Retention(.init(messages: 3)), at: 9 * day + 5_000)
        #expect(try unread(of: Someone.bob, in: store) == 3)
        try store.trim(Retention(.init(messages: 0)), at: 9 * day + 5_000)
        #expect(try unread(of: Someone.bob, in: store) == 0)
        _ = try store.commit([.send(22).later(by: 9 * day)])
        #expect(try unread(of: Someone.bob, in: store) == 1)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whatIsReadWithinTheHistoryLeavesTheRestUnread(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.act(1, .join, by: Someone.bob)] + (11...20).map { .send($0) })

        for (read, unread) in [(1, 10), (2, 9), (7, 4), (6, 4), (11, 0), (99, 0)] as [(Revision, Int)] {
            #expect(
                try store.commit([], marking: [ReadMark(room: lobby, user: Someone.bob, revision: read)]) == [])
            #expect(try self.unread(of: Someone.bob, in: store) == unread, "read up to \(read)")
        }
        _ = try store.commit([.send(21)])
        #expect(try unread(of: Someone.bob, in: store) == 1)
    }
}
