import ChatWire

extension Array where Element: ListRow {
    /// Returns the index of the first row with this sort key or a larger one, of a list that its sort keys order.
    func firstIndex(from sort: UInt64) -> Int {
        partitioningIndex { $0.sort >= sort }
    }

    /// Returns the index of the first row with a larger sort key, of a list that its sort keys order.
    func firstIndex(after sort: UInt64) -> Int {
        partitioningIndex { $0.sort > sort }
    }

    /// A description of the first two rows that are out of order; `nil` if the places are strictly ascending.
    var firstDisorder: String? {
        for (left, right) in zip(self, dropFirst()) where !(left.place < right.place) {
            return "row \(right.id) at sort \(right.sort) does not stand after row \(left.id) at sort \(left.sort)"
        }
        return nil
    }
}
