extension ChangeSet {
    /// Applies the changes of places to rows that you keep beside the list: cells, lines, heights.
    ///
    /// Refreshes are not applied: handle ``reloadedSections``, ``reloadedItems`` and ``reconfiguredItems`` afterwards.
    ///
    /// - `sections`: the rows before the change, section by section.
    /// - `row`: makes the row for a new item, given its new place. It is called in order.
    /// - Errors: stops if `sections` does not have the shape of the old list.
    /// - Complexity: O(sections + rows of the sections in which something changes).
    public func apply<Row>(
        to sections: inout [[Row]], file: StaticString = #fileID, line: UInt = #line,
        inserting row: (ItemPath) -> Row
    ) {
        let caller = CallSite(file, line)
        if !changesPlaces { return }
        let leaving = deletedItems + movedItems.map(\.from)
        if let path = leaving.first(where: { !Self.has($0, sections) }) {
            misuse("There is no row at \(path), which these changes delete or move", caller)
        }
        var moving = movedItems.map { sections[$0.from.section][$0.from.item] }[...]
        var removals: [Int: [Int]] = [:]
        for path in leaving { removals[path.section, default: []].append(path.item) }
        for (section, rows) in removals { Self.remove(rows, from: &sections[section]) }
        sections = rearranged(sections, caller)
        if sections.count != itemCounts.count {
            misuse("There are \(sections.count) sections of rows where the list has \(itemCounts.count)", caller)
        }
        place(&moving, in: &sections, caller, inserting: row)
        for (section, count) in itemCounts.enumerated() where sections[section].count != count {
            misuse("Section \(section) has \(sections[section].count) rows where the list has \(count) items", caller)
        }
    }

    private static func has<Row>(_ path: ItemPath, _ sections: [[Row]]) -> Bool {
        sections.indices.contains(path.section) && sections[path.section].indices.contains(path.item)
    }

    private static func remove<Row>(_ rows: [Int], from section: inout [Row]) {
        let gone = Set(rows)
        section = section.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    }

    /// Returns the sections in their new order; new ones are empty.
    private func rearranged<Row>(_ sections: [[Row]], _ caller: CallSite) -> [[Row]] {
        if deletedSections.isEmpty, insertedSections.isEmpty, movedSections.isEmpty { return sections }
        let inserted = Set(insertedSections)
        let moved = Dictionary(uniqueKeysWithValues: movedSections.map { ($0.to, $0.from) })
        let leaving = Set(deletedSections).union(movedSections.map(\.from))
        var staying = sections.indices.filter { !leaving.contains($0) }[...]
        return itemCounts.indices.map { place in
            if inserted.contains(place) { return [] }
            guard let from = moved[place] ?? staying.popFirst(), sections.indices.contains(from) else {
                misuse("\(sections.count) sections of rows are too few for these changes", caller)
            }
            return sections[from]
        }
    }

    /// Merges new and moved rows into the sections, each at its place.
    private func place<Row>(
        _ moving: inout ArraySlice<Row>, in sections: inout [[Row]], _ caller: CallSite,
        inserting row: (ItemPath) -> Row
    ) {
        let comesWhole = Set(insertedSections)
        var inserts = insertedItems[...]
        var moves = movedItems[...]
        for section in sections.indices {
            let isNew = comesWhole.contains(section)
            if !isNew, inserts.first?.section != section, moves.first?.to.section != section { continue }
            var staying = sections[section][...]
            sections[section] = (0..<itemCounts[section]).map { item in
                let path = ItemPath(section: section, item: item)
                if moves.first?.to == path {
                    moves.removeFirst()
                    return moving.removeFirst()
                }
                if isNew { return row(path) }
                if inserts.first == path {
                    inserts.removeFirst()
                    return row(path)
                }
                guard let next = staying.popFirst() else {
                    misuse("Section \(section) has too few rows for these changes", caller)
                }
                return next
            }
        }
    }
}
