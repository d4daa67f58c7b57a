extension StringProtocol where SubSequence == Substring {
    /// Wraps the text into lines of at most `width` columns.
    ///
    /// - Shape: at least one line. A line ends at a line feed, or before a word that does not fit, without the blanks
    ///   there, or between wide characters, or within a word that is wider than a whole line. No grapheme is cut.
    /// - Precondition: `width` is at least 2, so that each grapheme fits.
    /// - Complexity: O(*n*).
    package func wrapped(to width: Int) -> [Substring] {
        precondition(width >= 2, "text wrapped to \(width) columns: at least 2")
        return split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            line.utf8.count <= width ? [line] : Wrapping(line, width: width).lines()
        }
    }
}

/// Wraps one line of text.
private struct Wrapping {
    let text: Substring
    let width: Int
    private var start: Substring.Index
    /// The columns since `start`.
    private var column = 0
    /// The last place where the line may end: its end, the start of the next line, and the columns up to there.
    private var chance: (end: Substring.Index, next: Substring.Index, column: Int)?
    private var result: [Substring] = []

    init(_ text: Substring, width: Int) {
        self.text = text
        self.width = width
        start = text.startIndex
    }

    consuming func lines() -> [Substring] {
        var previous: Character?
        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            let next = text.index(after: index)
            let columns = character.displayWidth
            if character == " " {
                noteBlank(from: index, to: next, follows: previous)
            } else {
                if let previous, previous != " ", isBetweenWide(previous, character) {
                    chance = (index, index, column)
                }
                if column + columns > width { breakLine(before: index) }
            }
            column += columns
            previous = character
            index = next
        }
        result.append(text[start...].trimmingBlanks(to: width))
        return result
    }

    /// Notes a blank as a place to break. Blanks that begin a line indent it and belong to it.
    private mutating func noteBlank(from index: Substring.Index, to next: Substring.Index, follows: Character?) {
        let isIndent = index == start || (follows == " " && chance == nil)
        if isIndent, column < width / 2 { return }
        let end = follows == " " ? chance?.end ?? index : index
        chance = (end, next, column + 1)
    }

    private func isBetweenWide(_ left: Character, _ right: Character) -> Bool {
        guard left.displayWidth == 2 || right.displayWidth == 2 else { return false }
        return !Self.closing.contains(right) && !Self.opening.contains(left)
    }

    /// Characters that do not begin a line, and below, those that do not end one.
    private static let closing = Set("、。，．！？：；」』）】ー,.!?):;")
    private static let opening = Set("「『（【(")

    private mutating func breakLine(before index: Substring.Index) {
        if let chance {
            result.append(text[start..<chance.end])
            start = chance.next
            column -= chance.column
        }
        chance = nil
        // A word is wider than a line, or the rest of the line is still too wide.
        if column + text[index].displayWidth > width {
            result.append(text[start..<index])
            start = index
            column = 0
        }
    }
}

extension Substring {
    /// Returns the text without trailing blanks beyond the edge.
    fileprivate func trimmingBlanks(to width: Int) -> Substring {
        var line = self
        while line.last == " ", line.displayWidth > width { line.removeLast() }
        return line
    }
}
