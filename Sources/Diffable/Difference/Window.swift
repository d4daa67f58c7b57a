/// What is left of a section's two versions once their common beginning and end are cut off.
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

/// How many items of `a` from row `i` on are equal to those of `b` from row `j` on, at most `limit`. O(the answer).
@inlinable
func commonPrefix<Item: Equatable>(
    _ a: ContiguousArray<Item>, from i: Int = 0, _ b: ContiguousArray<Item>, from j: Int = 0, limit: Int
) -> Int {
    var count = 0
    while count < limit, a[i &+ count] == b[j &+ count] { count &+= 1 }
    return count
}

/// How many of the last items of two lists are equal, at most `limit`. O(the answer).
@inlinable
func commonSuffix<Item: Equatable>(_ a: ContiguousArray<Item>, _ b: ContiguousArray<Item>, limit: Int) -> Int {
    let (lastOfA, lastOfB) = (a.count - 1, b.count - 1)
    var count = 0
    while count < limit, a[lastOfA &- count] == b[lastOfB &- count] { count &+= 1 }
    return count
}
