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

/// How many of the first items of two lists are equal. O(the answer).
@inlinable
func commonPrefix<Item: Equatable>(_ a: ContiguousArray<Item>, _ b: ContiguousArray<Item>) -> Int {
    let limit = min(a.count, b.count)
    var i = 0
    while i < limit, a[i] == b[i] { i += 1 }
    return i
}

/// How many of the last items of two lists are equal, at most `limit`. O(the answer).
@inlinable
func commonSuffix<Item: Equatable>(_ a: ContiguousArray<Item>, _ b: ContiguousArray<Item>, limit: Int) -> Int {
    var i = 0
    while i < limit, a[a.count - 1 - i] == b[b.count - 1 - i] { i += 1 }
    return i
}
