package import Diffable

/// A list of rows on a terminal: the view of a ``Diffable/DiffableDataSource``.
///
/// - Shape: the view asks for a row's cell when the row enters the window, and keeps the cell until it changes. Rows
///   that were never in the window cost nothing. A margin of one column marks new, edited, moved and selected rows.
/// - Threads: use it only from the queue of its data source.
/// - Complexity: a change costs O(changes), and drawing costs O(lines of the window).
package final class ListView<Section: Hashable & Sendable, Item: Hashable & Sendable>: DiffableView {
    package typealias Cell = ListCell
    package typealias Header = [Line]
    package typealias Source = DiffableDataSource<ListView, Section, Item>
    typealias Block = ListBlock<Section, Item>

    /// The height of a row.
    package enum RowHeight {
        /// The number of lines of its cell.
        case automatic
        /// The number that the closure returns, whatever the cell has.
        case fixed((ItemPath, Item) -> Int)
    }

    /// The columns and rows of the window.
    package private(set) var size = Frame.Size(rows: 1, columns: 10)
    package var rowHeight = RowHeight.automatic {
        didSet { forgetCells() }
    }
    package internal(set) var selection: Item?
    /// A row below which the window keeps its place, while the row is in the window. Rows that arrive after it move the
    /// rows above them up, and leave those below in place. `nil`: the window keeps its place at its top.
    package var heldBelow: Item?

    var viewport = Viewport(rows: 1)
    /// Set once, by the code that creates the view and the data source.
    package var source: Source?
    /// The cells and headers made for the current width.
    var cells: [Item: ListCell] = [:]
    var headers: [Section: Header] = [:]
    var marks: [Item: RowMark] = [:]
    /// The remains of deleted rows, by the block above them.
    var ghosts: [Block: [RowGhost]] = [:]
    /// The last row that has been in the window.
    var lastSeen: Item?
    var completions: [() -> Void] = []

    /// The number of cells kept beyond those in the window.
    private static var cellLimit: Int { 2_000 }

    package init() {}

    /// The columns that a cell may use.
    package var contentWidth: Int { max(2, size.columns - 1) }

    package var snapshot: Snapshot<Section, Item> { source?.snapshot() ?? Snapshot() }

    package func resize(to size: Frame.Size) {
        guard size != self.size else { return }
        if size.columns != self.size.columns { forgetCells() }
        self.size = size
        viewport.rows = size.rows
    }

    /// Drops all cells, so that each is made again when it enters the window.
    package func forgetCells() {
        cells = [:]
        headers = [:]
    }

    /// Drops the cells of the rows for which `isStale` is true.
    ///
    /// - Complexity: O(rows that were seen).
    package func forgetCells(where isStale: (Item) -> Bool) {
        for item in cells.keys where isStale(item) { cells[item] = nil }
    }

    /// Drops all headers, so that they are made again.
    package func forgetHeaders() {
        headers = [:]
    }

    // MARK: - Blocks

    var blocks: Viewport.Blocks {
        let snapshot = snapshot
        return Viewport.Blocks(count: snapshot.numberOfBlocks) { [unowned self] index in
            guard let block = snapshot.block(at: index) else { return 0 }
            return own(block, snapshot).count + (ghosts[block]?.reduce(0) { $0 + $1.lines.count } ?? 0)
        }
    }

    /// Returns a block's lines, without the remains of deleted rows.
    func own(_ block: Block, _ snapshot: Snapshot<Section, Item>) -> [Line] {
        switch block {
        case .header(let section): header(section, snapshot)
        case .item(let item): cell(item, snapshot).lines
        }
    }

    private func header(_ section: Section, _ snapshot: Snapshot<Section, Item>) -> [Line] {
        if let header = headers[section] { return header }
        guard let source, let place = snapshot.indexOfSection(section) else { return [] }
        let header = (source.header(at: place) ?? []).map { $0.fitted(to: size.columns) }
        headers[section] = header
        return header
    }

    private func cell(_ item: Item, _ snapshot: Snapshot<Section, Item>) -> ListCell {
        if let cell = cells[item] { return cell }
        guard let source, let path = snapshot.path(of: item) else { return ListCell([]) }
        if cells.count > Self.cellLimit { cells = [:] }
        var cell = source.cell(at: path)
        if case .fixed(let height) = rowHeight { cell = cell.fitted(to: max(0, height(path, item))) }
        cells[item] = fitted(cell)
        return cells[item] ?? cell
    }

    func fitted(_ cell: ListCell) -> ListCell {
        ListCell(cell.lines.map { $0.fitted(to: contentWidth) })
    }
}
