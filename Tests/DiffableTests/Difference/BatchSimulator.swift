import Diffable

/// A list that applies a change set as UIKit's batch updates do. Deletions and move sources are places before,
/// insertions and move targets are places after, and no place is named twice. Nothing inside a section that is deleted
/// or inserted as a whole is deleted or inserted again.
struct BatchSimulator {
    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    var sections: [(id: Int, items: [Int])]

    init<ID: Numbered>(_ snapshot: Snapshot<Int, ID>) {
        sections = snapshot.sectionIdentifiers.map { ($0, snapshot.itemIdentifiers(inSection: $0).map(\.number)) }
    }

    /// Returns the list afterwards. New identifiers come from `target`, as a view asks its data source for inserted
    /// rows.
    func replaying(_ changes: ChangeSet, towards target: BatchSimulator) throws -> BatchSimulator {
        try checkSections(changes, target)
        try checkItems(changes, target)
        var result = self
        result.sections = try arranged(changes, target)
        return result
    }

    private func checkSections(_ changes: ChangeSet, _ target: BatchSimulator) throws {
        try Self.unique(changes.deletedSections + changes.movedSections.map(\.from), below: sections.count)
        try Self.unique(changes.insertedSections + changes.movedSections.map(\.to), below: target.sections.count)
    }

    private static func unique(_ places: [Int], below count: Int) throws {
        guard places.allSatisfy({ 0 <= $0 && $0 < count }), Set(places).count == places.count else {
            throw Violation(description: "section places \(places) repeat or are not below \(count)")
        }
    }

    private func checkItems(_ changes: ChangeSet, _ target: BatchSimulator) throws {
        try Self.unique(changes.deletedItems + changes.movedItems.map(\.from), in: self)
        try Self.unique(changes.insertedItems + changes.movedItems.map(\.to), in: target)
        for path in changes.deletedItems where changes.deletedSections.contains(path.section) {
            throw Violation(description: "\(path) is deleted, and its section too")
        }
        for path in changes.insertedItems where changes.insertedSections.contains(path.section) {
            throw Violation(description: "\(path) is inserted, and its section too")
        }
    }

    private static func unique(_ paths: [ItemPath], in list: BatchSimulator) throws {
        for path in paths {
            guard list.sections.indices.contains(path.section),
                list.sections[path.section].items.indices.contains(path.item)
            else { throw Violation(description: "\(path) is outside the list") }
        }
        guard Set(paths).count == paths.count else { throw Violation(description: "\(paths) repeat") }
    }

    private func arranged(_ changes: ChangeSet, _ target: BatchSimulator) throws -> [(id: Int, items: [Int])] {
        let origins = try sectionOrigins(changes, target)
        let leaving = Set(changes.deletedItems + changes.movedItems.map(\.from))
        let sources = Dictionary(uniqueKeysWithValues: changes.movedItems.map { ($0.to, $0.from) })
        let inserted = Set(changes.insertedItems)
        return try origins.enumerated().map { place, origin in
            let old = origin.map { section in
                sections[section].items.indices.filter {
                    !leaving.contains(ItemPath(section: section, item: $0))
                }.map { sections[section].items[$0] }
            }
            var staying = (old ?? [])[...]
            let items = try (0..<changes.itemCounts[place]).map { item in
                let path = ItemPath(section: place, item: item)
                if let source = sources[path] { return sections[source.section].items[source.item] }
                if origin == nil || inserted.contains(path) { return target.sections[place].items[item] }
                guard let next = staying.popFirst() else { throw Violation(description: "nothing left for \(path)") }
                return next
            }
            guard staying.isEmpty else { throw Violation(description: "\(staying) are left over in section \(place)") }
            return (origin.map { sections[$0].id } ?? target.sections[place].id, items)
        }
    }

    /// Returns the former place of each section, or `nil` for an inserted one.
    private func sectionOrigins(_ changes: ChangeSet, _ target: BatchSimulator) throws -> [Int?] {
        let leaving = Set(changes.deletedSections + changes.movedSections.map(\.from))
        let sources = Dictionary(uniqueKeysWithValues: changes.movedSections.map { ($0.to, $0.from) })
        var staying = sections.indices.filter { !leaving.contains($0) }[...]
        let origins: [Int?] = try changes.itemCounts.indices.map { place in
            if changes.insertedSections.contains(place) { return nil }
            if let source = sources[place] { return source }
            guard let next = staying.popFirst() else { throw Violation(description: "no section left for \(place)") }
            return next
        }
        guard staying.isEmpty else { throw Violation(description: "sections \(staying) are left over") }
        return origins
    }
}

extension BatchSimulator: Equatable {
    static func == (a: BatchSimulator, b: BatchSimulator) -> Bool {
        a.sections.elementsEqual(b.sections) { $0.id == $1.id && $0.items == $1.items }
    }
}
