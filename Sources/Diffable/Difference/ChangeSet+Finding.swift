extension ChangeSet {
    /// Finds all changes. The change set must be empty.
    @inlinable
    mutating func find<Section, Item>(from old: Snapshot<Section, Item>, to new: Snapshot<Section, Item>) {
        if new.hasRenames { findUnderNewNames(from: old, to: new) } else { findUnderSameNames(from: old, to: new) }
    }

    /// Finds all changes of a list with renamed items, which stay if they do not move.
    @usableFromInline
    mutating func findUnderNewNames<Section, Item>(
        from old: Snapshot<Section, Item>, to new: Snapshot<Section, Item>
    ) {
        findUnderSameNames(from: old.renamed(by: old.renames(to: new)), to: new)
    }

    @inlinable
    mutating func findUnderSameNames<Section, Item>(
        from old: Snapshot<Section, Item>, to new: Snapshot<Section, Item>
    ) {
        let oldPlaces = OldPlaces(new.hasSections(of: old) ? [] : new.placesOfSections(in: old))
        old.withAnyList { old in
            new.withAnyList { new in findPlaces(from: old, to: new, oldPlaces, RowType(Item.self)) }
        }
        // If all sections come or all go, no mark is on an item that stays.
        if new.hasMarks, !old.order.isEmpty, !new.order.isEmpty { collectMarks(old, new, oldPlaces) }
    }

    /// Finds what comes, goes and moves.
    @usableFromInline
    mutating func findPlaces(
        from old: borrowing AnyList.InPlace, to new: borrowing AnyList.InPlace, _ oldPlaces: OldPlaces, _ type: RowType
    ) {
        findPlaces(from: old.list, to: new.list, oldPlaces, type)
    }

    private mutating func findPlaces(from old: AnyList, to new: AnyList, _ oldPlaces: OldPlaces, _ type: RowType) {
        itemCounts = new.starts.counts
        // If all sections come or all go, their items are not listed.
        if old.order.isEmpty || new.order.isEmpty {
            deletedSections = Array(old.order.indices)
            insertedSections = Array(new.order.indices)
            return
        }
        if !oldPlaces.places.isEmpty { matchSections(oldPlaces, old.order.count) }
        if old.numberOfItems == 0 {
            insertAll(new, oldPlaces)
        } else if new.numberOfItems == 0 {
            deleteAll(old)
        } else if oldPlaces.places.isEmpty, let page = Self.onlyPage(old, new) {
            if let window = matchPage(page, old, new, type) {
                var comparison = Comparison(oldPlaces, type)
                comparison.run(old, new, in: window, addingTo: &self)
            }
        } else {
            var comparison = Comparison(oldPlaces, type)
            comparison.run(old, new, addingTo: &self)
        }
    }

    /// Finds the changes of sections from the old place of each new one.
    private mutating func matchSections(_ oldPlaces: OldPlaces, _ oldCount: Int) {
        var isGone = Array(repeating: true, count: oldCount)
        var runs: ContiguousArray<Run> = []
        for (place, old) in oldPlaces.places.enumerated() {
            if old < 0 {
                insertedSections.append(place)
            } else {
                isGone[old] = false
                runs.append(Run(old: old, new: place, count: 1))
            }
        }
        deletedSections = isGone.indices.filter { isGone[$0] }
        for run in LongestIncreasing.moved(runs) {
            movedSections.append(Step(from: Int(run.old), to: Int(run.new)))
        }
    }

    /// Handles an empty old list: no item can come from elsewhere.
    private mutating func insertAll(_ new: AnyList, _ oldPlaces: OldPlaces) {
        for place in new.order.indices where oldPlaces[place] >= 0 {
            insert(0..<new.numberOfItems(at: place), in: place)
        }
    }

    /// Handles an empty new list.
    private mutating func deleteAll(_ old: AnyList) {
        var gone = deletedSections[...]
        for place in old.order.indices {
            if gone.first == place {
                gone.removeFirst()
            } else {
                delete(0..<old.numberOfItems(at: place), in: place)
            }
        }
    }

    mutating func insert(_ rows: Range<Int>, in section: Int) {
        Self.append(rows, in: section, to: &insertedItems)
    }

    mutating func delete(_ rows: Range<Int>, in section: Int) {
        Self.append(rows, in: section, to: &deletedItems)
    }

    /// Appends paths. A few are cheaper one by one than through an array of their own.
    static func append(_ rows: Range<Int>, in section: Int, to paths: inout [ItemPath]) {
        if rows.isEmpty { return }
        if paths.isEmpty {
            paths = Self.paths(rows, in: section)
        } else if rows.count < 8 {
            for row in rows { paths.append(ItemPath(section: section, item: row)) }
        } else {
            paths += Self.paths(rows, in: section)
        }
    }

    static func paths(_ rows: Range<Int>, in section: Int) -> [ItemPath] {
        if rows.count < 200 { return rows.map { ItemPath(section: section, item: $0) } }
        // An array of one repeated value asks for its type first, then fills without a branch. It is faster for many.
        var paths = [ItemPath](repeating: ItemPath(section: section, item: rows.lowerBound), count: rows.count)
        for i in paths.indices { paths[i].item += i }
        return paths
    }

    /// Finds the marked sections and items that were there before. New ones need no refresh.
    @inlinable
    mutating func collectMarks<Section, Item>(
        _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>, _ oldPlaces: OldPlaces
    ) {
        if !new.sectionMarks.isEmpty { return collectMarksOfSections(old, new, oldPlaces) }
        for (item, mark) in new.itemMarks {
            let hash = rowHash(item)
            if let from = old.locate(item, hash: hash), let to = new.locate(item, hash: hash) {
                refresh(old.path(of: from), new.path(of: to), mark.refresh)
            }
        }
        sortRefreshes()
    }

    /// The same, if there are marks of sections, too.
    @usableFromInline
    mutating func collectMarksOfSections<Section, Item>(
        _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>, _ oldPlaces: OldPlaces
    ) {
        for section in new.reloadedSectionIdentifiers {
            let place = new.indexOfSection(section)!
            if oldPlaces[place] >= 0 {
                reloadedSections.append(Step(from: oldPlaces[place], to: place))
            } else {
                for item in new.items(of: new.order[place]) { refresh(old.path(of: item), new.path(of: item), .reload) }
            }
        }
        for (item, mark) in new.itemMarks {
            guard let section = new.sectionIdentifier(containingItem: item), !new.sectionMarks.contains(section)
            else { continue }
            refresh(old.path(of: item), new.path(of: item), mark.refresh)
        }
        sortRefreshes()
    }

    @usableFromInline
    mutating func refresh(_ from: ItemPath?, _ to: ItemPath?, _ mark: RefreshMark) {
        guard let from, let to else { return }
        switch mark {
        case .reload: reloadedItems.append(Step(from: from, to: to))
        case .reconfigure: reconfiguredItems.append(Step(from: from, to: to))
        }
    }

    @usableFromInline
    mutating func sortRefreshes() {
        reloadedItems.sort { $0.to < $1.to }
        reconfiguredItems.sort { $0.to < $1.to }
    }
}

/// The old place of each section of a list, or -1 for a new section.
@frozen
@usableFromInline
struct OldPlaces {
    /// Empty if the sections are the same, each in its old place.
    @usableFromInline var places: [Int]

    @inlinable
    init(_ places: [Int]) {
        self.places = places
    }

    @inlinable
    subscript(section: Int) -> Int { places.isEmpty ? section : places[section] }
}
