extension ChangeSet {
    /// Finds all changes. The change set must be empty.
    @inlinable
    mutating func find<Section, Item>(from old: Snapshot<Section, Item>, to new: Snapshot<Section, Item>) {
        itemCounts = new.starts.counts
        // If all sections come or all go, their items are not listed, and no mark is on an item that stays.
        if old.order.isEmpty || new.order.isEmpty {
            deletedSections = Array(old.order.indices)
            insertedSections = Array(new.order.indices)
            return
        }
        let oldPlaces = matchSections(old, new)
        if old.numberOfItems == 0 {
            insertAll(new, oldPlaces)
        } else if new.numberOfItems == 0 {
            deleteAll(old)
        } else if oldPlaces.places.isEmpty, let page = Self.onlyPage(old, new) {
            if let window = matchPage(page, old, new) {
                var comparison = Comparison<Section, Item>(oldPlaces)
                comparison.run(old, new, in: window, addingTo: &self)
            }
        } else {
            var comparison = Comparison<Section, Item>(oldPlaces)
            comparison.run(old, new, addingTo: &self)
        }
        if !new.itemMarks.isEmpty || !new.sectionMarks.isEmpty { collectMarks(old, new, oldPlaces) }
    }

    /// Finds the old place of each new section, and from those the changes of sections.
    @inlinable
    mutating func matchSections<Section, Item>(
        _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>
    ) -> OldPlaces {
        if new.hasSections(of: old) { return OldPlaces([]) }
        let oldPlaces = OldPlaces(new.order.map { old.indexOfSection(new.slots[$0].identifier) ?? -1 })
        deletedSections = old.order.indices.filter { place in
            new.indexOfSection(old.slots[old.order[place]].identifier) == nil
        }
        var runs: ContiguousArray<Run> = []
        for place in new.order.indices {
            if oldPlaces[place] < 0 {
                insertedSections.append(place)
            } else {
                runs.append(Run(old: oldPlaces[place], new: place, count: 1))
            }
        }
        for run in LongestIncreasing.moved(runs) {
            movedSections.append(Step(from: Int(run.old), to: Int(run.new)))
        }
        return oldPlaces
    }

    /// Handles an empty old list: no item can come from elsewhere.
    @inlinable
    mutating func insertAll<Section, Item>(_ new: Snapshot<Section, Item>, _ oldPlaces: OldPlaces) {
        for place in new.order.indices where oldPlaces[place] >= 0 {
            insert(0..<new.numberOfItems(at: place), in: place)
        }
    }

    /// Handles an empty new list.
    @inlinable
    mutating func deleteAll<Section, Item>(_ old: Snapshot<Section, Item>) {
        var gone = deletedSections[...]
        for place in old.order.indices {
            if gone.first == place {
                gone.removeFirst()
            } else {
                delete(0..<old.numberOfItems(at: place), in: place)
            }
        }
    }

    @inlinable
    mutating func insert(_ rows: Range<Int>, in section: Int) {
        Self.append(rows, in: section, to: &insertedItems)
    }

    @inlinable
    mutating func delete(_ rows: Range<Int>, in section: Int) {
        Self.append(rows, in: section, to: &deletedItems)
    }

    /// Appends paths. A few are cheaper one by one than through an array of their own.
    @inlinable
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

    @inlinable
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
        for section in new.reloadedSectionIdentifiers {
            let place = new.indexOfSection(section)!
            if oldPlaces[place] >= 0 {
                reloadedSections.append(Step(from: oldPlaces[place], to: place))
            } else {
                for item in new.items(of: new.order[place]) { refresh(item, .reload, old, new) }
            }
        }
        for (item, mark) in new.itemMarks {
            guard let section = new.sectionIdentifier(containingItem: item), !new.sectionMarks.contains(section)
            else { continue }
            refresh(item, mark, old, new)
        }
        reloadedItems.sort { $0.to < $1.to }
        reconfiguredItems.sort { $0.to < $1.to }
    }

    @inlinable
    mutating func refresh<Section, Item>(
        _ item: Item, _ mark: RefreshMark, _ old: Snapshot<Section, Item>, _ new: Snapshot<Section, Item>
    ) {
        guard let from = old.path(of: item), let to = new.path(of: item) else { return }
        switch mark {
        case .reload: reloadedItems.append(Step(from: from, to: to))
        case .reconfigure: reconfiguredItems.append(Step(from: from, to: to))
        }
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
