/// One line of styled text.
///
/// - Shape: the text holds no line feed and nothing that a terminal obeys. Other people's text was ``neutralized``.
package struct Line: Hashable, Sendable {
    package struct Span: Hashable, Sendable {
        package var text: String
        package var style: Style
        /// The meaning of a click on it: an address with `http://` or `https://`, which the terminal may open by itself, or any
        /// other text, for the program.
        package var target: String?
    }

    package private(set) var spans: [Span] = []

    package init() {}

    package init(_ text: some StringProtocol, _ style: Style = .text) {
        append(text, style)
    }

    package mutating func append(_ text: some StringProtocol, _ style: Style = .text, target: String? = nil) {
        if !text.isEmpty { spans.append(Span(text: String(text), style: style, target: target)) }
    }

    package mutating func append(_ line: Line) {
        spans += line.spans
    }

    /// The text without its styles.
    package var text: String { spans.map(\.text).joined() }

    /// The width in columns.
    package var width: Int { spans.reduce(0) { $0 + $1.text.displayWidth } }

    /// Returns the line with `width` columns, cut or filled up with blanks.
    package func fitted(to width: Int, filling style: Style = .text) -> Line {
        var result = Line()
        var left = width
        for span in spans {
            let part = span.text.fitting(left)
            result.append(part, span.style, target: span.target)
            left -= part.displayWidth
            if part.endIndex < span.text.endIndex { break }
        }
        result.append(String(repeating: " ", count: max(0, left)), style)
        return result
    }

    /// Returns the line if it fits, or its beginning and an ellipsis.
    package func truncated(to width: Int) -> Line {
        guard self.width > width, width >= 1, let last = spans.last else { return width < 1 ? Line() : self }
        var result = fitted(to: width - 1)
        result.append("…", last.style)
        return result
    }

    /// Returns the line, then blanks, then `end` at the right edge. If both do not fit, the line is cut.
    package func withEnd(_ end: Line, width: Int, filling style: Style = .text) -> Line {
        let room = max(0, width - end.width)
        var result = fitted(to: room, filling: style)
        result.append(end)
        return result.fitted(to: width, filling: style)
    }

    /// Returns the line with a target wherever it has none.
    package func targeting(_ target: String?) -> Line {
        var result = self
        for index in result.spans.indices where result.spans[index].target == nil {
            result.spans[index].target = target
        }
        return result
    }

    /// Returns the target at a column; `nil` if there is none.
    package func target(at column: Int) -> String? {
        var end = 0
        for span in spans {
            end += span.text.displayWidth
            if column < end { return span.target }
        }
        return nil
    }

    /// Returns the line with another background wherever it has the screen's.
    package func on(_ ground: Style.Ground) -> Line {
        var result = self
        for index in result.spans.indices where result.spans[index].style.ground == .screen {
            result.spans[index].style.ground = ground
        }
        return result
    }
}
