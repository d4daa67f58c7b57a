public import Diffable

extension DiffableTableAdapter {
    /// The same as ``DiffableTableAdapter/init(view:dataSource:enableLogging:)``.
    public convenience init(
        tableView: View, dataSource: DiffableDataSource<View, Section, Item>, enableLogging: Bool = false
    ) {
        self.init(view: tableView, dataSource: dataSource, enableLogging: enableLogging)
    }

    /// The view. The adapter does not keep it alive.
    public var tableView: View? { view }

    /// Appends one item to a section. An item that is shown already moves there.
    public func append(
        _ item: Item, to section: Section, animatingDifferences: Bool = true, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        append([item], to: section, animatingDifferences: animatingDifferences, file: file, line: line)
    }

    /// Deletes one item, if it is shown.
    public func delete(_ item: Item, animatingDifferences: Bool = true) {
        delete([item], animatingDifferences: animatingDifferences)
    }

    /// Moves one item to the end of a section, if it is shown.
    public func move(
        _ item: Item, to section: Section, animatingDifferences: Bool = true, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        move([item], to: section, animatingDifferences: animatingDifferences, file: file, line: line)
    }
}

extension DiffableTableAdapter {
    /// Computes the height of a row, also from its view and its section.
    public typealias TableHeightProvider = (View, ItemPath, Item, Section?) -> Double

    /// Sets closures that compute row heights, or removes them if `height` is nil.
    public func setHeightProviders(height: TableHeightProvider?, estimated: TableHeightProvider? = nil) {
        guard let height else { return removeHeightProviders() }
        setHeightProviders(
            height: { [weak self] path, item in self?.height(of: item, at: path, by: height) ?? 0 },
            estimated: estimated.map { estimated in
                { [weak self] path, item in self?.height(of: item, at: path, by: estimated) ?? 0 }
            })
    }

    /// Returns the height of the row at `path`: `automaticDimension` if the view measures it, nil if no height is given
    /// or there is no such row.
    @_disfavoredOverload
    public func heightForRow(at path: ItemPath) -> Double? {
        switch heightForRow(at: path) as RowHeight? {
        case nil: nil
        case .automatic: View.automaticDimension
        case .fixed(let height): height
        }
    }

    private func height(of item: Item, at path: ItemPath, by provider: TableHeightProvider) -> Double? {
        guard let view else { return nil }
        return provider(view, path, item, dataSource.sectionIdentifier(for: path.section))
    }
}
