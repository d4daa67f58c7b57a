import Diffable

/// A table whose screen is an array of arrays, and that detects updates which do not fit.
final class RecordingTable<Section: Hashable & Sendable, Item: Hashable & Sendable>: DiffableView {
    typealias Cell = String
    typealias Header = String
    typealias Source = DiffableDataSource<RecordingTable, Section, Item>

    private(set) var rows: [[String]] = []
    private(set) var performed: [ChangeSet] = []
    private(set) var animations: [RowAnimation] = []
    /// Whether it takes changes in stage by stage.
    var takesStages = false
    private(set) var reloads = 0
    private(set) var tornReads = 0
    weak var source: Source?
    /// Completions that wait for ``finishAnimations()``, if it animates.
    private var running: [() -> Void] = []
    var animates = false
    var forgetsCompletions = false
    var whilePerforming: (() -> Void)?

    func attach(_ source: Source) {
        self.source = source
        reloadData()
        reloads = 0
    }

    func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        performed.append(update.changes)
        animations.append(update.animation)
        guard let source else { return }
        if counts(source) != rows.map(\.count) { tornReads += 1 }
        whilePerforming?()
        if takesStages {
            for stage in update.stages() { carryOut(stage.changes, source) { update.commit(stage) } }
        } else {
            carryOut(update.changes, source) { update.commit() }
        }
        if forgetsCompletions { return }
        if animates { running.append(completion) } else { completion() }
    }

    private func carryOut(_ changes: ChangeSet, _ source: Source, commit: () -> Void) {
        if counts(source) != rows.map(\.count) { tornReads += 1 }
        commit()
        if counts(source) != changes.itemCounts { tornReads += 1 }
        changes.apply(to: &rows) { source.cell(at: $0) }
        for section in changes.reloadedSections.map(\.to) {
            for item in rows[section].indices { refresh(ItemPath(section: section, item: item)) }
        }
        for step in changes.reloadedItems + changes.reconfiguredItems { refresh(step.to) }
    }

    func reloadData() {
        reloads += 1
        guard let source else { return }
        rows = (0..<source.numberOfSections).map { section in
            (0..<source.numberOfItems(inSection: section)).map {
                source.cell(at: ItemPath(section: section, item: $0))
            }
        }
    }

    /// Drags a row, which stands in its new place before the data source is asked, as in a table on a screen.
    func drag(from start: ItemPath, to end: ItemPath) throws(ReorderError) {
        let reorderable = source as! BaseReorderableDiffableDataSource<RecordingTable, Section, Item>
        if rows.indices.contains(start.section), rows[start.section].indices.contains(start.item) {
            let row = rows[start.section].remove(at: start.item)
            let section = min(end.section, rows.count - 1)
            rows[section].insert(row, at: min(end.item, rows[section].count))
        }
        try reorderable.moveRow(at: start, to: end)
    }

    var wasAnimated: [Bool] { animations.map { $0 != .none } }

    func finishAnimations() {
        let ended = running
        running = []
        for completion in ended { completion() }
    }

    private func refresh(_ path: ItemPath) {
        rows[path.section][path.item] = source!.cell(at: path)
    }

    private func counts(_ source: Source) -> [Int] {
        (0..<source.numberOfSections).map(source.numberOfItems(inSection:))
    }
}

/// A test's observations, in order.
final class Heard {
    var words: [String] = []

    func callAsFunction(_ word: String) { words.append(word) }
}
