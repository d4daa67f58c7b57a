/// The contents of a whole screen.
package struct Frame: Equatable, Sendable {
    package struct Place: Equatable, Sendable {
        package var row: Int
        package var column: Int

        package init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    package struct Size: Equatable, Sendable {
        package var rows: Int
        package var columns: Int

        package init(rows: Int, columns: Int) {
            self.rows = rows
            self.columns = columns
        }
    }

    /// From the top.
    package var lines: [Line]
    /// The place of the cursor; `nil` to hide it.
    package var cursor: Place?

    package init(lines: [Line], cursor: Place?) {
        self.lines = lines
        self.cursor = cursor
    }

    /// Returns the rows to draw when `old` is on the screen.
    package func rows(unlike old: Frame?) -> [Int] {
        guard let old, old.lines.count == lines.count else { return Array(lines.indices) }
        return lines.indices.filter { lines[$0] != old.lines[$0] }
    }
}
