extension DiffableDataSource {
    /// The number of sections shown. O(1).
    @inlinable
    public var numberOfSections: Int { list.held.numberOfSections }

    /// Returns the number of items in the section at `place`; 0 if there is none. O(1).
    @inlinable
    public func numberOfItems(inSection place: Int) -> Int { list.held.numberOfItems(inSection: place) }

    /// Returns the item at `path`, or nil if there is none, also for negative numbers. O(1).
    @inlinable
    public func itemIdentifier(for path: ItemPath) -> Item? { list.held.itemIdentifier(at: path) }

    /// Returns the place of `item`, or nil if it is not shown. O(1).
    @inlinable
    public func indexPath(for item: Item) -> ItemPath? { list.path(of: item) }

    /// Returns the section at `place`, or nil if there is none. O(1).
    @inlinable
    public func sectionIdentifier(for place: Int) -> Section? { list.held.sectionIdentifier(at: place) }

    /// Returns the place of `section`, or nil if it is not shown. O(1).
    @inlinable
    public func index(for section: Section) -> Int? { list.held.indexOfSection(section) }
}
