extension ChangeSet {
    /// Applies the changes of places to rows that you keep beside the list: cells, lines, heights.
    ///
    /// ```swift
    /// changes.apply(to: &lines) { path in line(for: next.itemIdentifier(at: path)!) }
    /// ```
    ///
    /// Refreshes are not applied: handle ``reloadedSections``, ``reloadedItems`` and ``reconfiguredItems`` afterwards.
    ///
    /// - `sections`: the rows before the change, section by section.
    /// - `row`: makes the row for a new item, given its new place. It is called in order, before anything changes.
    /// - Errors: rethrows the error of `row`, with its type, and leaves `sections` unchanged. Stops if `sections` does
    ///   not have the shape of the old list, as far as the changes touch it.
    /// - Complexity: O(changes), and the rows behind a change move up or down in one piece. If sections come, go or
    ///   move, O(sections), too.
    @inlinable
    public func apply<Row, Failure: Error>(
        to sections: inout [[Row]], file: StaticString = #fileID, line: UInt = #line,
        inserting row: (ItemPath) throws(Failure) -> Row
    ) throws(Failure) {
        let caller = CallSite(file, line)
        if !changesPlaces { return }
        let new = try makeRows(row)
        let moving = removeLeaving(from: &sections, caller)
        if changesSections { sections = rearranged(sections, caller) }
        if sections.count != itemCounts.count {
            misuse("There are \(sections.count) sections of rows where the list has \(itemCounts.count)", caller)
        }
        place(moving, new, in: &sections, caller)
        if changesSections {
            for section in sections.indices { checkCount(of: section, sections, caller) }
        } else {
            for path in deletedItems { checkCount(of: path.section, sections, caller) }
            for step in movedItems { checkCount(of: step.from.section, sections, caller) }
        }
    }

    /// True when a section comes, goes or moves.
    @inlinable
    var changesSections: Bool { !(deletedSections.isEmpty && insertedSections.isEmpty && movedSections.isEmpty) }

    @inlinable
    func checkCount<Row>(of section: Int, _ sections: [[Row]], _ caller: CallSite) {
        let count = sections[section].count
        if count == itemCounts[section] { return }
        misuse("Section \(section) has \(count) rows where the list has \(itemCounts[section]) items", caller)
    }

    /// Removes the rows that go or move. Returns those that move, by their targets.
    @inlinable
    func removeLeaving<Row>(from sections: inout [[Row]], _ caller: CallSite) -> [Row] {
        var leaving = deletedItems
        if !movedItems.isEmpty {
            leaving += movedItems.map(\.from)
            leaving.sort()
        }
        for path in leaving
        where !(sections.indices.contains(path.section) && sections[path.section].indices.contains(path.item)) {
            misuse("There is no row at \(path), which these changes delete or move", caller)
        }
        let moving = movedItems.map { sections[$0.from.section][$0.from.item] }
        var end = leaving.count
        while end > 0 {
            let section = leaving[end - 1].section
            var first = end - 1
            while first > 0, leaving[first - 1].section == section { first -= 1 }
            Self.remove(leaving[first..<end], from: &sections[section])
            end = first
        }
        return moving
    }

    /// Up to this number of stretches, each is removed or inserted by itself. More are handled in one pass.
    @inlinable
    static var fewStretches: Int { 8 }

    /// Removes the rows at places that ascend.
    @inlinable
    static func remove<Row>(_ places: ArraySlice<ItemPath>, from rows: inout [Row]) {
        if isInFewStretches(places.lazy.map(\.item)) {
            var end = places.endIndex
            while end > places.startIndex {
                var first = end - 1
                while first > places.startIndex, places[first - 1].item == places[first].item - 1 { first -= 1 }
                rows.removeSubrange(places[first].item...places[end - 1].item)
                end = first
            }
            return
        }
        var (gone, to) = (places.startIndex, places[places.startIndex].item)
        for from in to..<rows.count {
            if gone < places.endIndex, places[gone].item == from {
                gone += 1
            } else {
                rows.swapAt(to, from)
                to += 1
            }
        }
        rows.removeLast(rows.count - to)
    }

    /// Returns true if places that ascend are in few stretches without gaps.
    @inlinable
    static func isInFewStretches(_ places: some Collection<Int>) -> Bool {
        var (stretches, next) = (0, -1)
        for place in places {
            if place != next { stretches += 1 }
            if stretches > fewStretches { return false }
            next = place + 1
        }
        return true
    }
}

extension ChangeSet {
    /// Returns the sections in their new order; new ones are empty.
    @inlinable
    func rearranged<Row>(_ sections: [[Row]], _ caller: CallSite) -> [[Row]] {
        oldPlacesOfSections().map { from in
            if from < 0 { return [] }
            guard sections.indices.contains(from) else {
                misuse("\(sections.count) sections of rows are too few for these changes", caller)
            }
            return sections[from]
        }
    }

    /// Returns the old place of each section of the new list, or -1 for one that is new. O(sections).
    @usableFromInline
    func oldPlacesOfSections() -> [Int] {
        var (inserted, moved) = (insertedSections[...], movedSections[...])
        let leaving = Set(deletedSections).union(movedSections.map(\.from))
        var next = 0
        return itemCounts.indices.map { place in
            if inserted.first == place {
                inserted.removeFirst()
                return -1
            }
            if let step = moved.first, step.to == place {
                moved.removeFirst()
                return step.from
            }
            while leaving.contains(next) { next += 1 }
            next += 1
            return next - 1
        }
    }

    /// Makes the rows of new items, in order.
    @inlinable
    func makeRows<Row, Failure: Error>(_ row: (ItemPath) throws(Failure) -> Row) throws(Failure) -> [Row] {
        var rows: [Row] = []
        if insertedSections.isEmpty {
            for path in insertedItems { rows.append(try row(path)) }
        } else {
            for path in newItems() { rows.append(try row(path)) }
        }
        return rows
    }

    /// Returns the places of all new items, also of those in new sections. O(*m* log *m*) in their number.
    @usableFromInline
    func newItems() -> [ItemPath] {
        let moved = Set(movedItems.map(\.to))
        let inSections = insertedSections.flatMap { section in
            (0..<itemCounts[section]).map { ItemPath(section: section, item: $0) }.filter { !moved.contains($0) }
        }
        return (insertedItems + inSections).sorted()
    }

    /// Inserts new and moved rows, each at its place.
    @inlinable
    func place<Row>(_ moving: [Row], _ new: [Row], in sections: inout [[Row]], _ caller: CallSite) {
        var nextNew = 0
        var (inserts, moves, whole) = (insertedItems[...], movedItems[...], insertedSections[...])
        while true {
            let heads = [inserts.first?.section, moves.first?.to.section, whole.first].compactMap(\.self)
            guard let section = heads.min() else { return }
            let isNew = whole.first == section
            if isNew { whole.removeFirst() }
            var places: [Int] = []
            var rows: [Row] = []
            var next = isNew ? 0 : itemCounts[section]
            while true {
                let insert = inserts.first?.section == section ? inserts[inserts.startIndex].item : Int.max
                let move = moves.first?.to.section == section ? moves[moves.startIndex].to.item : Int.max
                let place = isNew ? next : min(insert, move)
                if place == Int.max || place >= itemCounts[section] { break }
                if place == move {
                    rows.append(moving[moves.startIndex])
                    moves.removeFirst()
                } else {
                    rows.append(new[nextNew])
                    nextNew += 1
                    if !isNew { inserts.removeFirst() }
                }
                places.append(place)
                next = place + 1
            }
            Self.insert(rows, at: places, in: &sections[section], section, caller)
            checkCount(of: section, sections, caller)
        }
    }

    /// Inserts rows at the places that they have afterwards, which ascend.
    @inlinable
    static func insert<Row>(
        _ new: [Row], at places: [Int], in rows: inout [Row], _ section: Int, _ caller: CallSite
    ) {
        let isFew = isInFewStretches(places)
        var staying: [Row] = []
        var next = 0
        if !isFew, places[0] <= rows.count {
            staying = Array(rows[places[0]...])
            rows.removeLast(staying.count)
            rows.reserveCapacity(rows.count + staying.count + new.count)
        }
        var first = 0
        while first < places.count {
            var end = first + 1
            while end < places.count, places[end] == places[end - 1] + 1 { end += 1 }
            if !isFew {
                let gap = min(places[first] - rows.count, staying.count - next)
                if gap > 0 { rows += staying[next..<next + gap] }
                next += max(gap, 0)
            }
            if places[first] > rows.count { misuse("Section \(section) has too few rows for these changes", caller) }
            if places[first] == rows.count {
                rows += new[first..<end]
            } else {
                rows.insert(contentsOf: new[first..<end], at: places[first])
            }
            first = end
        }
        if !isFew { rows += staying[next...] }
    }
}
