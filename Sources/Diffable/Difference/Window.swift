/// A stretch of a section's two versions in which they differ: what is left once shared pages are passed over, and what is
/// equal at both ends is cut off. Between two windows of a section all rows are the same.
///
/// - Shape: `oldSection` is -1 for a section that comes, `newSection` for one that goes; then the other side is whole.
@frozen
@usableFromInline
struct Window: Sendable {
    @usableFromInline var oldSection: Int
    @usableFromInline var newSection: Int
    @usableFromInline var old: Range<Int>
    @usableFromInline var new: Range<Int>
    /// Where the fates of the old rows begin.
    @usableFromInline var firstFate = 0

    @inlinable
    init(oldSection: Int, newSection: Int, old: Range<Int>, new: Range<Int>) {
        self.oldSection = oldSection
        self.newSection = newSection
        self.old = old
        self.new = new
    }
}
