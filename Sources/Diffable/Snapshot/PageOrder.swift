/// The pages of one section in order, and the first row of each.
///
/// - Complexity: O(1) to find the page of a row if the pages are as full as when they were made, otherwise O(log
///   pages). A change is O(pages behind it), which is a few thousand additions for a million rows.
@frozen
@usableFromInline
struct PageOrder: Sendable {
    @usableFromInline var numbers: ContiguousArray<Int32> = []
    @usableFromInline var starts: ContiguousArray<Int32> = []
    /// The number of rows in all pages.
    @usableFromInline var count = 0

    @inlinable
    init() {}

    /// Returns the ordinal of the page with `row`, which must be a row of the section.
    @inlinable
    @inline(__always)
    func ordinal(of row: Int) -> Int {
        let guess = row >> 6
        if guess < starts.count, Int(starts[guess]) <= row, row < end(guess) { return guess }
        return searchedOrdinal(of: row)
    }

    @inlinable
    @inline(never)
    func searchedOrdinal(of row: Int) -> Int { lastPlace(in: 0..<starts.count) { Int(starts[$0]) <= row } }

    /// Returns the row after the last row of a page.
    @inlinable
    @inline(__always)
    func end(_ ordinal: Int) -> Int { ordinal + 1 < starts.count ? Int(starts[ordinal + 1]) : count }

    /// Returns the rows of some pages.
    @inlinable
    func rows(_ ordinals: Range<Int>) -> Range<Int> {
        let start = ordinals.lowerBound < starts.count ? Int(starts[ordinals.lowerBound]) : count
        return start..<(ordinals.isEmpty ? start : end(ordinals.upperBound - 1))
    }

    @inlinable
    mutating func append(_ number: Int, count more: Int) {
        if number == 0, numbers.isEmpty {
            numbers = FirstPage.numbers
            starts = FirstPage.starts
        } else {
            numbers.append(Int32(truncatingIfNeeded: number))
            starts.append(Int32(truncatingIfNeeded: count))
        }
        count += more
    }

    /// Notes that a page has `difference` more rows, or fewer.
    @inlinable
    mutating func grow(_ ordinal: Int, by difference: Int) {
        shift(behind: ordinal, by: difference)
        count += difference
    }

    /// Notes that pages have fewer rows. Their ordinals ascend. O(pages), however many have.
    @usableFromInline
    mutating func shrink(_ losses: ArraySlice<PageLoss>) {
        var lost = 0
        for place in losses.indices {
            lost += losses[place].count
            let end = place + 1 < losses.endIndex ? Int(losses[place + 1].home.ordinal) + 1 : starts.count
            shift(Int(losses[place].home.ordinal) + 1..<end, by: -lost)
        }
        count -= lost
    }

    /// Inserts pages after another one, whose own size may have changed, too.
    @inlinable
    mutating func insert(
        _ added: ContiguousArray<Int32>, counts: ContiguousArray<Int>, behind ordinal: Int, newCount: Int
    ) {
        let oldEnd = end(ordinal)
        var start = Int(starts[ordinal]) + newCount
        var addedStarts: ContiguousArray<Int32> = []
        for count in counts {
            addedStarts.append(Int32(truncatingIfNeeded: start))
            start += count
        }
        shift(behind: ordinal, by: start - oldEnd)
        numbers.insert(contentsOf: added, at: ordinal + 1)
        starts.insert(contentsOf: addedStarts, at: ordinal + 1)
        count += start - oldEnd
    }

    /// Inserts a page with `more` rows, before the page that has this ordinal so far.
    @inlinable
    mutating func insert(_ number: Int, count more: Int, at ordinal: Int) {
        let start = starts[ordinal]
        shift(behind: ordinal - 1, by: more)
        numbers.insert(Int32(truncatingIfNeeded: number), at: ordinal)
        starts.insert(start, at: ordinal)
        count += more
    }

    /// Appends the locations of rows, which ascend. O(rows + log pages).
    @usableFromInline
    func addLocations(of paths: ArraySlice<ItemPath>, to locations: inout ContiguousArray<Location>) {
        var (ordinal, start, end) = (0, 0, 0)
        for path in paths {
            if path.item >= end {
                ordinal = self.ordinal(of: path.item)
                (start, end) = (Int(starts[ordinal]), self.end(ordinal))
            }
            locations.append(Location(page: Int(numbers[ordinal]), offset: path.item - start))
        }
    }

    @inlinable
    mutating func shift(behind ordinal: Int, by difference: Int) {
        shift(ordinal + 1..<starts.count, by: difference)
    }

    @inlinable
    mutating func shift(_ ordinals: Range<Int>, by difference: Int) {
        if ordinals.isEmpty { return }
        let difference = Int32(truncatingIfNeeded: difference)
        var starts = starts.mutableSpan
        for ordinal in ordinals { starts[ordinal] &+= difference }
    }
}
