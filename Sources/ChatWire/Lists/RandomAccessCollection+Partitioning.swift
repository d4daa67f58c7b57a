extension RandomAccessCollection {
    /// Returns the first index whose element fulfils `belongsInSecond`. All such elements must stand after the others.
    ///
    /// - Complexity: O(log *d*) for *d* elements that fulfil it, because lists change near their ends.
    @inlinable
    package func partitioningIndex(where belongsInSecond: (Element) -> Bool) -> Index {
        var (low, end) = (startIndex, endIndex)
        var (length, step) = (count, 1)
        while step <= length {
            let probe = index(end, offsetBy: -step)
            guard belongsInSecond(self[probe]) else {
                (low, length) = (index(after: probe), step - 1)
                break
            }
            end = probe
            length -= step
            step *= 2
        }
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
