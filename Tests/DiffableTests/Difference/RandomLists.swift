import Diffable
import TestSupport

/// Random pairs of lists: half of them unrelated, half of them one list before and after a few changes.
struct RandomLists<ID: Numbered> {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func pair() -> (old: Snapshot<Int, ID>, new: Snapshot<Int, ID>) {
        let old = list()
        guard Bool.random(using: &random) else { return (old, list()) }
        var new = old
        for _ in 0...Int.random(in: 0..<4, using: &random) { change(&new) }
        return (old, new)
    }

    private mutating func list() -> Snapshot<Int, ID> {
        let sections = (0..<5).shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
        var items = (0..<16).shuffled(using: &random)[...]
        var snapshot = Snapshot<Int, ID>()
        for section in sections {
            snapshot.appendSections([section])
            let some = items.prefix(Int.random(in: 0...6, using: &random))
            snapshot.appendItems(some.map { ID($0) })
            items = items.dropFirst(some.count)
        }
        return snapshot
    }

    private mutating func change(_ snapshot: inout Snapshot<Int, ID>) {
        let (sections, items) = (snapshot.sectionIdentifiers, snapshot.itemIdentifiers)
        guard let section = sections.randomElement(using: &random) else { return snapshot.appendSections([7]) }
        let item = items.randomElement(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: snapshot.moveSection(section, beforeSection: sections.randomElement(using: &random)!)
        case 1: snapshot.deleteSections([section])
        case 2: if !sections.contains(7) { snapshot.insertSections([7], afterSection: section) }
        case 3: snapshot.appendItems([ID(Int.random(in: 0..<24, using: &random))], toSection: section)
        case 4: snapshot.deleteItems(item.map { [$0] } ?? [])
        case 5, 6: if let item { snapshot.moveItem(item, beforeItem: items.randomElement(using: &random)!) }
        default: snapshot.appendItems(item.map { [$0] } ?? [], toSection: section)
        }
    }
}
