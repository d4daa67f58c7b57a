import TerminalUI

/// The lines at the bottom, in which one writes or is told what may be typed.
struct Prompt {
    var lines: [Line]
    /// `nil` when nothing is being written.
    var cursor: Frame.Place?

    /// Rows that the editor grows to.
    private static let rows = 6

    /// - Parameter name: of the author of the message that is answered or reacted to.
    init(_ controls: Controls, user: String, name: String?, size: Frame.Size) {
        let name = (name ?? "a message").neutralized
        switch controls.mode {
        case .selecting:
            self.init(choices: [
                ("↑↓", "choose"), ("r", "reply"), ("e", "edit"), ("d", "delete"), ("+", "react"), ("Esc", "back"),
            ])
        case .deleting: self.init(choices: [("", "Delete this message?"), ("y", "yes"), ("n", "no")])
        case .helping: self.init(choices: [("", "Any key goes back.")])
        case .writing: self.init(controls.draft, label: user, hint: "write a message, or /help", size)
        case .replying: self.init(controls.draft, label: "reply to \(name)", hint: "", size)
        case .editing: self.init(controls.side, label: "edit", hint: "Esc leaves it as it was", size)
        case .searching: self.init(controls.side, label: "search", hint: "↑ earlier  ↓ later  Esc done", size)
        case .reacting:
            let quick = Controls.quickReactions.enumerated().map { "\($0.offset + 1) \($0.element)" }
            self.init(controls.side, label: "react to \(name)", hint: quick.joined(separator: "  "), size)
        }
    }

    private init(choices: [(key: String, meaning: String)]) {
        var line = Line(" ")
        for (key, meaning) in choices {
            line.append(key, Style(.accent, [.bold]))
            line.append((key.isEmpty ? "" : " ") + meaning + "   ", .faint)
        }
        lines = [line]
    }

    private init(_ editor: LineEditor, label: String, hint: String, _ size: Frame.Size) {
        let label = label.neutralized.truncated(to: max(4, size.columns / 3))
        let indent = label.displayWidth + 4
        let layout = EditorLayout(
            editor, width: max(2, size.columns - indent - 1), rows: max(1, min(Self.rows, size.rows / 3)))
        lines = layout.lines.enumerated().map { row, text in
            var line = Line(row == 0 ? " \(label)" : String(repeating: " ", count: indent - 3), Style(.accent, [.bold]))
            line.append(row == 0 ? " ❯ " : "   ", .faint)
            line.append(text.neutralized)
            return line
        }
        // One column is left free for the cursor.
        if editor.isEmpty { lines[0].append(" " + hint.truncated(to: max(1, size.columns - indent - 2)), .faint) }
        cursor = Frame.Place(row: layout.cursor.row, column: layout.cursor.column + indent)
    }
}
