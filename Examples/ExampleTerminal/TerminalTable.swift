package import Diffable

/// A table on a terminal that prints itself after every change, with a sign before each row that the change touched.
///
/// `+` is new, `>` moved, `~` was made anew, `*` was filled in again; rows that went are listed first, after a `-`.
package final class TerminalTable<Section: Hashable & Sendable, Item: Hashable & Sendable>: DiffableView {
    package typealias Cell = String
    package typealias Header = String

    package weak var source: DiffableDataSource<TerminalTable, Section, Item>?
    private var rows: [[String]] = []

    package init() {}

    package func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        let changes = update.changes
        let gone = deletedRows(changes)
        update.commit()
        if let source {
            changes.apply(to: &rows) { source.cell(at: $0) }
            for section in changes.reloadedSections.map(\.to) {
                for item in rows[section].indices { fill(ItemPath(section: section, item: item)) }
            }
            for step in changes.reloadedItems + changes.reconfiguredItems { fill(step.to) }
        }
        for row in gone { print("  - \(row)") }
        show(signs(changes))
        completion()
    }

    package func reloadData() {
        guard let source else { return }
        rows = (0..<source.numberOfSections).map { section in
            (0..<source.numberOfItems(inSection: section)).map {
                source.cell(at: ItemPath(section: section, item: $0))
            }
        }
        show([:])
    }

    /// Drags a row. The row can be lifted if the data source allows that, stands in its new place once it is dropped,
    /// and is put back if it may not stay there.
    package func drag(from start: ItemPath, to end: ItemPath) throws(ReorderError) {
        typealias Reorderable = BaseReorderableDiffableDataSource<TerminalTable, Section, Item>
        guard let source = source as? Reorderable else { throw .reorderingIsOff }
        guard source.canMoveRow(at: start) else { throw .rowStays(at: start) }
        rows[end.section].insert(rows[start.section].remove(at: start.item), at: end.item)
        do {
            try source.moveRow(at: start, to: end)
        } catch {
            source.apply(source.snapshot())
            throw error
        }
        show([end: ">"])
    }

    private func fill(_ path: ItemPath) {
        guard let source else { return }
        rows[path.section][path.item] = source.cell(at: path)
    }

    private func deletedRows(_ changes: ChangeSet) -> [String] {
        let moved = Set(changes.movedItems.map(\.from))
        let withSections = changes.deletedSections.flatMap { section in
            rows[section].indices.map { ItemPath(section: section, item: $0) }
        }
        return (changes.deletedItems + withSections.filter { !moved.contains($0) }).map { rows[$0.section][$0.item] }
    }

    private func signs(_ changes: ChangeSet) -> [ItemPath: String] {
        var signs: [ItemPath: String] = [:]
        for section in changes.insertedSections {
            for item in 0..<changes.itemCounts[section] { signs[ItemPath(section: section, item: item)] = "+" }
        }
        for path in changes.insertedItems { signs[path] = "+" }
        for step in changes.reconfiguredItems { signs[step.to] = "*" }
        for step in changes.reloadedItems { signs[step.to] = "~" }
        for step in changes.movedItems { signs[step.to] = ">" }
        return signs
    }

    private func show(_ signs: [ItemPath: String]) {
        for (section, rows) in rows.enumerated() {
            if let header = source?.header(at: section) { print("  \(header)") }
            for (item, row) in rows.enumerated() {
                print("  \(signs[ItemPath(section: section, item: item)] ?? " ") \(row)")
            }
            if let footer = source?.footer(at: section) { print("  \(footer)") }
        }
        print("")
    }
}
