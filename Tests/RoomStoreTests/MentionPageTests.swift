import ChatRoom
import ChatWire
import RoomStore
import Testing

import struct TestSupport.SplitMix64
import class TestSupport.TemporaryFolder

/// In every store, pages of the messages that mention somebody, one before the other, are all of them.
struct MentionPageTests {
    private let folder = TemporaryFolder()

    @Test(arguments: StoreUnderTest.histories(60))
    func pagesOneBeforeTheOtherAreAllThereAre(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: HistoryTests.limits)
        let naive = try history(of: store, using: &random)

        for user in HistoryTests.people {
            for rooms in [HistoryTests.rooms, [], HistoryTests.rooms.suffix(2).reversed()] {
                let whole = mentions(of: user, in: rooms, naive)
                let limit = Int.random(in: 1...4, using: &random)
                #expect(try pages(of: user, in: rooms, limit: limit, from: store) == whole)
            }
        }
    }

    @Test(arguments: StoreUnderTest.histories(60))
    func aPageEndsWhereAMessageWasThatIsDeleted(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: HistoryTests.limits)
        var naive = try history(of: store, using: &random)

        for number in 1...5 as ClosedRange<UInt64> {
            let user = HistoryTests.people.randomElement(using: &random)!
            let whole = mentions(of: user, in: HistoryTests.rooms, naive)
            guard let index = whole.indices.randomElement(using: &random) else { continue }
            let deletion = RoomOperation.act(
                900 + number, .delete(whole[index].message.id), by: Someone.ann, as: .moderate, in: whole[index].room)
            try apply([deletion.at(9_000)], to: store, &naive)

            let page = try store.mentions(
                of: user, in: HistoryTests.rooms, before: MentionSpot(whole[index]), limit: 999)

            #expect(page == Array(whole[..<index]))
        }
    }

    /// Also before a place whose message was trimmed.
    @Test(arguments: StoreUnderTest.histories(60))
    func pagesHaveNothingThatWasTrimmed(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: HistoryTests.limits)
        var naive = try history(of: store, using: &random)
        let (before, now) = (naive, 9_000 as Milliseconds)
        let retention = Retention(.init(messages: .random(in: 0...5, using: &random)))
        try store.trim(retention, at: now)
        for room in HistoryTests.rooms {
            naive[room]?.trim(retention.rule(for: room), at: now, forgetting: now - retention.resumeTime)
        }

        for user in HistoryTests.people {
            let whole = mentions(of: user, in: HistoryTests.rooms, naive)
            #expect(try pages(of: user, in: HistoryTests.rooms, limit: 3, from: store) == whole)
            var earlier: Set<MyMention.ID> = []
            for reading in mentions(of: user, in: HistoryTests.rooms, before) {
                let place = MentionSpot(reading)
                let page = try store.mentions(of: user, in: HistoryTests.rooms, before: place, limit: 999)
                #expect(page == whole.filter { earlier.contains($0.id) })
                earlier.insert(reading.id)
            }
        }
    }

    /// As if the place were before all of its time.
    @Test(arguments: StoreUnderTest.allCases)
    func aPlaceWhoseMessageNobodyKnowsIsATime(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit(
            (1...6).map { send($0, in: HistoryTests.rooms[Int($0 % 2)], at: 50 + Milliseconds($0 / 3)) })
        let kitchen = HistoryTests.rooms[1]

        let page = try store.mentions(
            of: Someone.bob, in: HistoryTests.rooms,
            before: MentionSpot(id: .init(room: kitchen, message: id(77)), instant: 51), limit: 9)

        // Of its time the messages of rooms whose names come behind are older.
        #expect(page.map { $0.message.id } == [id(2), id(1), id(4)])
    }

    // MARK: - Histories

    /// Many messages share a time, within a room and between rooms.
    private func history(
        of store: any RoomStore, using random: inout SplitMix64
    ) throws -> [RoomName: NaiveRoom] {
        var naive = Dictionary(
            uniqueKeysWithValues: HistoryTests.rooms.map { ($0, NaiveRoom(limits: HistoryTests.limits)) })
        var time: Milliseconds = 1_000
        let batch = (1...UInt64.random(in: 1...40, using: &random)).map { number in
            if Int.random(in: 0..<4, using: &random) == 0 { time += 1 }
            return operation(number, using: &random).at(time)
        }
        try apply(batch, to: store, &naive)
        return naive
    }

    private func operation(_ number: UInt64, using random: inout SplitMix64) -> RoomOperation {
        let recent = id(.random(in: 1...number, using: &random))
        let action: RoomAction =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .join
            case 1: .delete(recent)
            case 2: .edit(recent, ContentEdit("hello", mentions: HistoryTests.mentions(using: &random)))
            default: .send(MessageContent("hello", mentions: HistoryTests.mentions(using: &random)))
            }
        return .act(
            number, action, by: HistoryTests.people.randomElement(using: &random)!, as: .moderate,
            in: HistoryTests.rooms.randomElement(using: &random)!)
    }

    private func apply(
        _ batch: [RoomOperation], to store: any RoomStore, _ naive: inout [RoomName: NaiveRoom]
    ) throws {
        let verdicts = batch.map { naive[$0.room]!.apply($0.operation) }
        try #require(try store.commit(batch).map(NaiveRoom.Verdict.init) == verdicts)
    }

    private func send(_ number: UInt64, in room: RoomName, at time: Milliseconds) -> RoomOperation {
        RoomOperation.act(
            number, .send(MessageContent("hello", mentions: [Someone.bob])), by: Someone.ann, in: room
        ).at(time)
    }

    private func mentions(
        of user: UserName, in rooms: [RoomName], _ naive: [RoomName: NaiveRoom]
    ) -> [MentionReading] {
        rooms.flatMap { naive[$0]!.mentions(of: user, in: $0) }.newest(.max)
    }

    private func pages(
        of user: UserName, in rooms: [RoomName], limit: Int, from store: any RoomStore
    ) throws -> [MentionReading] {
        var (whole, page): ([MentionReading], [MentionReading]) = ([], [])
        repeat {
            page = try store.mentions(of: user, in: rooms, before: whole.first.map { MentionSpot($0) }, limit: limit)
            whole = page + whole
        } while page.count == limit
        return whole
    }
}

extension MentionSpot {
    fileprivate init(_ reading: MentionReading) {
        self.init(id: reading.id, instant: reading.instant)
    }
}
