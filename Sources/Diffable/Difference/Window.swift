/// A stretch in which the two versions of a section differ: what remains without shared pages and without the equal
/// rows at both ends. Between two windows of a section all rows are the same.
///
/// - Shape: `oldSection` is -1 for a new section, `newSection` for a section that goes. The other side is then whole.
struct Window: Sendable {
    var oldSection: Int
    var newSection: Int
    var old: Range<Int>
    var new: Range<Int>
    /// The place in the comparison's row set at which the old rows of this window begin.
    var firstFate = 0

    init(oldSection: Int, newSection: Int, old: Range<Int>, new: Range<Int>) {
        self.oldSection = oldSection
        self.newSection = newSection
        self.old = old
        self.new = new
    }

    /// Adds the rows of an old and a new page, without the equal ones at both ends.
    ///
    /// - `from`, `to`: the first rows of the two pages in their sections.
    mutating func extend(
        _ before: Pages<AnyIdentifier>.Page, at from: Int, _ after: Pages<AnyIdentifier>.Page, at to: Int,
        _ type: RowType
    ) {
        let shorter = min(before.count, after.count)
        let (old, new) = unsafe (type.rows(of: before), type.rows(of: after))
        let start = unsafe type.countEqual(old, new, shorter, type.stride)
        let end = unsafe type.countEqual(
            old + (before.count - 1) * type.stride, new + (after.count - 1) * type.stride, shorter - start, -type.stride
        )
        (self.old, self.new) = (from + start..<from + before.count - end, to + start..<to + after.count - end)
    }
}
