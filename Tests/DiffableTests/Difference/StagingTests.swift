import Diffable
import Testing

@Suite
struct StagingTests {
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
