/// The pages of a list in one array, for many lookups: the address of their rows, their counts and their places.
///
/// - Shape: the list must live longer, and must not change meanwhile.
@safe
struct PageTable {
    @safe
    struct Page {
        /// The first row. Not to be read if there are no rows.
        let rows: UnsafeRawPointer
        let count: Int
        /// The page's first row in its section.
        let start: Int
        /// The token of the page's section, or -1.
        let token: Int
    }

    /// Empty until so many pages were asked for that the table costs less than it saves.
    private var pages: ContiguousArray<Page> = []
    private var requests = 0

    /// Returns a page. O(1) amortised.
    @inline(__always)
    mutating func page(_ number: Int, in list: AnyList, _ type: RowType) -> Page {
        if pages.isEmpty, !fill(list, type) { return Self.page(number, in: list, type) }
        return pages[number]
    }

    /// Notes a request, and makes the table if there were many. Returns true if there is a table.
    @inline(never)
    private mutating func fill(_ list: AnyList, _ type: RowType) -> Bool {
        requests += 1
        if requests * 2 < list.pages.homes.count { return false }
        pages = ContiguousArray(list.pages.homes.indices.lazy.map { Self.page($0, in: list, type) })
        return true
    }

    private static func page(_ number: Int, in list: AnyList, _ type: RowType) -> Page {
        let home = list.pages.homes[number]
        let start = home.token < 0 ? 0 : list.slots[Int(home.token)].rows.starts[Int(home.ordinal)]
        return unsafe Page(
            rows: type.rows(of: number, in: list.pages), count: list.pages.count(number), start: Int(start),
            token: Int(home.token))
    }

    /// Returns the location of the item of a row of another list, if this list has the item.
    @inline(__always)
    mutating func locate(_ row: UnsafeRawPointer, in list: AnyList, _ type: RowType) -> Location? {
        guard list.index.mask >= 0 else { return unsafe list.searchEverywhere(row, type) }
        let hash = unsafe row.rowHash
        var position = list.index.home(of: hash)
        var isStale = false
        while true {
            let bucket = list.index[position]
            if bucket.isEmpty { return unsafe isStale ? list.searchEverywhere(row, type) : nil }
            if bucket.hash == hash {
                let location = Location(page: bucket.place.page, offset: bucket.place.offset)
                let page = page(location.page, in: list, type)
                if unsafe location.offset < page.count && type.areSame(page.rows + location.offset * type.stride, row) {
                    return location
                }
                isStale = true
            }
            position = list.index.position(after: position)
        }
    }
}
