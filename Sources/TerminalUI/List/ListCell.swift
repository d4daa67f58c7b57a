/// The lines that a list shows for one row.
package struct ListCell: Equatable, Sendable {
    /// Lines of at most ``ListView/contentWidth`` columns.
    package var lines: [Line]

    package init(_ lines: [Line]) {
        self.lines = lines
    }

    /// Returns the cell with `height` lines, cut or filled up.
    func fitted(to height: Int) -> ListCell {
        let filling = Array(repeating: Line(), count: max(0, height - lines.count))
        return ListCell(Array(lines.prefix(height)) + filling)
    }
}

/// A mark that highlights a changed row for a while.
package struct RowMark: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case inserted
        case moved
        case reloaded
    }

    package let cause: Cause
    /// From 2 down to 0; then the mark is removed.
    package fileprivate(set) var freshness = 2

    init(_ cause: Cause) {
        self.cause = cause
    }

    /// Returns the mark one step later.
    func faded() -> RowMark? {
        guard freshness > 0 else { return nil }
        var mark = self
        mark.freshness -= 1
        return mark
    }
}

/// The remains of a row that was deleted while it was on the screen.
struct RowGhost: Equatable {
    var lines: [Line]
    var freshness = 2
}
