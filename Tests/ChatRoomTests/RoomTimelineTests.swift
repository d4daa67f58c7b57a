import ChatRoom
import ChatWire
import TestSupport
import Testing

struct RoomTimelineTests {
    @Test(arguments: UInt64(0)..<30)
    func aDiffSinceAnyRevisionIsTheNetDifferenceOfTheTwoStates(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let model = RoomModel(operations: 120, using: &random)
        let start = Revision.random(in: 0...40, using: &random)
        var timeline = RoomTimeline(model.reading(at: start, tail: 64, since: nil), changesSince: nil)
        for revision in (start + 1)...model.revision { timeline.apply(model.changes[Int(revision)], at: revision) }

        for base in start...model.revision {
            #expect(
                timeline.diff(since: base)?.resolved(in: model.states[Int(base)...Int(timeline.revision)]).sorted
                    == model.diff(from: base, to: model.revision).sorted)
        }
    }

    @Test(arguments: UInt64(0)..<100)
    func aReadingFromAnyMomentExtendsWhatIsKnownAndChangesNothingElse(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let model = RoomModel(operations: 150, using: &random)
        let start = Revision.random(in: 20...80, using: &random)
        let present = Revision.random(in: start...model.revision, using: &random)
        let moment = Revision.random(in: start...model.revision, using: &random)
        let since = Revision.random(in: 0...start, using: &random)
        var timeline = RoomTimeline(model.reading(at: start, tail: 40, since: nil), changesSince: nil)
        for revision in start..<present { timeline.apply(model.changes[Int(revision + 1)], at: revision + 1) }

        timeline.apply(model.reading(at: moment, tail: 64, since: since), changesSince: since)

        #expect(timeline.revision == max(present, moment))
        for base in since...timeline.revision {
            let expected = model.diff(from: base, to: timeline.revision)
            #expect(
                timeline.diff(since: base)?.resolved(in: model.states[Int(base)...Int(timeline.revision)]).sorted
                    == expected.sorted,
                "since \(base)")
        }
        #expect(timeline.snapshot(limit: 40)?.rows == model.states[Int(timeline.revision)].suffix(40))
    }

    /// As a room reads what other servers have done: changes from a revision that it knows all later touches of.
    @Test(arguments: UInt64(0)..<100)
    func readingsFromOneRevisionToALaterOneFollowTheRoom(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let model = RoomModel(operations: 150, using: &random)
        let start = Revision.random(in: 0...40, using: &random)
        var timeline = RoomTimeline(model.reading(at: start, tail: 64, since: nil), changesSince: nil)

        while timeline.revision < model.revision {
            let since = Revision.random(in: start...timeline.revision, using: &random)
            let moment = Revision.random(in: since...model.revision, using: &random)
            // The changes are enough for who holds the rows.
            let isHeld = timeline.snapshot(limit: 41) != nil && Bool.random(using: &random)
            timeline.apply(model.reading(at: moment, tail: isHeld ? 0 : 64, since: since), changesSince: since)
            guard timeline.revision < model.revision else { break }
            timeline.apply(model.changes[Int(timeline.revision) + 1], at: timeline.revision + 1)
        }

        for base in start...model.revision {
            #expect(
                timeline.diff(since: base)?.resolved(in: model.states[Int(base)...Int(timeline.revision)]).sorted
                    == model.diff(from: base, to: model.revision).sorted)
        }
        #expect(timeline.snapshot(limit: 40)?.rows == model.states[Int(model.revision)].suffix(40))
    }

    @Test(arguments: UInt64(0)..<30)
    func changesWithoutRowsKeepTheRowsThatAreHeld(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var model = RoomModel(operations: 100, using: &random)
        let since = Revision.random(in: 0..<model.revision, using: &random)
        var timeline = RoomTimeline(model.reading(at: since, tail: 1_000, since: nil), changesSince: nil)

        model.trim(Int.random(in: 0...model.rows.count, using: &random))
        timeline.apply(model.reading(tail: 0, since: since), changesSince: since)

        #expect(timeline.tail.elementsEqual(model.rows) && timeline.count == model.rows.count)
        #expect(timeline.bytes >= model.rows.reduce(0) { $0 + $1.bytes })
        #expect(timeline.proof == RoomTimeline(model.reading(tail: 1_000, since: nil), changesSince: nil).proof)
    }

    @Test(arguments: UInt64(0)..<100)
    func aPageThatWasReadEarlierIsBroughtToWhatItsRowsAreByNow(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let model = RoomModel(operations: 150, using: &random)
        let start = Revision.random(in: 20...80, using: &random)
        let moment = Revision.random(in: start...model.revision, using: &random)
        var timeline = RoomTimeline(model.reading(at: start, tail: 40, since: nil), changesSince: nil)
        for revision in (start + 1)...model.revision { timeline.apply(model.changes[Int(revision)], at: revision) }
        let then = model.states[Int(moment)].dropLast(.random(in: 0...20, using: &random)).suffix(30)

        let page = timeline.updated(Self.page(of: Array(then), at: moment))

        let there = Set(then.map(\.id))
        #expect(page?.rows == model.states[Int(model.revision)].filter { there.contains($0.id) })
        #expect(page?.revision == model.revision && page?.more == true)
        #expect(timeline.updated(Self.page(of: [], at: start - 1)) == nil, "too long ago")
    }

    private static func page(of rows: [Message], at revision: Revision) -> ListPage<Message> {
        ListPage(
            revision: revision, from: rows.first?.sort ?? 1, to: rows.last?.sort ?? 1, rows: rows, more: true,
            newer: true)
    }

    @Test
    func aTimelineKeepsAConstantNumberOfRowsAndTouches() throws {
        var random = SplitMix64(seed: 1)
        var timeline = RoomTimeline(
            RoomReading(revision: 0, count: 0, tail: [], changes: .none, rules: RoomRules(of: .open)), changesSince: nil
        )
        for revision in Revision(1)...20_000 {
            let row = Message(
                id: .random(using: &random), section: .socket, sort: revision, rev: revision, author: UserName("ann")!,
                time: 0, content: "")
            timeline.apply(.inserted(row, at: row.time), at: revision)
        }

        #expect(timeline.count == 20_000)
        #expect(timeline.tail.count <= 2_048)
        #expect(timeline.diff(since: timeline.floor)?.insertions.count == Int(timeline.revision - timeline.floor))
        #expect(timeline.revision - timeline.floor <= 1_024)
    }

    /// What is dropped for its size is forgotten as if it were too old, and the sum of the bytes is right.
    @Test(arguments: UInt64(0)..<100)
    func aTimelineThatDropsRowsForTheirSizeKnowsTheOthersAsBefore(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let model = RoomModel(operations: 400, using: &random)
        let start = Revision.random(in: 0...40, using: &random)
        var timeline = RoomTimeline(model.reading(at: start, tail: 64, since: nil), changesSince: nil)

        for revision in (start + 1)...model.revision {
            timeline.apply(model.changes[Int(revision)], at: revision)
            guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
            let (floor, rows) = (timeline.floor, timeline.tail.count)
            let since = Revision.random(in: start...revision, using: &random)
            timeline.trim(toBytes: Int.random(in: 0...2_000, using: &random), since: since)
            #expect(timeline.floor <= max(since, floor) && timeline.tail.count >= min(64, rows))
        }

        #expect(timeline.tail.elementsEqual(model.rows.suffix(timeline.tail.count)))
        for base in timeline.floor...model.revision {
            #expect(
                timeline.diff(since: base)?.resolved(in: model.states[Int(base)...Int(timeline.revision)]).sorted
                    == model.diff(from: base, to: model.revision).sorted)
        }
        timeline.trim(toBytes: 0, since: model.revision)
        #expect(timeline.bytes == timeline.tail.reduce(0) { $0 + $1.bytes })
    }

    @Test
    func aRevisionOutsideOfWhatIsKnownHasNoDiff() {
        let timeline = RoomTimeline(
            RoomReading(revision: 7, count: 0, tail: [], changes: .none, rules: RoomRules(of: .open)), changesSince: nil
        )

        #expect(timeline.diff(since: 6) == nil)
        #expect(timeline.diff(since: 8) == nil)
        #expect(timeline.diff(since: 7)?.changeCount == 0)
    }
}
