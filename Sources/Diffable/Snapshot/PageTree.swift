/// Numbered arrays. Copies share every array that neither has changed.
///
/// - Shape: the leaves of a tree with 16 branches on each of two levels. A change copies one array and, for 100,000
///   rows, about forty references, however many of the arrays have changed before.
@frozen
@usableFromInline
struct PageTree<Element> {
    @usableFromInline typealias Page = ContiguousArray<Element>

    @usableFromInline var limbs: ContiguousArray<ContiguousArray<ContiguousArray<Page>>> = []

    @inlinable
    init() {}

    /// Makes `count` empty pages.
    @inlinable
    init(count: Int) {
        let branch = ContiguousArray(repeating: Page(), count: 16)
        let limb = ContiguousArray(repeating: branch, count: min(16, (count + 15) / 16))
        limbs = ContiguousArray(repeating: limb, count: (count + 255) / 256)
    }

    @inlinable
    var isEmpty: Bool { limbs.isEmpty }

    /// Adds empty pages, so that there are at least `count`.
    @inlinable
    mutating func reserve(_ count: Int) {
        while limbs.count << 8 < count {
            limbs.append(ContiguousArray(repeating: ContiguousArray(repeating: Page(), count: 16), count: 16))
        }
    }

    @inlinable
    subscript(number: Int) -> Page {
        @inline(__always)
        get { limbs[number >> 8][number >> 4 & 15][number & 15] }
    }

    @inlinable
    subscript(number: Int, offset: Int) -> Element {
        @inline(__always)
        get { limbs[number >> 8][number >> 4 & 15][number & 15][offset] }
    }

    @inlinable
    @inline(__always)
    func count(_ number: Int) -> Int { limbs[number >> 8][number >> 4 & 15][number & 15].count }

    @inlinable
    @inline(__always)
    mutating func change(_ number: Int, _ body: (inout Page) -> Void) {
        body(&limbs[number >> 8][number >> 4 & 15][number & 15])
    }

    /// Adds a page after the last one, which has the number before `number`. O(1) amortised.
    @inlinable
    mutating func append(_ page: Page, as number: Int) {
        if number == 0 {
            limbs = [[[page]]]
            return
        }
        if number & 255 == 0 { limbs.append([]) }
        let limb = limbs.count - 1
        if number & 15 == 0 { limbs[limb].append([]) }
        limbs[limb][number >> 4 & 15].append(page)
    }
}

extension PageTree: Sendable where Element: Sendable {}
