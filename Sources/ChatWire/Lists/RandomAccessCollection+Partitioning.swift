extension RandomAccessCollection {
    /// Returns the first index whose element fulfils `belongsInSecond`. All such elements must stand after the others.
    @inlinable
    package func partitioningIndex(where belongsInSecond: (Element) -> Bool) -> Index {
        var low = startIndex
        var length = count
        while length > 0 {
            let half = length / 2
            let middle = index(low, offsetBy: half)
            if belongsInSecond(self[middle]) {
                length = half
            } else {
                low = index(after: middle)
                length -= half + 1
            }
        }
        return low
    }
}
