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
        if page == nil { index.reserve(index.count + new.count) }
        let place = location(of: row, in: token)
        if pages.count(place.page) + new.count <= Pages<Item>.capacity {
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
        } else {
            split(place, around: new, from: page)
        }
        starts.add(new.count, at: slots[token].position)
    }

    /// Enters the place of a row in the index, which has the row in `page`, or not at all.
    @inlinable
    mutating func enter(_ row: Row<Item>, at place: Location, from page: Int?) {
        let target = ItemIndex.Place(page: place.page, offset: place.offset)
        if let page {
            redirect(row.hash, from: page, to: target)
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
        guard let position = index.position(of: hash, in: page) else { return }
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
