import Diffable
import Synchronization
import Testing

/// An identifier that counts how often those with the same work are hashed or compared.
private struct Counted: Hashable, Sendable {
    final class Work: Sendable {
        let count = Atomic(0)
    }

    var number: Int
    var work: Work

    static func == (a: Counted, b: Counted) -> Bool {
        a.work.count.add(1, ordering: .relaxed)
        return a.number == b.number
    }

    func hash(into hasher: inout Hasher) {
        work.count.add(1, ordering: .relaxed)
        hasher.combine(number)
    }
}

@Suite
struct StagingTests {
    private typealias Change = @Sendable (inout Snapshot<Int, Counted>, _ rows: [Counted]) -> Void

    /// Small changes to two sections of 3,000 rows, by the number of stages that each needs.
    private static let smallChanges: KeyValuePairs<Int, Change> = [
        1: { list, rows in list.appendItems([Counted(number: -1, work: rows[0].work)]) },
        1: { list, rows in list.deleteItems([rows[500]]) },
        1: { list, rows in list.moveItem(rows[200], afterItem: rows[800]) },
        1: { list, rows in list.reconfigureItems([rows[500]]) },
        1: { list, _ in list.moveSection(1, beforeSection: 0) },
        2: { list, rows in
            list.moveItem(rows[200], afterItem: rows[800])
            list.deleteItems([rows[500]])
        },
        4: { list, rows in
            list.insertSections([2], beforeSection: 0)
            list.moveSection(1, beforeSection: 2)
            list.moveItem(rows[200], afterItem: rows[3_800])
            list.deleteItems([rows[500]])
        },
    ]

    @Test(arguments: smallChanges.indices)
    func theStagesOfASmallChangeDoNotLookAtTheOtherRows(number: Int) {
        let (count, change) = Self.smallChanges[number]
        let work = Counted.Work()
        let rows = (0..<6_000).map { Counted(number: $0, work: work) }
        var old = Snapshot<Int, Counted>()
        for section in 0...1 {
            old.appendSections([section])
            old.appendItems(Array(rows[section * 3_000..<(section + 1) * 3_000]))
        }
        var new = old
        change(&new, rows)

        let before = work.count.load(ordering: .relaxed)
        let stages = new.stagedDifference(from: old)
        let after = work.count.load(ordering: .relaxed)

        #expect(after - before < 1_000)
        #expect(stages.count == count && stages.last?.snapshot == new)
    }

    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func stagesAndTheAtomicChangeSetAgree(seed: UInt64, hashes: Hashes) throws {
        try agree(seed, hashes.identifier)
    }

    private func agree<ID: Numbered>(_ seed: UInt64, _: ID.Type) throws {
        var lists = RandomLists<ID>(seed: 1_000 + seed)
        for _ in 0..<40 {
            var (old, new) = lists.pair()
            new.reloadItems(Array(new.itemIdentifiers.prefix(2)))
            new.reconfigureItems(Array(new.itemIdentifiers.suffix(2)))
            try expectAgreement(from: old, to: new)
            old.reloadItems(old.itemIdentifiers)
            try expectAgreement(from: old, to: new)
        }
    }

    private func expectAgreement<ID: Numbered>(from old: Snapshot<Int, ID>, to new: Snapshot<Int, ID>) throws {
        let changes = new.difference(from: old)
        let stages = new.stagedDifference(from: old)

        var shown = BatchSimulator(old)
        for stage in stages {
            let next = BatchSimulator(stage.snapshot)
            shown = try shown.replaying(stage.changes, towards: next)
            guard shown == next, hasOnePurpose(stage) else {
                Issue.record("\(stage.purpose): \(stage.changes)\n from\n\(old)\n to\n\(new)")
                return
            }
        }
        let all = stages.map(\.changes)
        guard shown == BatchSimulator(new),
            stages.map(\.purpose) == ChangeStage<Int, ID>.Purpose.allCases.filter(stages.map(\.purpose).contains),
            all.map(\.movedItems.count).reduce(0, +) == changes.movedItems.count,
            all.map(\.movedSections.count).reduce(0, +) == changes.movedSections.count,
            all.flatMap(\.reloadedItems).map(\.to) == changes.reloadedItems.map(\.to),
            all.flatMap(\.reconfiguredItems).map(\.to) == changes.reconfiguredItems.map(\.to)
        else {
            Issue.record("\(stages)\n do not add up to \(changes)\n from\n\(old)\n to\n\(new)")
            return
        }
    }

    /// Returns whether the stage's changes all fit its purpose.
    private func hasOnePurpose<ID: Numbered>(_ stage: ChangeStage<Int, ID>) -> Bool {
        var others = stage.changes
        others.itemCounts = []
        switch stage.purpose {
        case .deleteItems: others.deletedItems = []
        case .insertSections: others.insertedSections = []
        case .moveAndInsertItems: (others.movedItems, others.insertedItems) = ([], [])
        case .deleteSections: others.deletedSections = []
        case .moveSections: others.movedSections = []
        case .refresh: (others.reloadedSections, others.reloadedItems, others.reconfiguredItems) = ([], [], [])
        }
        return others.isEmpty
    }
}
