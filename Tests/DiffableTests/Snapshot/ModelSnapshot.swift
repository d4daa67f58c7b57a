/// A snapshot as anybody would write it first: arrays, searched from the front. What ``Snapshot`` is held against.
struct ModelSnapshot {
    struct Section {
        var id: Int
        var items: [Int] = []
    }

    var sections: [Section] = []
    var reloaded: Set<Int> = []
    var reconfigured: Set<Int> = []

    var items: [Int] { sections.flatMap(\.items) }

    func place(of item: Int) -> (section: Int, row: Int)? {
        for (position, section) in sections.enumerated() {
            if let row = section.items.firstIndex(of: item) { return (position, row) }
        }
        return nil
    }

    func position(of section: Int) -> Int? { sections.firstIndex { $0.id == section } }

    mutating func insert(_ items: [Int], at place: (section: Int, row: Int)) {
        sections[place.section].items.insert(contentsOf: items, at: place.row)
    }

    mutating func append(_ items: [Int], to section: Int) {
        remove(items)
        sections[position(of: section)!].items += items
    }

    mutating func insert(_ items: [Int], beside anchor: Int, offset: Int) {
        remove(items)
        let (section, row) = place(of: anchor)!
        insert(items, at: (section, row + offset))
    }

    mutating func delete(_ items: [Int]) {
        remove(items)
        reloaded.subtract(items)
        reconfigured.subtract(items)
    }

    mutating func move(_ section: Int, beside anchor: Int, offset: Int) {
        if section == anchor { return }
        let moved = sections.remove(at: position(of: section)!)
        sections.insert(moved, at: position(of: anchor)! + offset)
    }

    private mutating func remove(_ items: [Int]) {
        let gone = Set(items)
        for position in sections.indices { sections[position].items.removeAll(where: gone.contains) }
    }
}
