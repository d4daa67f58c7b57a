import Diffable
import FoundationEssentials

// The views of the guide, as it has them.

enum GuideViews {
    typealias ChatSection = GuideSection

    final class Screen: DiffableView {
        typealias Cell = String
        typealias Header = String

        weak var source: DiffableDataSource<Screen, ChatSection, Message.ID>?
        private(set) var lines: [[String]] = []

        func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
            guard let source else { return }
            let changes = update.changes
            update.commit()
            changes.apply(to: &lines) { source.cell(at: $0) }
            for path in changes.refreshedItems { lines[path.section][path.item] = source.cell(at: path) }
            draw()
            completion()
        }

        func reloadData() {
            guard let source else { return }
            lines = (0..<source.numberOfSections).map { section in
                (0..<source.numberOfItems(inSection: section)).map { item in
                    source.cell(at: ItemPath(section: section, item: item))
                }
            }
            draw()
        }
    }

    @MainActor
    final class MainScreen: @MainActor DiffableView {
        typealias Cell = String
        typealias Header = String

        private(set) var count = 0

        func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
            update.commit()
            count = update.changes.itemCounts.reduce(0, +)
            completion()
        }

        func reloadData() {}
    }

    /// A view that performs stages, as those of UIKit.
    final class StagingScreen: DiffableView {
        typealias Cell = String
        typealias Header = String

        private(set) var purposes: [String] = []

        func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
            for stage in update.stages() {
                performBatchUpdates {
                    update.commit(stage)
                    carryOut(stage.changes)
                }
            }
            completion()
        }

        private func performBatchUpdates(_ body: () -> Void) { body() }

        private func carryOut(_ changes: ChangeSet) {
            purposes.append(changes.deletedItems.isEmpty ? "insert" : "delete")
        }

        func reloadData() {}
    }
}

extension GuideViews.Screen {
    /// What is on the screen: below the header and the footer of each section, its lines.
    var drawn: [String] {
        lines.indices.flatMap { section in
            [source?.header(at: section), source?.footer(at: section)].compactMap(\.self) + lines[section]
        }
    }

    func draw() {}

    func footer(of section: Int) -> String { "\(lines[section].count) rows" }

    func scrollToLastRow() {}
}
