/// Where a row stands in its list.
package struct RowPlace<Section: ListSection>: Comparable, Sendable {
    let section: Section
    let sort: UInt64

    package static func < (left: RowPlace, right: RowPlace) -> Bool {
        left.section == right.section ? left.sort < right.sort : left.section < right.section
    }
}

extension ListRow {
    package var place: RowPlace<Section> { RowPlace(section: section, sort: sort) }
}

extension Array where Element: ListRow {
    /// The index of the first row that does not stand before `place`.
    ///
    /// - Complexity: O(log *n*).
    package func firstIndex(notBefore place: RowPlace<Element.Section>) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The two rows that show that the places are not strictly ascending, if they are not.
    var firstDisorder: String? {
        for (left, right) in zip(self, dropFirst()) where !(left.place < right.place) {
            return "row \(right.id) at sort \(right.sort) does not stand after row \(left.id) at sort \(left.sort)"
        }
        return nil
    }
}
