import ChatRoom
import ChatWire
import RoomStore
import StoreEngine
import Testing

import struct TestSupport.SplitMix64
import class TestSupport.TemporaryFolder

@testable import SQLiteStore

private let day = Retention.day

/// In every store, members' settings, the numbers of unread messages, and of those that mention somebody, equal a recount after any sends, deletions, trims and forgetting; so do the newest ones that mention somebody.
struct UnreadTests {
    private let folder = TemporaryFolder()
    private let otherFolder = TemporaryFolder()

    @Test(arguments: StoreUnderTest.histories(200))
    func afterAnyHistoryEachMembershipReadsAsTheNaiveStoreSays(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: HistoryTests.limits)
        var naive = Dictionary(
            uniqueKeysWithValues: HistoryTests.rooms.map { ($0, NaiveRoom(limits: HistoryTests.limits)) })

        for round in 0..<10 {
            let batch = Self.batch(round: round, using: &random).map { $0.later(by: Int64(round) * day) }
            var entries = batch.map(BatchEntry.operation)
            for mark in marks(in: naive, using: &random) {
                entries.insert(.mark(mark), at: .random(in: 0...entries.count, using: &random))
            }
            let verdicts = entries.compactMap { naive.take($0) }
            try #require(try store.commit(inOrder: entries).map(NaiveRoom.Verdict.init) == verdicts)
            if Bool.random(using: &random) { try trim(store, &naive, at: Int64(round) * day + 2_000, using: &random) }
            try expect(store, toReadAs: naive)
        }
    }

    @Test(arguments: StoreUnderTest.histories(200))
    func howASequenceIsCutIntoBatchesMakesNoDifference(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: HistoryTests.limits)
        let other = try kind.make(in: otherFolder, limits: HistoryTests.limits)
        var naive = [lobby: NaiveRoom(limits: HistoryTests.limits)]
        var rest = (1...40).map { Self.entry($0, using: &random) }
        let verdicts = rest.compactMap { naive.take($0) }

        #expect(try other.commit(inOrder: rest).map(NaiveRoom.Verdict.init) == verdicts)
        var outcomes: [CommitOutcome] = []
        while !rest.isEmpty {
            let batch = rest.prefix(.random(in: 1...8, using: &random))
            rest.removeFirst(batch.count)
            outcomes += try store.commit(inOrder: Array(batch))
        }

        #expect(outcomes.map(NaiveRoom.Verdict.init) == verdicts)
        for user in HistoryTests.people {
            let reading = naive[lobby]!.membership(of: user, in: lobby)
            #expect(try store.memberships(of: user) == [reading].compactMap(\.self))
            #expect(try other.memberships(of: user) == [reading].compactMap(\.self))
        }
    }

    /// A recount in SQL, which shares nothing with the store's counters nor with the naive store.
    @Test(arguments: UInt64(0)..<20)
    func afterEachOperationTheFileCountsAsItsRowsDo(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let path = folder.file("rooms.db")
        let store = try SQLiteStore(path: path, limits: HistoryTests.limits)
        let recount = try Recount(of: path)
        for round in 0..<5 {
            for operation in Self.batch(round: round, using: &random) {
                let mark = ReadMark(
                    room: operation.room, user: HistoryTests.people.randomElement(using: &random)!,
                    revision: .random(in: 0...60, using: &random))
                for entry in [.operation(operation), .mark(mark)] as [BatchEntry] {
                    _ = try store.commit(inOrder: [entry])
                    let told = try store.memberships(of: HistoryTests.people, in: entry.room).values
                        .map { "\($0.user) \($0.unread) \($0.mentions)" }
                    let counted = try recount.members(of: entry.room)
                    try #require(Set(told) == counted, "after \(entry)")
                }
            }
        }
    }

    /// What two people do about their read marks while something is said.
    private static func entry(_ number: UInt64, using random: inout SplitMix64) -> BatchEntry {
        let person = HistoryTests.people.prefix(2).randomElement(using: &random)!
        func sort() -> UInt64 { .random(in: 1...number + 2, using: &random) }
        let action: RoomAction
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<3: action = .send("hello")
        case 3, 4: action = .join
        case 5: action = Bool.random(using: &random) ? .leave : .join
        case 6: action = .settings(HistoryTests.settings(using: &random))
        case 7: action = .settings(SettingsChange(isMarked: .random(using: &random)))
        case 8, 9: action = .settings(SettingsChange(unreadFrom: sort()))
        default: return .mark(ReadMark(room: lobby, user: person, revision: sort()))
        }
        return .operation(.act(number, action, by: person))
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
                action = .send(MessageContent("hello", mentions: mentions))
            case 5: action = .edit(recent, ContentEdit("hello", mentions: HistoryTests.mentions(using: &random)))
            case 6, 7: action = .delete(recent)
            case 8, 9: action = .join
            case 10: action = .leave
            case 12: action = .settings(HistoryTests.settings(using: &random))
            case 13: action = .settings(SettingsChange(unreadFrom: .random(in: 1...40, using: &random)))
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
            try expectPlaces(of: user, in: store, asIn: readings)
            let some = Set(HistoryTests.rooms.suffix(2))
            let byRoom = try store.memberships(of: user, in: Array(some)).sorted { $0.room < $1.room }
            #expect(byRoom == readings.filter { some.contains($0.room) }.sorted { $0.room < $1.room })
            for rooms in [HistoryTests.rooms, Array(HistoryTests.rooms.prefix(1)), []] {
                let mentions = rooms.map { room in naive[room]!.mentions(of: user, in: room) }
                let all = mentions.flatMap(\.self)
                #expect(try store.mentions(of: user, in: rooms, before: nil, limit: 999) == all.newest(999))
                #expect(try store.mentions(of: user, in: rooms, before: nil, limit: 5) == newest(5, of: mentions))
            }
        }
        for (room, naive) in naive {
            let readings = HistoryTests.people.compactMap { naive.membership(of: $0, in: room) }
            #expect(
                try store.memberships(of: HistoryTests.people, in: room)
                    == Dictionary(uniqueKeysWithValues: readings.map { ($0.user, $0) }))
        }
    }

    /// One after the other, the newest of what was said last in each room. So in a room the later is the newer, whatever the
    /// clocks said.
    private func newest(_ limit: Int, of rooms: [[MentionReading]]) -> [MentionReading] {
        var (rest, newest): ([[MentionReading]], [MentionReading]) = (rooms.filter { !$0.isEmpty }, [])
        while newest.count < limit,
            let next = rest.indices.min(by: { rest[$0].last!.isNewer(than: rest[$1].last!) })
        {
            newest.append(rest[next].removeLast())
            if rest[next].isEmpty { rest.remove(at: next) }
        }
        return newest.sorted { $1.isNewer(than: $0) }
    }

    private func expectPlaces(of user: UserName, in store: any RoomStore, asIn readings: [MembershipReading]) throws {
        let places = readings.map { reading in
            MembershipPlace(
                room: reading.room, kind: reading.kind, time: reading.time, pinned: reading.settings.pinned,
                isArchived: reading.settings.isArchived, standing: reading.standing,
                activity: reading.activity)
        }
        #expect(try store.places(of: user).sorted { $0.room < $1.room } == places.sorted { $0.room < $1.room })
    }

    // MARK: - One by one

    private func unread(of user: UserName, in store: any RoomStore) throws -> Int? {
        try store.memberships(of: [user], in: lobby)[user]?.unread
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aReadMarkCountsIfItIsBeforeTheMarkAsUnread(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let batches = [[["read", "mark"]], [["read"], ["mark"]], [["mark", "read"]], [["mark"], ["read"]]]

        for (number, batches) in batches.enumerated() {
            let room = RoomName("room\(number)")!
            let entries: [String: BatchEntry] = [
                "read": .mark(ReadMark(room: room, user: Someone.bob, revision: 10)),
                "mark": .operation(
                    .act(30, .settings(SettingsChange(unreadFrom: 8)), by: Someone.bob, in: room)),
            ]
            _ = try store.commit(
                [.act(1, .join, by: Someone.bob, in: room)]
                    + (11...20).map { .act($0, .send("hello"), by: Someone.ann, in: room) })
            _ = try store.commit([], marking: [ReadMark(room: room, user: Someone.bob, revision: 3)])
            for batch in batches { _ = try store.commit(inOrder: batch.compactMap { entries[$0] }) }
        }

        #expect(try store.memberships(of: Someone.bob).map(\.read) == [7, 7, 3, 3])
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

    /// The mark goes back, and read marks from before that change nothing, whenever they come.
    @Test(arguments: StoreUnderTest.allCases)
    func whatIsMarkedIsUnreadFromAMessageOn(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        func mark(_ revision: Revision) throws {
            _ = try store.commit([], marking: [ReadMark(room: lobby, user: Someone.bob, revision: revision)])
        }
        _ = try store.commit([.act(1, .join, by: Someone.bob)] + (11...20).map { .send($0) })
        try mark(3)

        _ = try store.commit(
            [.act(30, .settings(SettingsChange(unreadFrom: 5)), by: Someone.bob)],
            marking: [ReadMark(room: lobby, user: Someone.bob, revision: 10)])

        #expect(try unread(of: Someone.bob, in: store) == 7)
        for revision in [4, 9, 11] as [Revision] {
            try mark(revision)
            #expect(try unread(of: Someone.bob, in: store) == 7, "read up to \(revision)")
        }
        _ = try store.commit([.act(31, .settings(SettingsChange(unreadFrom: 9)), by: Someone.bob)])
        #expect(try unread(of: Someone.bob, in: store) == 7)
        try mark(12)
        #expect(try unread(of: Someone.bob, in: store) == 7)
        try mark(13)
        #expect(try unread(of: Someone.bob, in: store) == 0)
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

/// Counts what is unread of the messages themselves.
private struct Recount: ~Copyable {
    private let connection: Connection
    private let counts: Statement

    init(of path: String) throws {
        let connection = try Connection.open(path)
        counts = try Statement(
            """
            SELECT member.user, count(sort), coalesce(sum(
                author <> member.user AND CASE substr(text, 1, 2) WHEN char(1, 123)
                THEN json_extract(substr(text, 2), '$.everyone') IS TRUE
                    OR EXISTS(SELECT 1 FROM json_each(substr(text, 2), '$.mentions') WHERE value = member.user)
                ELSE 0 END), 0)
            FROM rooms JOIN memberships AS member ON member.room = rooms.id
                LEFT JOIN messages ON messages.room = rooms.id AND sort > read
            WHERE name = ?1 GROUP BY member.user
            """, on: connection)
        self.connection = connection
    }

    /// Returns each member with the numbers of unread messages and mentions.
    borrowing func members(of room: RoomName) throws -> Set<String> {
        counts.bind(1, room.description)
        return Set(
            try counts.all { (row) throws(RoomStoreError) in
                "\(try row.text(0)) \(row.integer(1)) \(row.integer(2))"
            })
    }
}

extension [RoomName: NaiveRoom] {
    /// `nil` for a read mark.
    fileprivate mutating func take(_ entry: BatchEntry) -> NaiveRoom.Verdict? {
        switch entry {
        case .operation(let entry): return self[entry.room]!.apply(entry.operation)
        case .mark(let mark):
            self[mark.room]!.mark(mark.user, upTo: mark.revision)
            return nil
        }
    }
}
