/// The lines written before, and the one that is shown.
struct EditorHistory: Equatable, Sendable {
    /// The most lines kept. Older lines are dropped.
    static let limit = 200

    private var lines: [String] = []
    /// The index of the shown line; `lines.count` for the one being written.
    private var shown = 0
    /// The unfinished line, kept while an earlier one is shown.
    private var draft = ""

    mutating func add(_ line: String) {
        if !line.isEmpty, line != lines.last { lines.append(line) }
        if lines.count > Self.limit { lines.removeFirst() }
        shown = lines.count
        draft = ""
    }

    /// - Parameter current: the shown text, kept if it is the unfinished line.
    mutating func earlier(than current: String) -> String? {
        guard shown > 0 else { return nil }
        if shown == lines.count { draft = current }
        shown -= 1
        return lines[shown]
    }

    mutating func later() -> String? {
        guard shown < lines.count else { return nil }
        shown += 1
        return shown == lines.count ? draft : lines[shown]
    }
}
