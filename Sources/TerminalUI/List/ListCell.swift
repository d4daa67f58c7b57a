/// What a list shows for one row.
package struct ListCell: Equatable, Sendable {
    /// Lines of at most ``ListView/contentWidth`` columns.
    package var lines: [Line]

    package init(_ lines: [Line]) {
        self.lines = lines
    }

    /// The cell made to have so many lines: cut, or filled up.
    func fitted(to height: Int) -> ListCell {
        let filling = Array(repeating: Line(), count: max(0, height - lines.count))
        return ListCell(Array(lines.prefix(height)) + filling)
    }
}

/// Why a row catches the eye for a while.
package struct RowMark: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case inserted
        case moved
        case reloaded
    }

    package let cause: Cause
    /// From 2 down to 0, then it is gone.
    package fileprivate(set) var freshness = 2

    init(_ cause: Cause) {
        self.cause = cause
    }

    /// The mark a step later.
    func faded() -> RowMark? {
        guard freshness > 0 else { return nil }
        var mark = self
        mark.freshness -= 1
        return mark
    }
}

/// What is left of a row that was deleted in front of the reader's eyes.
struct RowGhost: Equatable {
    var lines: [Line]
    var freshness = 2
}
