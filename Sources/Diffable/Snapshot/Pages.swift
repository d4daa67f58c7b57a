/// The rows of all sections of a snapshot in pages. Copies share every page that neither has changed.
///
/// - Shape: a page holds up to 128 consecutive rows of one section. Its number does not change with the rows and pages
///   before it; `homes` has its location. The page that was changed last is beside the tree, because the next change is
///   often of the same page, and then copies no branches.
@frozen
@usableFromInline
struct Pages<Item: Hashable> {
    @usableFromInline typealias Page = ContiguousArray<Row<Item>>

    /// All pages but `open`, in whose place there is an empty one. Without branches as long as there is only one page.
    @usableFromInline var tree = PageTree<Row<Item>>()
    @usableFromInline var open: Page = []
    /// The number of `open`, or -1 before the first change.
    @usableFromInline var openNumber = -1
    @usableFromInline var homes: ContiguousArray<PageHome> = []
    /// The numbers of pages that are in no section. They are empty and can be used again.
    @usableFromInline var free: ContiguousArray<Int32> = []

    /// The number of rows that a new page is given. A page may grow to `capacity` rows before it is split.
    @inlinable
    static var fill: Int { 64 }

    @inlinable
    static var capacity: Int { 128 }

    /// A page grows no further at its beginning, where a new page costs less than to split one.
    @inlinable
    static var mostAtFront: Int { 96 }

    /// The most rows of two pages that are joined. Between joining pages and adding one at the same place at least 16 rows
    /// come or go, so a row that comes and goes again and again does not change the order of the pages each time.
    @inlinable
    static var mostJoined: Int { fill - few }

    /// A page with fewer rows than this, even none, joins its neighbour if both together are few enough.
    @inlinable
    static var few: Int { 16 }

    @inlinable
    init() {}

    @inlinable
    subscript(number: Int) -> Page {
        @inline(__always)
        get { number == openNumber ? open : tree[number] }
    }

    @inlinable
    @inline(__always)
    func row(_ number: Int, _ offset: Int) -> Row<Item> {
        number == openNumber ? open[offset] : tree[number, offset]
    }

    /// Returns true if `item`, whose hash is `hash`, is at this place, and before `limit`.
    @inlinable
    @inline(__always)
    func holds(_ item: Item, hash: UInt32, at place: ItemIndex.Place, below limit: Int = .max) -> Bool {
        let (number, offset) = (place.page, place.offset)
        return offset < min(count(number), limit)
            && row(number, offset).hash == hash && row(number, offset).item == item
    }

    @inlinable
    @inline(__always)
    func count(_ number: Int) -> Int { number == openNumber ? open.count : tree.count(number) }

    @inlinable
    @inline(__always)
    mutating func change(_ number: Int, _ body: (inout Page) -> Void) {
        if number != openNumber { swapOpen(for: number) }
        body(&open)
    }

    /// Puts the open page back into the tree, and takes another one out.
    @inlinable
    @inline(never)
    mutating func swapOpen(for number: Int) {
        if openNumber >= 0 { tree.change(openNumber) { swap(&$0, &open) } }
        tree.change(number) { swap(&$0, &open) }
        openNumber = number
    }

    /// Adds a page and returns its number. O(1) amortised.
    @inlinable
    mutating func add(_ page: Page, _ home: PageHome) -> Int {
        if let number = free.popLast() {
            change(Int(number)) { $0 = page }
            homes[Int(number)] = home
            return Int(number)
        }
        let number = homes.count
        if number == 0 {
            (open, openNumber) = (page, 0)
            homes = home == FirstPage.homes[0] ? FirstPage.homes : [home]
            return 0
        }
        if number == 1 { tree.append([], as: 0) }
        tree.append(page, as: number)
        homes.append(home)
        return number
    }

    /// Removes the rows of a page, and keeps its number for another page.
    @inlinable
    mutating func release(_ number: Int) {
        change(number) { $0 = [] }
        homes[number] = PageHome(token: -1, ordinal: -1)
        free.append(Int32(truncatingIfNeeded: number))
    }
}

extension Pages: Sendable where Item: Sendable {}

extension ContiguousArray {
    /// Returns true if both are unchanged copies of each other. O(1). Equal elements alone do not make it true.
    @inlinable
    @inline(__always)
    func isShared(with other: ContiguousArray) -> Bool {
        // Two addresses are compared and neither is read through, not even for the counts, which are in the same place.
        // Elements that two arrays share are not changed in place.
        unsafe withUnsafeBufferPointer { mine in
            unsafe other.withUnsafeBufferPointer { theirs in unsafe mine.baseAddress == theirs.baseAddress }
        }
    }
}
