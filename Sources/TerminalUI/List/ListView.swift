package import Diffable

/// A list of rows on a terminal: the view of a ``Diffable/DiffableDataSource``.
///
/// - Shape: rows are asked for when they come into the window and kept until they change; what was never in it costs
///   nothing. Each row has a margin of one column, which shows what is new, edited, moved or chosen.
/// - Threads: everything from the one queue that the data source is used on.
/// - Complexity: a change costs what it changes, and drawing what the window shows of it.
package final class ListView<Section: Hashable & Sendable, Item: Hashable & Sendable>: DiffableView {
    package typealias Cell = ListCell
    package typealias Header = [Line]
    package typealias Source = DiffableDataSource<ListView, Section, Item>
    typealias Block = ListBlock<Section, Item>

    /// How many lines a row has.
    package enum RowHeight {
        /// As many as its cell.
        case automatic
        /// As many as the closure says, whatever its cell has.
        case fixed((ItemPath, Item) -> Int)
    }

    /// Columns and rows of the window.
    package private(set) var size = Frame.Size(rows: 1, columns: 10)
    package var rowHeight = RowHeight.automatic {
        didSet { forgetCells() }
    }
    package internal(set) var selection: Item?

    var viewport = Viewport(rows: 1)
    /// Set once, by whoever makes both.
    package var source: Source?
    /// What was made for rows and headers, at the present width.
    var cells: [Item: ListCell] = [:]
    var headers: [Section: Header] = [:]
    var marks: [Item: RowMark] = [:]
    /// Below which block rows were deleted.
    var ghosts: [Block: [RowGhost]] = [:]
    /// The last row that has been in the window.
    var lastSeen: Item?
    var completions: [() -> Void] = []

    /// Rows kept beyond those in the window.
    private static var cellLimit: Int { 2_000 }

    package init() {}

    /// Columns that a cell may use.
    package var contentWidth: Int { max(2, size.columns - 1) }

    package var snapshot: Snapshot<Section, Item> { source?.snapshot() ?? Snapshot() }

    package func resize(to size: Frame.Size) {
        guard size != self.size else { return }
        if size.columns != self.size.columns { forgetCells() }
        self.size = size
        viewport.rows = size.rows
    }

    /// Has every row made anew, when it comes into the window: for what changes the looks of many.
    package func forgetCells() {
        cells = [:]
        headers = [:]
    }

    /// Has those rows made anew for which `isStale` says so.
    ///
    /// - Complexity: O(rows that were seen).
    package func forgetCells(where isStale: (Item) -> Bool) {
        for item in cells.keys where isStale(item) { cells[item] = nil }
    }

    /// Has the headers made anew.
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

    /// A block's lines, without what is left of others.
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
