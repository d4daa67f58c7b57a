import TerminalUI

/// What `/help` shows.
enum Manual {
    private static let text: [(keys: String, meaning: String)] = [
        ("Writing", ""),
        ("Enter", "send          Alt-Enter, Ctrl-J: a new line"),
        ("↑ ↓", "the lines written before"),
        ("Ctrl-A E", "to the start, the end      Alt-B F: by word"),
        ("Ctrl-W U K Y", "take out a word, all before, all after; put in"),
        ("Reading", ""),
        ("PageUp PageDown", "through the messages; the top brings older ones"),
        ("Ctrl-End", "to the newest        Ctrl-Home: to the oldest"),
        ("Ctrl-F", "search; ↑ earlier, ↓ later, Esc done"),
        ("Esc or Tab", "choose a message: ↑ ↓, then"),
        ("  r e d +", "reply, edit, delete, react"),
        ("Also", ""),
        ("/search /older", "as above      //text: a message that begins with /"),
        ("/mute /kick /ban", "moderators: /mute NAME 10m   /slow 5s   /readonly on"),
        ("/role", "owners: /role NAME moderate      /unmute, /unban"),
        ("/quit, Ctrl-C", "end      Ctrl-Z: stop      Ctrl-L: draw anew"),
    ]

    /// The manual in a window of that size, its end cut if it must be.
    static func lines(size: Frame.Size) -> [Line] {
        let lines = text.map { keys, meaning in
            if meaning.isEmpty { return Line("  \(keys)", Style(.accent, [.bold])) }
            var line = Line("   \(keys)".fitted(18), Style(.text, [.bold]))
            line.append(meaning, .faint)
            return line
        }
        let filling = Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return (Array(lines.prefix(size.rows)) + filling).map { $0.fitted(to: size.columns) }
    }
}

extension String {
    /// The text with blanks to `width` columns.
    fileprivate func fitted(_ width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(1, width - displayWidth))
    }
}
