extension DiffableDataSource {
    /// How many sections are shown. O(1).
    @inlinable
    public var numberOfSections: Int { list.held.numberOfSections }

    /// How many items the section at `place` has: 0 where there is none. O(1).
    @inlinable
    public func numberOfItems(inSection place: Int) -> Int { list.held.numberOfItems(inSection: place) }

    /// The item at `path`, or nil where there is none, negative numbers included. O(1).
    @inlinable
    public func itemIdentifier(for path: ItemPath) -> Item? { list.held.itemIdentifier(at: path) }

    /// Where `item` stands, or nil for an item that is not shown. O(1).
    @inlinable
    public func indexPath(for item: Item) -> ItemPath? { list.held.path(of: item) }

    /// The section at `place`, or nil where there is none. O(1).
    @inlinable
    public func sectionIdentifier(for place: Int) -> Section? { list.held.sectionIdentifier(at: place) }

    /// Where `section` stands, or nil for a section that is not shown. O(1).
    @inlinable
    public func index(for section: Section) -> Int? { list.held.indexOfSection(section) }
}
