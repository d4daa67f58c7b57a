import Diffable
import TestSupport
import Testing

@Suite
struct DifferenceLawTests {
    /// Random pairs of up to five sections. ``replayingGivesTheTargetForEveryPairOfSmallLists(share:)`` covers all
    /// smaller ones, so a few of these are enough.
    @Test(arguments: UInt64(0)..<80, Hashes.allCases)
    func replayingGivesTheTargetWithTheFewestMoves(seed: UInt64, hashes: Hashes) throws {
        try replays(seed, pairs: 100, hashes.identifier)
    }

    private func replays<ID: Numbered>(_ seed: UInt64, pairs: Int, _: ID.Type) throws {
        var lists = RandomLists<ID>(seed: seed)
        for _ in 0..<pairs {
            let (old, new) = lists.pair()
            try expectLaws(from: old, to: new)
        }
    }

    /// Lists of many pages, most of which both share: the shared pages between changes are not examined.
    @Test(arguments: UInt64(0)..<15, Hashes.allCases)
    func replayingGivesTheTargetWhenLongListsShareMostOfTheirRows(seed: UInt64, hashes: Hashes) throws {
        try replaysLongLists(seed, hashes.identifier)
    }

    private func replaysLongLists<ID: Numbered>(_ seed: UInt64, _: ID.Type) throws {
        var edits = RandomEdits<ID>(seed: seed)
        var old = edits.list(hasFewHashes: ID.self != Int.self)
        for _ in 0..<3 {
            var new = old
            for _ in 0...Int.random(in: 0..<5, using: &edits.random) { edits.edit(&new) }
            try expectLaws(from: old, to: new)
            try expectLaws(from: new, to: old)
            old = new
        }
    }

    @Test(arguments: 0...7)
    func replayingGivesTheTargetForEveryPairOfPermutations(count: Int) throws {
        // Renaming both lists alike changes nothing, so one ordered list stands for all.
        let old = Self.flat(Array(0..<count))
        for permutation in Self.permutations(of: count) {
            try expectLaws(from: old, to: Self.flat(permutation))
        }
    }

    /// Lists of one page, as short as those whose rows are compared each with each, and just longer.
    @Test(arguments: 0..<24, Hashes.allCases)
    func replayingGivesTheTargetForShortLists(count: Int, hashes: Hashes) throws {
        try replaysShortLists(count, hashes.identifier)
    }

    private func replaysShortLists<ID: Numbered>(_ count: Int, _: ID.Type) throws {
        var random = SplitMix64(seed: UInt64(count))
        for _ in 0..<60 {
            let lists = (0..<2).map { _ in
                let length = Int.random(in: 0...count, using: &random)
                return (0..<count + 4).shuffled(using: &random).prefix(length).map { ID($0) }
            }
            try expectLaws(from: Self.list([(0, lists[0])]), to: Self.list([(0, lists[1])]))
        }
    }

    /// Each arrangement of up to two sections and three items with each other one: also empty, one-sided and equal
    /// ones.
    @Test(arguments: 0..<5)
    func replayingGivesTheTargetForEveryPairOfSmallLists(share: Int) throws {
        let lists = Self.smallLists()
        for (number, old) in lists.enumerated() where number % 5 == share {
            for new in lists { try expectLaws(from: old, to: new) }
        }
    }

    /// Long lists in which whole stretches moved, which need the weighted search for the rows that stay.
    @Test(arguments: UInt64(0)..<150)
    func replayingGivesTheTargetWhenStretchesOfALongListMove(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stretches: [ArraySlice<Int>] = []
        var rest = (0..<Int.random(in: 20...160, using: &random)).map { $0 }[...]
        while !rest.isEmpty {
            let stretch = rest.prefix(Int.random(in: 1...(seed % 3 == 0 ? 3 : 20), using: &random))
            if Int.random(in: 0..<8, using: &random) > 0 { stretches.append(stretch) }
            rest = rest.dropFirst(stretch.count)
        }
        let last = rest.endIndex
        var target = seed % 2 == 0 ? stretches.flatMap { $0 } : stretches.shuffled(using: &random).flatMap { $0 }
        for new in last..<last + 10 { target.insert(new, at: Int.random(in: 0...target.count, using: &random)) }

        try expectLaws(from: Self.flat(Array(0..<last)), to: Self.flat(target))
        try expectLaws(from: Self.flat(target), to: Self.flat(Array(0..<last)))
    }

    /// So many new items that a filter finds them, while others move within their section and into the next.
    @Test(arguments: UInt64(0)..<60)
    func replayingGivesTheTargetWhenManyAreNew(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let old = (0..<3).map { section in (section, Array(section * 400..<section * 400 + 400)) }
        var new = old.map { section, items in
            (section, items.filter { _ in Int.random(in: 0..<4, using: &random) > 0 })
        }
        for section in 0..<3 {
            let (first, last) = (new[section].1.prefix(30), new[section].1.suffix(30))
            new[section].1.removeLast(30)
            new[section].1.replaceSubrange(0..<30, with: first.shuffled(using: &random))
            for (offset, item) in (last + Array(10_000 * section + 2_000..<10_000 * section + 2_200)).enumerated() {
                let target = offset % 5 == 0 ? (section + 1) % 3 : section
                new[target].1.insert(item, at: Int.random(in: 0...new[target].1.count, using: &random))
            }
        }

        try expectLaws(from: Self.list(old), to: Self.list(new))
    }

    @Test(arguments: UInt64(0)..<50)
    func nothingChangesBetweenEqualSnapshotsHoweverTheyWereMade(seed: UInt64) throws {
        var lists = RandomLists<Int>(seed: seed)
        let snapshot = lists.pair().new
        let again = try Snapshot(
            sections: snapshot.sectionIdentifiers.map { ($0, snapshot.itemIdentifiers(inSection: $0)) })

        #expect(snapshot.difference(from: snapshot).isEmpty)
        #expect(again.difference(from: snapshot).isEmpty)
    }

    private func expectLaws<ID: Numbered>(from old: Snapshot<Int, ID>, to new: Snapshot<Int, ID>) throws {
        let changes = new.difference(from: old)
        let (before, after) = (BatchSimulator(old), BatchSimulator(new))

        let replayed = try before.replaying(changes, towards: after)
        var rows = before.sections.map(\.items)
        changes.apply(to: &rows) { after.sections[$0.section].items[$0.item] }
        guard replayed == after, rows == after.sections.map(\.items),
            changes.movedItems.count == Minimum.itemMoves(from: before, to: after),
            changes.movedSections.count == Minimum.sectionMoves(from: before, to: after),
            changes.isEmpty == (before == after)
        else {
            Issue.record("\(changes)\n takes\n\(old)\n to\n\(replayed)\n and not with fewest moves to\n\(new)")
            return
        }
    }

    static func flat(_ items: [Int]) -> Snapshot<Int, Int> {
        list([(0, items)])
    }

    static func smallLists() -> [Snapshot<Int, Int>] {
        let rows = (0...3).flatMap { count in permutations(of: 3).map { Array($0.prefix(count)) } }
        var lists = [Snapshot<Int, Int>()]
        for items in Set(rows).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            for section in 0...1 { lists.append(list([(section, items)])) }
            for cut in 0...items.count {
                let (first, second) = (Array(items[..<cut]), Array(items[cut...]))
                lists.append(list([(0, first), (1, second)]))
                lists.append(list([(1, first), (0, second)]))
            }
        }
        return lists
    }

    static func list<ID: Numbered>(_ sections: [(Int, [ID])]) -> Snapshot<Int, ID> {
        var snapshot = Snapshot<Int, ID>()
        for (section, items) in sections {
            snapshot.appendSections([section])
            snapshot.appendItems(items, toSection: section)
        }
        return snapshot
    }

    static func permutations(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return permutations(of: count - 1).flatMap { shorter in
            (0...shorter.count).map { place in
                var permutation = shorter
                permutation.insert(count - 1, at: place)
                return permutation
            }
        }
    }
}
