/// The output that makes links of addresses that are on the screen already.
///
/// curses has no links. So each address is written once more, over itself, with the terminal's marks of a link around it.
///
/// - Source: OSC 8, "Hyperlinks in terminal emulators".
struct LinkOverlay {
    private var bytes = ""
    private let isWindow: Bool
    private let palette: Palette

    /// - Parameter isWindow: false for a terminal that does not know the marks; it gets none.
    init(isWindow: Bool, palette: Palette) {
        (self.isWindow, self.palette) = (isWindow, palette)
    }

    static func has(links line: Line) -> Bool { line.spans.contains { isLink($0) } }

    /// Returns whether a span is an address of which each character is one column, so that it is drawn as it was.
    private static func isLink(_ span: Line.Span) -> Bool {
        guard let target = span.target, target.hasPrefix("http://") || target.hasPrefix("https://") else {
            return false
        }
        return (target + span.text).utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    }

    /// Adds the links of a line.
    ///
    /// - Returns: whether it has any.
    mutating func add(_ line: Line, row: Int) -> Bool {
        guard isWindow, Self.has(links: line) else { return false }
        var column = 0
        for span in line.spans {
            if Self.isLink(span), let target = span.target {
                bytes += bytes.isEmpty ? "\u{1B}7" : ""
                bytes += "\u{1B}[\(row + 1);\(column + 1)H\u{1B}[0\(palette.look(of: span.style).parameters)m"
                bytes += "\u{1B}]8;;\(target)\u{1B}\\\(span.text)\u{1B}]8;;\u{1B}\\"
            }
            column += span.text.displayWidth
        }
        return true
    }

    /// The output, with the cursor and the attributes as they were before it.
    var output: String { bytes.isEmpty ? "" : bytes + "\u{1B}8" }
}

extension Palette.Look {
    /// The parameters of an SGR sequence, each behind a semicolon.
    fileprivate var parameters: String {
        let switches = [(isBold, 1), (isDim, 2), (isItalic, 3), (isUnderlined, 4), (isReversed, 7)]
        let attributes = switches.filter(\.0).map { ";\($0.1)" }.joined()
        return attributes + colour(foreground, base: 30) + colour(background, base: 40)
    }

    /// - Parameter base: 30 for the text, 40 for the background.
    private func colour(_ number: Int, base: Int) -> String {
        number < 0 ? "" : number < 8 ? ";\(base + number)" : ";\(base + 8);5;\(number)"
    }
}
