extension DiffableDataSource {
    /// How many sections are shown. O(1).
    @inlinable
    public var numberOfSections: Int { shown.snapshot.numberOfSections }

    /// How many items the section at `place` has: 0 where there is none. O(1).
    @inlinable
    public func numberOfItems(inSection place: Int) -> Int { shown.snapshot.numberOfItems(inSectionAt: place) }

    /// The item at `path`, or nil where there is none, negative numbers included. O(1).
    @inlinable
    public func itemIdentifier(for path: ItemPath) -> Item? { shown.snapshot.itemIdentifier(at: path) }

    /// Where `item` stands, or nil for an item that is not shown. O(1).
    @inlinable
    public func indexPath(for item: Item) -> ItemPath? { shown.snapshot.path(of: item) }

    /// The section at `place`, or nil where there is none. O(1).
    @inlinable
    public func sectionIdentifier(for place: Int) -> Section? { shown.snapshot.sectionIdentifier(at: place) }

    /// Where `section` stands, or nil for a section that is not shown. O(1).
    @inlinable
    public func index(for section: Section) -> Int? { shown.snapshot.indexOfSection(section) }
}
