/// The place of a row in its list.
///
/// Replicas compare places for each row that they look for. They are another target, so the code is inlinable: otherwise
/// applying a diff takes more than twice the time.
@frozen @usableFromInline
package struct RowPlace<Section: ListSection>: Comparable, Sendable {
    @usableFromInline let section: Section
    @usableFromInline let sort: UInt64

    @inlinable
    init(section: Section, sort: UInt64) {
        self.section = section
        self.sort = sort
    }

    @inlinable
    package static func < (left: RowPlace, right: RowPlace) -> Bool {
        left.section == right.section ? left.sort < right.sort : left.section < right.section
    }
}

extension ListRow {
    @inlinable package var place: RowPlace<Section> { RowPlace(section: section, sort: sort) }
}

extension Array where Element: ListRow {
    /// Returns the index of the first row that does not stand before `place`.
    ///
    /// - Complexity: O(log *n*).
    @inlinable
    package func firstIndex(notBefore place: RowPlace<Element.Section>) -> Int {
        partitioningIndex { !($0.place < place) }
    }
}
