/// The text that a person is writing, with a cursor between graphemes, a kill buffer, and the lines written before.
///
/// - Complexity: each operation is O(text), which is a message.
package struct LineEditor: Equatable, Sendable {
    /// The text before the cursor; below, the text after it.
    package private(set) var before = ""
    package private(set) var after = ""
    private var killed = ""
    /// The text as a completion left it, with a blank at its end.
    private var completed = ""
    private var history = EditorHistory()

    package init() {}

    package var text: String { before + after }
    /// The text to send: without the blank that a completion has put at its end.
    package var entered: String { completed == text ? String(text.dropLast()) : text }
    package var isEmpty: Bool { before.isEmpty && after.isEmpty }

    /// Replaces the text and places the cursor at its end.
    package mutating func set(_ text: String) {
        before = text
        after = ""
    }

    /// Empties the editor, and returns its text to send, which the history keeps.
    package mutating func submit() -> String {
        let text = entered
        history.add(text)
        set("")
        return text
    }

    /// Adds a text to the lines written before.
    package mutating func remember(_ text: String) {
        history.add(text)
    }

    package mutating func insert(_ text: some StringProtocol) {
        before += text
    }

    /// Ends a completed word with a blank.
    package mutating func endCompletion() {
        insert(" ")
        if after.isEmpty { completed = before }
    }

    /// Replaces the last characters before the cursor.
    package mutating func replace(last count: Int, with text: some StringProtocol) {
        before.removeLast(min(count, before.count))
        before += text
    }

    // MARK: - Moving

    package enum Step: CaseIterable, Sendable {
        case grapheme
        case word
        /// To the next line feed, or the end of the text.
        case line
    }

    package mutating func moveLeft(by step: Step) {
        let start = startOf(step)
        after = before[start...] + after
        before = String(before[..<start])
    }

    package mutating func moveRight(by step: Step) {
        let end = endOf(step)
        before += after[..<end]
        after = String(after[end...])
    }

    /// Moves one line of text up, to the same column if the line is long enough.
    ///
    /// - Returns: true if there was a line above.
    package mutating func moveUp() -> Bool {
        guard let feed = before.lastIndex(of: "\n") else { return false }
        let column = before[before.index(after: feed)...].displayWidth
        let above = before[..<feed]
        let start = above.lastIndex(of: "\n").map { above.index(after: $0) } ?? above.startIndex
        place(at: above[start...].fitting(column).endIndex)
        return true
    }

    /// Moves one line of text down, as ``moveUp()`` moves up.
    package mutating func moveDown() -> Bool {
        guard let feed = after.firstIndex(of: "\n") else { return false }
        let lineStart = before.lastIndex(of: "\n").map { before.index(after: $0) } ?? before.startIndex
        let column = before[lineStart...].displayWidth
        let below = after[after.index(after: feed)...].prefix { $0 != "\n" }
        let end = below.fitting(column).endIndex
        before += after[..<end]
        after = String(after[end...])
        return true
    }

    private mutating func place(at index: String.Index) {
        after = before[index...] + after
        before = String(before[..<index])
    }

    // MARK: - Deleting

    package mutating func deleteLeft() {
        if !before.isEmpty { before.removeLast() }
    }

    package mutating func deleteRight() {
        if !after.isEmpty { after.removeFirst() }
    }

    /// Cuts the text that ``moveLeft(by:)`` would pass, for ``yank()``.
    package mutating func killLeft(by step: Step) {
        let start = startOf(step)
        keep(String(before[start...]))
        before = String(before[..<start])
    }

    /// Cuts the text that ``moveRight(by:)`` would pass; at the end of a line, its line feed.
    package mutating func killRight(by step: Step) {
        let end = step == .line && after.first == "\n" ? after.index(after: after.startIndex) : endOf(step)
        keep(String(after[..<end]))
        after = String(after[end...])
    }

    private mutating func keep(_ text: String) {
        if !text.isEmpty { killed = text }
    }

    /// Inserts the text that was last cut.
    package mutating func yank() {
        insert(killed)
    }

    // MARK: - History

    /// Shows the line written before the shown one.
    package mutating func recallEarlier() {
        if let text = history.earlier(than: text) { set(text) }
    }

    package mutating func recallLater() {
        if let text = history.later() { set(text) }
    }

    // MARK: - Steps

    private func startOf(_ step: Step) -> String.Index {
        switch step {
        case .grapheme: before.isEmpty ? before.startIndex : before.index(before: before.endIndex)
        case .line: before.lastIndex(of: "\n").map { before.index(after: $0) } ?? before.startIndex
        case .word:
            before.lastIndex(where: \.isWordPart).flatMap { last in
                before[..<last].lastIndex { !$0.isWordPart }.map { before.index(after: $0) }
            } ?? before.startIndex
        }
    }

    private func endOf(_ step: Step) -> String.Index {
        switch step {
        case .grapheme: after.isEmpty ? after.endIndex : after.index(after: after.startIndex)
        case .line: after.firstIndex(of: "\n") ?? after.endIndex
        case .word:
            after.firstIndex(where: \.isWordPart).flatMap { first in after[first...].firstIndex { !$0.isWordPart } }
                ?? after.endIndex
        }
    }
}

extension Character {
    fileprivate var isWordPart: Bool { isLetter || isNumber }
}
