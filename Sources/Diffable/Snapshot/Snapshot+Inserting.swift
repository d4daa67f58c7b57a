extension Snapshot {
    /// Inserts rows that are in no page, all different, before `row` of a section.
    ///
    /// O(new rows), plus an addition for each page behind them.
    ///
    /// - `page`: the rows' page in the index, if the index still has them.
    @inlinable
    mutating func insertNew(_ new: ContiguousArray<Row<Item>>, in token: Int, at row: Int, from page: Int? = nil) {
        if row == slots[token].count {
            for row in new { appendNew(row, to: token, from: page) }
            return
        }
        if new.isEmpty { return }
        if page == nil {
            prepareIndex(for: index.count + new.count)
            if index.mask >= 0 { index.reserve(index.count + new.count) }
        }
        let place = placeToInsert(new.count, location(of: row, in: token))
        let room = place.offset == 0 ? Pages<Item>.mostAtFront : Pages<Item>.capacity
        if pages.count(place.page) + new.count <= room {
            pages.change(place.page) { rows in
                if new.count == 1 {
                    rows.insert(new[0], at: place.offset)
                } else {
                    rows.insert(contentsOf: new, at: place.offset)
                }
            }
            slots[token].rows.grow(Int(pages.homes[place.page].ordinal), by: new.count)
            for (offset, row) in new.enumerated() {
                enter(row, at: Location(page: place.page, offset: place.offset + offset), from: page)
            }
        } else if place.offset == 0, new.count <= Pages<Item>.fill {
            insertPage(new, before: place.page, from: page)
        } else {
            split(place, around: new, from: page)
        }
        starts.add(new.count, at: slots[token].position)
    }

    /// Returns where to insert rows: between two pages, at the end of the first if it has room.
    @inlinable
    func placeToInsert(_ count: Int, _ place: Location) -> Location {
        let home = pages.homes[place.page]
        if place.offset > 0 || home.ordinal == 0 { return place }
        let previous = Int(slots[Int(home.token)].rows.numbers[Int(home.ordinal) - 1])
        let end = pages.count(previous)
        return end + count <= Pages<Item>.fill ? Location(page: previous, offset: end) : place
    }

    /// Inserts rows as a page of their own, which has room for more. No other row changes its page.
    @inlinable
    mutating func insertPage(_ new: ContiguousArray<Row<Item>>, before next: Int, from source: Int?) {
        let home = pages.homes[next]
        let (token, ordinal) = (Int(home.token), Int(home.ordinal))
        let page = pages.add(new, home)
        slots[token].rows.insert(page, count: new.count, at: ordinal)
        renumberPages(of: token, from: ordinal)
        for (offset, row) in new.enumerated() { enter(row, at: Location(page: page, offset: offset), from: source) }
    }

    /// Makes room in the index, before rows are added to pages. A list that becomes too long to be searched gets its
    /// table.
    @inlinable
    mutating func prepareIndex(for total: Int) {
        if index.mask >= 0 || total <= AnyList.mostWithoutTable || index.count == 0 { return }
        index = withAnyList { $0.list.indexWithTable(RowType(Item.self)) }
    }

    /// Enters the place of a row in the index, which has the row in `page`, or not at all.
    @inlinable
    mutating func enter(_ row: Row<Item>, at place: Location, from page: Int?) {
        let target = ItemIndex.Place(page: place.page, offset: place.offset)
        if let page {
            redirect(row.hash, from: page, to: target)
        } else if index.mask < 0 {
            index.count += 1
        } else {
            index.insert(ItemIndex.Bucket(hash: row.hash, place: target))
        }
    }

    /// Splits a page into several, with new rows at a place in it. The first keeps the number.
    @inlinable
    mutating func split(_ place: Location, around new: ContiguousArray<Row<Item>>, from source: Int?) {
        let home = pages.homes[place.page]
        let (token, ordinal) = (Int(home.token), Int(home.ordinal))
        var all = pages[place.page]
        all.insert(contentsOf: new, at: place.offset)
        let size = Self.sizeOfParts(all.count)
        var added: ContiguousArray<Int32> = []
        var counts: ContiguousArray<Int> = []
        var page = place.page
        for start in stride(from: 0, to: all.count, by: size) {
            let part = ContiguousArray(all[start..<min(start + size, all.count)])
            if start == 0 {
                pages.change(page) { $0 = part }
            } else {
                page = pages.add(part, PageHome(token: token, ordinal: ordinal))
                added.append(Int32(truncatingIfNeeded: page))
                counts.append(part.count)
            }
            for (offset, row) in part.enumerated() {
                let target = Location(page: page, offset: offset)
                if place.offset..<place.offset + new.count ~= start + offset {
                    enter(row, at: target, from: source)
                } else if start > 0 {
                    enter(row, at: target, from: place.page)
                }
            }
        }
        slots[token].rows.insert(added, counts: counts, behind: ordinal, newCount: min(size, all.count))
        renumberPages(of: token, from: ordinal + 1)
    }

    /// Returns the number of rows for each page when `count` rows are shared among pages of about the same size.
    @inlinable
    static func sizeOfParts(_ count: Int) -> Int {
        let parts = (count + Pages<Item>.fill - 1) / Pages<Item>.fill
        return (count + parts - 1) / parts
    }

    /// Updates the index for a row that has changed its page.
    @inlinable
    mutating func redirect(_ hash: UInt32, from page: Int, to place: ItemIndex.Place) {
        guard index.mask >= 0, let position = index.position(of: hash, in: page) else { return }
        index[position].place = place
    }

    /// Updates the locations of a section's pages, from one page on.
    @inlinable
    mutating func renumberPages(of token: Int, from first: Int) {
        let numbers = slots[token].rows.numbers
        for ordinal in first..<numbers.count {
            pages.homes[Int(numbers[ordinal])] = PageHome(token: token, ordinal: ordinal)
        }
    }
}
