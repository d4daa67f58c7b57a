import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// Pages at any place and what returning readers hold, from every store, beside the whole list.
struct RangeTests {
    private let folder = TemporaryFolder()
    private static let end: Revision = 200

    /// A room of sends, edits, reactions and deletions.
    private func room(_ kind: StoreUnderTest, _ random: inout SplitMix64) throws -> any RoomStore {
        let store = try kind.make(in: folder)
        var there: [UInt64] = []
        for number in 1...Self.end {
            let target = there.randomElement(using: &random)
            switch (Int.random(in: 0..<10, using: &random), target) {
            case (0, let target?):
                _ = try store.commit([.delete(number, target)])
                there.removeAll { $0 == target }
            case (1, let target?): _ = try store.commit([.edit(number, target, "edit \(number)")])
            case (2, let target?): _ = try store.commit([.react(number, target, "e\(number)")])
            default:
                _ = try store.commit([.send(number)])
                there.append(number)
            }
        }
        return store
    }

    private func rows(of store: any RoomStore) throws -> [Message] {
        try store.read(lobby, tail: .max, since: nil, atMost: 0).tail
    }

    @Test(arguments: StoreUnderTest.allCases, UInt64(1)...3)
    func aPageHasAllRowsOfItsRange(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try room(kind, &random)
        let rows = try rows(of: store)
        for _ in 0..<60 {
            let limit = Int.random(in: 1...40, using: &random)
            let (one, other) = (
                UInt64.random(in: 0...220, using: &random), UInt64.random(in: 221...240, using: &random)
            )
            let row = try #require(rows.randomElement(using: &random))
            let places: [PagePlace] = [
                .before(one), .after(one), .between(after: one, before: other), .around(.id(row.id)),
                .around(.revision(one)), .around(.time(row.time)),
            ]
            for place in places {
                let page = try #require(try store.page(lobby, place, limit: limit))

                let inside = page.from <= page.to ? rows.filter { (page.from...page.to).contains($0.sort) } : []
                #expect(page.rows == inside, "\(place)")
                #expect(page.more == rows.contains { $0.sort < page.from }, "\(place)")
                #expect(page.newer == rows.contains { $0.sort > page.to }, "\(place)")
                #expect(page.rows.count <= limit && page.to <= max(page.revision, one), "\(place)")
                #expect(page.more || page.from == 0 || place == .after(one), "\(place)")
                if case .around(.id(let id)) = place { #expect(page.rows.contains { $0.id == id }) }
            }
            let before = try store.page(lobby, .before(one), limit: limit)
            #expect(before?.rows == rows.filter { $0.sort < one }.suffix(limit))
            let after = try store.page(lobby, .after(one), limit: limit)
            #expect(after?.rows == Array(rows.filter { $0.sort > one }.prefix(limit)))
            let between = try store.page(lobby, .between(after: one, before: 150), limit: limit)
            #expect(between?.rows == rows.filter { $0.sort > one && $0.sort < 150 }.suffix(limit))
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aPageAroundWhatIsNotThereIsNone(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1), .send(2), .delete(3, 1)])

        #expect(try store.page(lobby, .around(.id(id(1))), limit: 10) == nil)
        #expect(try store.page(lobby, .around(.id(id(9))), limit: 10) == nil)
        #expect(try store.page(RoomName("other")!, .around(.id(id(2))), limit: 10) == nil)
        #expect(try store.page(lobby, .around(.time(.max)), limit: 10)?.rows.map(\.sort) == [2])
    }

    @Test(arguments: StoreUnderTest.allCases, UInt64(1)...3)
    func whatAReaderHoldsIsReadWithAllItsChanges(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try room(kind, &random)
        let rows = try rows(of: store)
        guard case .all(let all) = try store.read(lobby, tail: 0, since: 0, atMost: 1_000).changes else {
            Issue.record("not all changes")
            return
        }
        for _ in 0..<60 {
            let since = Revision.random(in: 1...Self.end, using: &random)
            let ranges = ranges(upTo: since, &random)
            let query = HeldQuery(
                since: since, ranges: Int.random(in: 0..<4, using: &random) == 0 ? nil : ranges,
                at: Bool.random(using: &random) ? UInt64.random(in: 0...since, using: &random) : nil,
                mostChanges: .random(in: 1...60, using: &random), mostRows: .random(in: 1...120, using: &random))

            let reading = try store.soundHeld(query, in: lobby)

            func isIn(_ ranges: [SortKeys], _ sort: UInt64) -> Bool { ranges.contains { $0.contains(sort) } }
            let held = query.ranges ?? [0...since]
            #expect(reading.rows == rows.filter { isIn(reading.ranges, $0.sort) }.map { RowStamp($0) })
            let changes = all.filter { $0.rev > since && isIn(reading.ranges, $0.sort) }
            #expect(reading.changes.sorted { $0.rev < $1.rev } == changes)
            #expect(reading.changes.count <= query.mostChanges && reading.rows.count <= query.mostRows)
            #expect(reading.ranges.allSatisfy { keys in held.contains { $0.clamped(to: keys) == keys } })
            // Nothing is let go of that fits, and what the reader looks at is let go of last.
            let changed = all.filter { $0.rev > since && isIn(held, $0.sort) }.count
            let size = rows.filter { isIn(held, $0.sort) }.count
            if changed <= query.mostChanges, size <= query.mostRows, query.at == nil {
                #expect(reading.ranges == held)
            }
            if let at = query.at, isIn(held, at) {
                #expect(isIn(reading.ranges, at) || query.mostChanges <= 2 || query.mostRows <= 2)
            }
        }
    }

    /// Ranges that end at a revision.
    private func ranges(upTo end: Revision, _ random: inout SplitMix64) -> [SortKeys] {
        var ranges: [SortKeys] = []
        var low = UInt64.random(in: 0...end, using: &random)
        while low < end, ranges.count < 5 {
            let high = UInt64.random(in: low...end, using: &random)
            ranges.append(low...high)
            guard high + 2 < end else { break }
            low = UInt64.random(in: high + 2...end, using: &random)
        }
        guard let last = ranges.last, last.upperBound + 1 >= end else { return ranges + [end...end] }
        return ranges.dropLast() + [last.lowerBound...end]
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aReaderFromBeforeWhatIsRememberedHoldsNothing(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1), .send(2)])
        let query = HeldQuery(since: 9, ranges: nil, at: nil, mostChanges: 10, mostRows: 10)

        #expect(try store.soundHeld(query, in: lobby).ranges == [])
    }
}
