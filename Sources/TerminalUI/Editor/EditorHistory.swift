/// The lines written before, and which of them is being looked at.
struct EditorHistory: Equatable, Sendable {
    /// Lines kept; beyond it the oldest go.
    static let limit = 200

    private var lines: [String] = []
    /// Which line is shown; `lines.count` for the one being written.
    private var shown = 0
    /// What was being written when the looking back began.
    private var draft = ""

    mutating func add(_ line: String) {
        if !line.isEmpty, line != lines.last { lines.append(line) }
        if lines.count > Self.limit { lines.removeFirst() }
        shown = lines.count
        draft = ""
    }

    /// - Parameter current: what is being shown, kept if it is the line being written.
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
