/// Returns the last of some places at which `holds` is true. It is true at the first, and from some place on no longer.
///
/// - Complexity: O(log places).
@inlinable
@inline(__always)
func lastPlace(in places: Range<Int>, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (places.lowerBound, places.upperBound)
    while high - low > 1 {
        let middle = (low + high) / 2
        if holds(middle) { low = middle } else { high = middle }
    }
    return low
}
