/// A stretch in which the two versions of a section differ: what remains without shared pages and without the equal
/// rows at both ends. Between two windows of a section all rows are the same.
///
/// - Shape: `oldSection` is -1 for a new section, `newSection` for a section that goes. The other side is then whole.
@frozen
@usableFromInline
struct Window: Sendable {
    @usableFromInline var oldSection: Int
    @usableFromInline var newSection: Int
    @usableFromInline var old: Range<Int>
    @usableFromInline var new: Range<Int>
    /// The place in the comparison's row set at which the old rows of this window begin.
    @usableFromInline var firstFate = 0

    @inlinable
    init(oldSection: Int, newSection: Int, old: Range<Int>, new: Range<Int>) {
        self.oldSection = oldSection
        self.newSection = newSection
        self.old = old
        self.new = new
    }

    /// Adds the rows of an old and a new page, without the equal ones at both ends.
    ///
    /// - `from`, `to`: the first rows of the two pages in their sections.
    @inlinable
    mutating func extend<Item>(
        _ before: Pages<Item>.Page, at from: Int, _ after: Pages<Item>.Page, at to: Int
    ) {
        let shorter = min(before.count, after.count)
        var (start, end) = (0, 0)
        while start < shorter, before[start].isSame(as: after[start]) { start += 1 }
        while end < shorter - start, before[before.count - 1 - end].isSame(as: after[after.count - 1 - end]) {
            end += 1
        }
        old = from + start..<from + before.count - end
        new = to + start..<to + after.count - end
    }
}
