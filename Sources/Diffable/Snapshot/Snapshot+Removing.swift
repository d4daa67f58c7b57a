extension Snapshot {
    /// Removes rows, some of which may be given twice, from the index and from their sections. Their marks stay.
    ///
    /// O(rows removed), plus an addition for each page behind them.
    @inlinable
    mutating func removeRows(_ locations: ContiguousArray<Location>) {
        if locations.isEmpty { return }
        if locations.count == 1 {
            forget(locations[0])
            removeFromPage(locations[0])
            return tidy(locations[0].page)
        }
        removeGrouped(Location.sortedOnce(locations))
    }

    /// Removes the rows at `paths`, which ascend. Their marks stay.
    @inlinable
    mutating func removeItems(at paths: [ItemPath]) {
        var locations: ContiguousArray<Location> = []
        locations.reserveCapacity(paths.count)
        var first = 0
        while first < paths.count {
            let section = paths[first].section
            var end = first + 1
            while end < paths.count, paths[end].section == section { end += 1 }
            slots[order[section]].rows.addLocations(of: paths[first..<end], to: &locations)
            first = end
        }
        removeGrouped(locations)
    }

    /// Removes rows. Those of each page are given together and ascend.
    @inlinable
    mutating func removeGrouped(_ locations: ContiguousArray<Location>) {
        var losses: ContiguousArray<PageLoss> = []
        var first = 0
        while first < locations.count {
            var end = first + 1
            while end < locations.count, locations[end].page == locations[first].page { end += 1 }
            removeFromOnePage(locations[first..<end])
            let page = locations[first].page
            losses.append(PageLoss(page: page, home: pages.homes[page], count: end - first))
            first = end
        }
        if losses.count > 1 { losses = PageLoss.sorted(losses) }
        first = 0
        while first < losses.count {
            let token = Int(losses[first].home.token)
            var (end, count, isToJoin) = (first, 0, false)
            while end < losses.count, Int(losses[end].home.token) == token {
                count += losses[end].count
                isToJoin = isToJoin || self.isToJoin(losses[end].page)
                end += 1
            }
            slots[token].rows.shrink(losses[first..<end])
            starts.add(-count, at: slots[token].position)
            if isToJoin { tidySection(token) }
            first = end
        }
    }

    /// Removes rows of one page, whose offsets ascend. The caller notes that its section has fewer.
    @inlinable
    mutating func removeFromOnePage(_ locations: ArraySlice<Location>) {
        let page = locations[locations.startIndex].page
        forget(locations, in: page)
        pages.change(page) { rows in
            if rows.count == locations.count {
                rows = []
                return
            }
            var end = locations.endIndex
            while end > locations.startIndex {
                var first = end - 1
                while first > locations.startIndex, locations[first - 1].offset == locations[first].offset - 1 {
                    first -= 1
                }
                rows.removeSubrange(locations[first].offset...locations[end - 1].offset)
                end = first
            }
        }
    }

    /// Removes a row from its page, but not from the index.
    @inlinable
    mutating func removeFromPage(_ location: Location) {
        pages.change(location.page) { _ = $0.remove(at: location.offset) }
        let home = pages.homes[location.page]
        slots[Int(home.token)].rows.grow(Int(home.ordinal), by: -1)
        starts.add(-1, at: slots[Int(home.token)].position)
    }

    /// Removes a row from the index while it is still in its page.
    @inlinable
    mutating func forget(_ location: Location) {
        if index.mask < 0 {
            index.count -= 1
            return
        }
        index.remove(pages.row(location.page, location.offset).hash, in: location.page)
    }

    /// Removes rows of one page from the index while they are still in it.
    @inlinable
    mutating func forget(_ locations: ArraySlice<Location>, in number: Int) {
        if index.mask < 0 {
            index.count -= locations.count
            return
        }
        let page = pages[number]
        for location in locations { index.remove(page[location.offset].hash, in: number) }
    }

    /// Joins a page with a neighbour if both have become small. An empty page beside a full one stays, because the next
    /// row often comes there.
    @inlinable
    mutating func tidy(_ page: Int) {
        if isToJoin(page) { tidySection(Int(pages.homes[page].token)) }
    }

    /// Returns true if a page may be joined with a neighbour, or is empty and has none.
    @inlinable
    func isToJoin(_ page: Int) -> Bool {
        let count = pages.count(page)
        if count >= Pages<Item>.few { return false }
        let home = pages.homes[page]
        let (numbers, ordinal) = (slots[Int(home.token)].rows.numbers, Int(home.ordinal))
        if numbers.count == 1 { return count == 0 }
        return ordinal > 0 && Self.mayJoin(count, pages.count(Int(numbers[ordinal - 1])))
            || ordinal + 1 < numbers.count && Self.mayJoin(count, pages.count(Int(numbers[ordinal + 1])))
    }

    /// Returns true if two neighbouring pages may be joined.
    @inlinable
    static func mayJoin(_ a: Int, _ b: Int) -> Bool {
        min(a, b) < Pages<Item>.few && a + b <= Pages<Item>.mostJoined
    }

    /// Removes the empty pages of a section and joins small ones. O(pages of the section, and rows that change their
    /// page).
    @inlinable
    mutating func tidySection(_ token: Int) {
        let before = slots[token].rows.numbers
        var after = PageOrder()
        var last: Int?
        for number in before {
            let page = Int(number)
            let count = pages.count(page)
            if count == 0 {
                pages.release(page)
            } else if let previous = last, Self.mayJoin(pages.count(previous), count) {
                last = join(previous, page)
            } else {
                if let last { after.append(last, count: pages.count(last)) }
                last = page
            }
        }
        if let last { after.append(last, count: pages.count(last)) }
        slots[token].rows = after
        renumberPages(of: token, from: 0)
    }

    /// Joins two consecutive pages: the rows of the smaller one move. Returns the number of the page that remains.
    @inlinable
    mutating func join(_ first: Int, _ second: Int) -> Int {
        let (a, b) = (pages[first], pages[second])
        let (leaving, staying) = a.count < b.count ? (first, second) : (second, first)
        for (offset, row) in pages[leaving].enumerated() {
            let shift = leaving == first ? 0 : a.count
            redirect(row.hash, from: leaving, to: ItemIndex.Place(page: staying, offset: offset + shift))
        }
        pages.release(leaving)
        pages.change(staying) { $0 = a + b }
        return staying
    }

    /// Removes all rows of a section, with their marks.
    @inlinable
    mutating func removeRows(of token: Int) {
        for number in slots[token].rows.numbers {
            let page = Int(number)
            for (offset, row) in pages[page].enumerated() {
                forget(Location(page: page, offset: offset))
                if !itemMarks.isEmpty { itemMarks[row.item] = nil }
            }
            pages.release(page)
        }
        slots[token].rows = PageOrder()
    }
}

/// The number of rows that a page has lost.
@frozen
@usableFromInline
struct PageLoss {
    @usableFromInline let page: Int
    @usableFromInline let home: PageHome
    @usableFromInline let count: Int

    @inlinable
    init(page: Int, home: PageHome, count: Int) {
        self.page = page
        self.home = home
        self.count = count
    }

    /// Returns the losses by section, then by the order of the pages.
    @usableFromInline
    static func sorted(_ losses: ContiguousArray<PageLoss>) -> ContiguousArray<PageLoss> {
        ContiguousArray(losses.sorted { ($0.home.token, $0.home.ordinal) < ($1.home.token, $1.home.ordinal) })
    }
}

extension Location {
    /// Returns the locations in order, each once.
    @usableFromInline
    static func sortedOnce(_ locations: ContiguousArray<Location>) -> ContiguousArray<Location> {
        var once: ContiguousArray<Location> = []
        for next in locations.sorted(by: { ($0.page, $0.offset) < ($1.page, $1.offset) }) where next != once.last {
            once.append(next)
        }
        return once
    }
}
