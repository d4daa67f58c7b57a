extension DiffableTableAdapter {
    /// Shows these sections with these items and nothing else. A section that is missing in the dictionary is empty.
    ///
    /// - Errors: stops at a section or an item that is given twice.
    @inlinable
    public func applyInitialSnapshot(
        sections: [Section], itemsBySection: [Section: [Item]], animatingDifferences: Bool = false,
        completion: (() -> Void)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        note("shows \(sections.count) sections")
        dataSource.update(animatingDifferences: animatingDifferences, completion: completion) { snapshot in
            snapshot = Snapshot()
            snapshot.appendSections(sections, file: file, line: line)
            for section in sections {
                let repeated = snapshot.appendItems(
                    itemsBySection[section] ?? [], toSection: section, file: file, line: line)
                if let first = repeated.first {
                    misuse("Item \(first) stands in two of the sections given", CallSite(file, line))
                }
            }
        }
    }

    /// Appends items to a section. Items that are shown already move there.
    @inlinable
    public func append(
        _ items: [Item], to section: Section, animatingDifferences: Bool = true, completion: (() -> Void)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        note("appends \(items) to \(section)")
        dataSource.update(animatingDifferences: animatingDifferences, completion: completion) {
            $0.appendItems(items, toSection: section, file: file, line: line)
        }
    }

    /// Deletes items. Items that are not shown are ignored.
    @inlinable
    public func delete(_ items: [Item], animatingDifferences: Bool = true, completion: (() -> Void)? = nil) {
        note("deletes \(items)")
        dataSource.update(animatingDifferences: animatingDifferences, completion: completion) { $0.deleteItems(items) }
    }

    /// Moves items to the end of a section, in one change. Items that are not shown are ignored.
    @inlinable
    public func move(
        _ items: [Item], to section: Section, animatingDifferences: Bool = true, completion: (() -> Void)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        note("moves \(items) to \(section)")
        dataSource.update(animatingDifferences: animatingDifferences, completion: completion) { snapshot in
            snapshot.appendItems(items.filter(snapshot.contains), toSection: section, file: file, line: line)
        }
    }

    /// Puts the items of a section in random order.
    @inlinable
    public func shuffle(
        section: Section, animatingDifferences: Bool = true, completion: (() -> Void)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        var random = SystemRandomNumberGenerator()
        shuffle(
            section: section, using: &random, animatingDifferences: animatingDifferences, completion: completion,
            file: file, line: line)
    }

    /// Puts the items of a section in an order that `random` determines.
    @inlinable
    public func shuffle(
        section: Section, using random: inout some RandomNumberGenerator, animatingDifferences: Bool = true,
        completion: (() -> Void)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        note("shuffles \(section)")
        // Drawn now and used when the operation's turn comes: by then the section may have other items.
        var seed = SeededOrder(random.next())
        dataSource.update(animatingDifferences: animatingDifferences, completion: completion) { snapshot in
            snapshot.appendItems(
                snapshot.itemIdentifiers(inSection: section, file: file, line: line).shuffled(using: &seed),
                toSection: section, file: file, line: line)
        }
    }

    /// Reloads items: the view makes new cells for them. The list carries these copies from now on.
    @inlinable
    public func reload(
        _ items: [Item], animatingDifferences: Bool = true, completion: (() -> Void)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        note("reloads \(items)")
        dataSource.update(animatingDifferences: animatingDifferences, completion: completion) {
            $0.reloadItems(carrying: items, file: file, line: line)
        }
    }

    /// Reloads one item: the view makes a new cell for it.
    @inlinable
    public func reload(
        _ item: Item, animatingDifferences: Bool = true, completion: (() -> Void)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        reload([item], animatingDifferences: animatingDifferences, completion: completion, file: file, line: line)
    }

    /// Reconfigures items: the view fills in the cells that they have. The list carries these copies from now on.
    @inlinable
    public func reconfigure(
        _ items: [Item], animatingDifferences: Bool = true, completion: (() -> Void)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        note("reconfigures \(items)")
        dataSource.update(animatingDifferences: animatingDifferences, completion: completion) {
            $0.reconfigureItems(carrying: items, file: file, line: line)
        }
    }

    /// Reconfigures one item: the view fills in the cell that it has.
    @inlinable
    public func reconfigure(
        _ item: Item, animatingDifferences: Bool = true, completion: (() -> Void)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        reconfigure([item], animatingDifferences: animatingDifferences, completion: completion, file: file, line: line)
    }

    /// Gives an item another identifier. It keeps its place and its cell, which is reconfigured.
    ///
    /// - Errors: stops at an item that is not shown, and at an identifier that another item has.
    public func rename(
        _ item: Item, to identifier: Item, animatingDifferences: Bool = true, completion: (() -> Void)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        note("renames \(item) to \(identifier)")
        dataSource.update(animatingDifferences: animatingDifferences, completion: completion) {
            $0.renameItem(item, to: identifier, file: file, line: line)
        }
    }

    /// Returns the section at `place`, or nil if there is none.
    @inlinable
    public func sectionIdentifier(at place: Int) -> Section? { dataSource.sectionIdentifier(for: place) }

    /// Returns the items of `section` in order; none for a section that is not shown.
    @inlinable
    public func items(in section: Section) -> [Item] {
        dataSource.index(for: section) == nil ? [] : dataSource.snapshot().itemIdentifiers(inSection: section)
    }
}

/// A generator for one shuffle.
///
/// - Source: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
@usableFromInline
struct SeededOrder: RandomNumberGenerator {
    private var state: UInt64

    @usableFromInline
    init(_ seed: UInt64) {
        state = seed
    }

    @usableFromInline
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
