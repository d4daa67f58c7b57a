import Diffable
import TerminalUI

/// A list of numbers in sections, in a window, with a count of the cells that were made.
final class ListWorld {
    let view = ListView<String, Int>()
    let source: ListView<String, Int>.Source
    /// The lines of a row's text; its number unless set.
    var texts: [Int: [String]] = [:]
    var headers: [String: String] = [:]
    private(set) var made: [Int] = []

    init(rows: Int, columns: Int = 12) {
        var make: ((ItemPath, Int) -> ListCell)?
        source = DiffableDataSource(view: view) { _, path, item, _ in make?(path, item) ?? ListCell([]) }
        view.source = source
        view.resize(to: Frame.Size(rows: rows, columns: columns))
        make = { [unowned self] path, item in cell(item) }
        source.sectionHeaderProvider = { [unowned self] _, _, section in headers[section].map { [Line($0)] } }
    }

    deinit {
        // The view holds the source, and the source's closures may hold their creator.
        view.source = nil
    }

    private func cell(_ item: Int) -> ListCell {
        made.append(item)
        return ListCell((texts[item] ?? ["\(item)"]).map { Line($0) })
    }

    func show(_ sections: KeyValuePairs<String, [Int]>, animated: Bool = false) {
        var snapshot = Snapshot<String, Int>()
        snapshot.appendSections(sections.map(\.key))
        for (section, items) in sections { snapshot.appendItems(items, toSection: section) }
        source.apply(snapshot, animatingDifferences: animated)
    }

    func change(animated: Bool = false, _ body: @escaping (inout Snapshot<String, Int>) -> Void) {
        source.update(animatingDifferences: animated, body)
    }

    /// The window as text, without blanks at the ends of its lines.
    func screen() -> [String] {
        view.draw().map { line in
            var text = Substring(line.text)
            while text.last == " " { text.removeLast() }
            return String(text)
        }
    }

    /// The cells made since the last call.
    func takeMade() -> [Int] {
        defer { made = [] }
        return made
    }
}
