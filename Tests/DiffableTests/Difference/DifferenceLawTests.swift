import Diffable
import TestSupport
import Testing

@Suite
struct DifferenceLawTests {
    /// Random pairs of up to five sections. ``replayingGivesTheTargetForEveryPairOfSmallLists(share:)`` covers all
    /// smaller ones, so a few of these are enough.
    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
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

    @Test(arguments: 0...7, Hashes.allCases)
    func replayingGivesTheTargetForEveryPairOfPermutations(count: Int, hashes: Hashes) throws {
        try replaysPermutations(count, hashes.identifier)
    }

    private func replaysPermutations<ID: Numbered>(_ count: Int, _: ID.Type) throws {
        // Renaming both lists alike changes nothing, so one ordered list stands for all.
        let old = Self.flat((0..<count).map { ID($0) })
        for permutation in Self.permutations(of: count) {
            try expectLaws(from: old, to: Self.flat(permutation.map { ID($0) }))
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
    @Test(arguments: 0..<5, Hashes.allCases)
    func replayingGivesTheTargetForEveryPairOfSmallLists(share: Int, hashes: Hashes) throws {
        try replaysSmallLists(share, hashes.identifier)
    }

    private func replaysSmallLists<ID: Numbered>(_ share: Int, _: ID.Type) throws {
        let lists = Self.smallLists(of: ID.self)
        // Renaming both lists alike changes nothing, so old lists whose items ascend stand for all.
        let ascending = lists.filter { list in
            let numbers = list.itemIdentifiers.map(\.number)
            return numbers == numbers.sorted()
        }
        for (number, old) in ascending.enumerated() where number % 5 == share {
            for new in lists { try expectLaws(from: old, to: new) }
        }
    }

    /// Long lists in which whole stretches moved, which need the weighted search for the rows that stay.
    @Test(arguments: UInt64(0)..<50, Hashes.allCases)
    func replayingGivesTheTargetWhenStretchesOfALongListMove(seed: UInt64, hashes: Hashes) throws {
        try replaysStretches(seed, hashes.identifier)
    }

    private func replaysStretches<ID: Numbered>(_ seed: UInt64, _: ID.Type) throws {
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

        let lists = [Array(0..<last), target].map { Self.flat($0.map { ID($0) }) }
        try expectLaws(from: lists[0], to: lists[1])
        try expectLaws(from: lists[1], to: lists[0])
    }

    /// So many new items that a filter finds them, while others move within their section and into the next.
    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func replayingGivesTheTargetWhenManyAreNew(seed: UInt64, hashes: Hashes) throws {
        try replaysManyNew(seed, hashes.identifier)
    }

    private func replaysManyNew<ID: Numbered>(_ seed: UInt64, _: ID.Type) throws {
        var random = SplitMix64(seed: seed)
        let count = ID.self == Int.self ? 400 : 120  // where many share a hash, searching is slow
        let old = (0..<3).map { section in (section, Array(section * count..<(section + 1) * count)) }
        var new = old.map { section, items in
            (section, items.filter { _ in Int.random(in: 0..<4, using: &random) > 0 })
        }
        for section in 0..<3 {
            let (first, last) = (new[section].1.prefix(30), new[section].1.suffix(30))
            new[section].1.removeLast(30)
            new[section].1.replaceSubrange(0..<30, with: first.shuffled(using: &random))
            for (offset, item) in (last + (0..<count / 2).map { 10_000 * section + 2_000 + $0 }).enumerated() {
                let target = offset % 5 == 0 ? (section + 1) % 3 : section
                new[target].1.insert(item, at: Int.random(in: 0...new[target].1.count, using: &random))
            }
        }

        let lists = [old, new].map { Self.list($0.map { ($0, $1.map { ID($0) }) }) }
        try expectLaws(from: lists[0], to: lists[1])
    }

    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func nothingChangesBetweenEqualSnapshotsHoweverTheyWereMade(seed: UInt64, hashes: Hashes) throws {
        try areEqual(seed, hashes.identifier)
    }

    private func areEqual<ID: Numbered>(_ seed: UInt64, _: ID.Type) throws {
        var lists = RandomLists<ID>(seed: seed)
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

    static func flat<ID: Numbered>(_ items: [ID]) -> Snapshot<Int, ID> {
        list([(0, items)])
    }

    static func smallLists<ID: Numbered>(of _: ID.Type) -> [Snapshot<Int, ID>] {
        let numbers = [0, 1, 3]  // two of which have the same hash modulo three
        let rows = (0...3).flatMap { count in permutations(of: 3).map { $0.prefix(count).map { numbers[$0] } } }
        var lists = [Snapshot<Int, ID>()]
        for items in Set(rows).sorted(by: { $0.lexicographicallyPrecedes($1) }).map({ $0.map { ID($0) } }) {
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
