/// The layout of an editor's text on the screen: its lines and the place of the cursor.
///
/// - Shape: `lines` are the rows to show, at most as many as allowed, and among them the one with the cursor.
package struct EditorLayout: Equatable, Sendable {
    package private(set) var lines: [String] = []
    package private(set) var cursor: Frame.Place

    /// - Precondition: `width` is at least 2 and `rows` at least 1.
    package init(_ editor: LineEditor, width: Int, rows: Int) {
        precondition(width >= 2 && rows >= 1, "an editor of \(rows) rows and \(width) columns: at least 1 and 2")
        var all = Self.broken(editor.before, width: width)
        cursor = Frame.Place(row: all.count - 1, column: all[all.count - 1].displayWidth)
        let rest = Self.broken(editor.after, width: width, from: cursor.column)
        all[all.count - 1] += rest[0]
        all += rest.dropFirst()
        if cursor.column >= width {
            cursor = Frame.Place(row: cursor.row + 1, column: 0)
            if all.count == cursor.row { all.append("") }
        }
        let first = max(0, min(cursor.row - rows + 1, all.count - rows))
        lines = Array(all[first..<min(all.count, first + rows)])
        cursor.row -= first
    }

    /// Breaks the text at line feeds and at the edge, but not between words, so that the text before the cursor does
    /// not move during typing. The lines are neutralized: the editor keeps what they are drawn without.
    private static func broken(_ text: String, width: Int, from column: Int = 0) -> [String] {
        var lines = [""]
        var column = column
        for character in text {
            let drawn = String(character).neutralized
            let columns = drawn.displayWidth
            if drawn == "\n" || column + columns > width {
                lines.append("")
                column = 0
            }
            if drawn == "\n" { continue }
            lines[lines.count - 1] += drawn
            column += columns
        }
        return lines
    }
}
