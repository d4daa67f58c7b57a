extension StringProtocol where SubSequence == Substring {
    /// The text in lines of at most `width` columns.
    ///
    /// - Shape: at least one line. Lines end at line feeds; before words that do not fit, the blanks there being left
    ///   out; between wide characters; and within words that are wider than a whole line. No grapheme is cut.
    /// - Precondition: `width` is at least 2, so that each grapheme fits.
    /// - Complexity: O(*n*).
    package func wrapped(to width: Int) -> [Substring] {
        precondition(width >= 2, "text wrapped to \(width) columns: at least 2")
        return split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            line.utf8.count <= width ? [line] : Wrapping(line, width: width).lines()
        }
    }
}

/// One line of text on its way to being several.
private struct Wrapping {
    let text: Substring
    let width: Int
    private var start: Substring.Index
    /// Columns since `start`.
    private var column = 0
    /// The last place where the line may end: where it ends, where the next begins, and the columns up to there.
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

    /// Blanks that begin a line belong to it: they indent it.
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

    /// These do not begin a line; those do not end one.
    private static let closing = Set("、。，．！？：；」』）】ー,.!?):;")
    private static let opening = Set("「『（【(")

    private mutating func breakLine(before index: Substring.Index) {
        if let chance {
            result.append(text[start..<chance.end])
            start = chance.next
            column -= chance.column
        }
        chance = nil
        // A word wider than a line, or what is left of the line is still too much.
        if column + text[index].displayWidth > width {
            result.append(text[start..<index])
            start = index
            column = 0
        }
    }
}

extension Substring {
    /// Blanks at the end that would stand beyond the edge say nothing.
    fileprivate func trimmingBlanks(to width: Int) -> Substring {
        var line = self
        while line.last == " ", line.displayWidth > width { line.removeLast() }
        return line
    }
}
