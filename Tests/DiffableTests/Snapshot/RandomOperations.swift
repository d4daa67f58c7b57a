import Diffable
import TestSupport

/// Applies random operations to a snapshot and to its model alike.
struct RandomOperations<ID: Numbered> {
    var snapshot = Snapshot<Int, ID>()
    var model = ModelSnapshot()
    var random: SplitMix64
    private let universe: Int

    init(seed: UInt64, universe: Int) {
        random = SplitMix64(seed: seed)
        self.universe = universe
    }

    private mutating func someItems(upTo limit: Int) -> [Int] {
        Array((0..<universe).shuffled(using: &random).prefix(Int.random(in: 0...limit, using: &random)))
    }

    mutating func step() {
        let sections = model.sections.map(\.id)
        guard let section = sections.randomElement(using: &random) else { return addSections() }
        let items = someItems(upTo: 6)
        switch Int.random(in: 0..<14, using: &random) {
        case 0: addSections()
        case 1: deleteSection(section)
        case 2: moveSection(section, beside: sections.randomElement(using: &random)!)
        case 3, 4, 5, 6: append(items, to: section)
        case 7, 8: insert(items)
        case 9: delete(items)
        case 10, 11: moveItem()
        case 12: mark(items)
        default: append(someItems(upTo: 1), to: section)
        }
    }

    private mutating func addSections() {
        let new = (0..<8).shuffled(using: &random).prefix(2).filter { model.position(of: $0) == nil }
        guard let anchor = model.sections.map(\.id).randomElement(using: &random), Bool.random(using: &random) else {
            snapshot.appendSections(new)
            model.sections += new.map { ModelSnapshot.Section(id: $0) }
            return
        }
        let offset = Int.random(in: 0...1, using: &random)
        if offset == 0 {
            snapshot.insertSections(new, beforeSection: anchor)
        } else {
            snapshot.insertSections(new, afterSection: anchor)
        }
        let position = model.position(of: anchor)! + offset
        model.sections.insert(contentsOf: new.map { ModelSnapshot.Section(id: $0) }, at: position)
    }

    private mutating func deleteSection(_ section: Int) {
        snapshot.deleteSections([section, -1])
        model.delete(model.sections[model.position(of: section)!].items)
        model.sections.removeAll { $0.id == section }
    }

    private mutating func moveSection(_ section: Int, beside anchor: Int) {
        let offset = Int.random(in: 0...1, using: &random)
        if offset == 0 {
            snapshot.moveSection(section, beforeSection: anchor)
        } else {
            snapshot.moveSection(section, afterSection: anchor)
        }
        model.move(section, beside: anchor, offset: offset)
    }

    private mutating func append(_ items: [Int], to section: Int) {
        snapshot.appendItems(items.map(ID.init), toSection: section)
        model.append(items, to: section)
    }

    private mutating func insert(_ items: [Int]) {
        guard let anchor = (items.filter { model.place(of: $0) != nil } + model.items).randomElement(using: &random)
        else { return }
        let others = items.filter { $0 != anchor }
        let offset = Int.random(in: 0...1, using: &random)
        if offset == 0 {
            snapshot.insertItems(items.map(ID.init), beforeItem: ID(anchor))
        } else {
            snapshot.insertItems(items.map(ID.init), afterItem: ID(anchor))
        }
        model.insert(others, beside: anchor, offset: offset)
    }

    private mutating func delete(_ items: [Int]) {
        snapshot.deleteItems((items + items).map(ID.init))
        model.delete(items)
    }

    private mutating func moveItem() {
        guard let item = model.items.randomElement(using: &random) else { return }
        let anchor = model.items.randomElement(using: &random)!
        let offset = Int.random(in: 0...1, using: &random)
        if offset == 0 {
            snapshot.moveItem(ID(item), beforeItem: ID(anchor))
        } else {
            snapshot.moveItem(ID(item), afterItem: ID(anchor))
        }
        if item != anchor { model.insert([item], beside: anchor, offset: offset) }
    }

    private mutating func mark(_ items: [Int]) {
        let present = items.filter { model.place(of: $0) != nil }
        if Bool.random(using: &random) {
            snapshot.reloadItems(present.map(ID.init))
            model.reloaded.formUnion(present)
        } else {
            snapshot.reconfigureItems(present.map(ID.init))
            model.reconfigured.formUnion(present)
        }
    }
}
