import ChatClient
import TerminalUI

/// The lines at the bottom: the editor, or the keys that can be pressed.
struct Prompt {
    var lines: [Line]
    /// `nil` when no text is being written.
    var cursor: Frame.Place?

    /// The most rows of the editor.
    private static let rows = 6

    init(_ switcher: Switcher, size: Frame.Size) {
        let (label, hint) = switcher.isOfThreads ? ("thread", "of a message in it") : ("room", "of what it is called")
        self.init(switcher.text, label: label, hint: "type a part \(hint)  ↑↓ Enter  Esc", size)
    }

    static var ofPins: Prompt {
        Prompt(
            title: "PINNED",
            choices: [
                ("↑↓", "choose"), ("Enter", "go there"), ("J K", "down, up"), ("x", "unpin"), ("Esc", "back"),
            ])
    }

    static var ofLater: Prompt {
        Prompt(
            title: "LATER",
            choices: [
                ("Enter", "go there"), ("z", "+1 h"), ("s", "send"), ("x", "cancel"), ("Esc", "back"),
            ])
    }

    static var ofMentions: Prompt {
        Prompt(title: "MENTIONS", choices: [("↑↓", "choose"), ("Enter", "go there"), ("Esc", "back")])
    }

    init(_ room: RoomScreen, user: String, size: Frame.Size) {
        let hint = room.invitation.map { "\($0): /accept or /decline".inOneLine }
        guard room.controls.mode == .selecting else {
            self.init(room.controls, user: user, name: room.subjectName, hint: hint, size: size)
            return
        }
        self.init(ofMessage: room.subject)
    }

    /// The keys of a chosen message, those first that not every message has.
    private init(ofMessage subject: Controls.Subject?) {
        var choices = [("↑↓", "choose")]
        if subject?.hasFiles == true { choices.append(("o", "its files")) }
        if subject?.mayStop == true { choices.append(("s", "stop")) }
        choices += [
            ("r", "reply"), ("e", "edit"), ("d", "delete"), ("+", "react"), ("t", "thread"), ("Esc", "back"),
        ]
        self.init(title: "CHOOSE", choices: choices)
    }

    /// - Parameters:
    ///   - name: the author of the message that is answered or reacted to.
    ///   - hint: stands where a message is written; the usual one if it is `nil`.
    init(_ controls: Controls, user: String, name: String?, hint: String? = nil, size: Frame.Size) {
        let name = (name ?? "a message").inOneLine
        switch controls.mode {
        case .selecting: self.init(ofMessage: nil)
        case .confirming(let question, let answer): self.init(asking: question, focused: answer)
        case .helping: self.init(title: "HELP", choices: [("↑↓ PageDown", "read on"), ("Esc", "back")])
        case .writing: self.init(controls.draft, label: user, hint: hint ?? "write a message, or /help", size)
        case .replying: self.init(controls.draft, label: "reply to \(name)", hint: "", size)
        case .editing: self.init(controls.side, label: "edit", hint: "Esc leaves it as it was", size)
        case .searching: self.init(controls.side, label: "search", hint: "↑ earlier  ↓ later  Esc done", size)
        case .reminding: self.init(controls.side, label: "remind", hint: "when? 20m, 3h, 9:00, tomorrow 9:00", size)
        case .reacting:
            let quick = Controls.quickReactions.enumerated().map { "\($0.offset + 1) \($0.element)" }
            self.init(controls.side, label: "react to \(name)", hint: quick.joined(separator: "  "), size)
        }
    }

    /// - Parameter title: the name of the mode, which shows that keys are not text now.
    private init(title: String, choices: [(key: String, meaning: String)]) {
        var line = Line(" ")
        line.append(" \(title) ", Style(.warning, on: .bar, [.bold]))
        lines = [line]
        for (key, meaning) in choices { add(key, meaning) }
    }

    private mutating func add(_ key: String, _ meaning: String) {
        lines[0].append("  \(key)", Style(.accent, [.bold]))
        lines[0].append(" \(meaning)", .faint)
    }

    private init(asking question: Controls.Question, focused: Controls.Answer) {
        var line = Line(" ")
        line.append(" \(question.text) ", Style(.warning, on: .bar, [.bold]))
        for (answer, text) in [(Controls.Answer.keep, "Keep"), (.act, question.verb)] {
            line.append("  ")
            line.append(
                answer == focused ? "[\(text)]" : " \(text) ",
                answer == focused ? Style(.accent, on: .selection, [.bold]) : .faint)
        }
        line.append("  ← →, then Enter\(question.remark)", .faint)
        lines = [line]
    }

    private init(_ editor: LineEditor, label: String, hint: String, _ size: Frame.Size) {
        let label = label.inOneLine.truncated(to: max(4, size.columns / 3))
        let indent = label.displayWidth + 4
        let layout = EditorLayout(
            editor, width: max(2, size.columns - indent - 1), rows: max(1, min(Self.rows, size.rows / 3)))
        lines = layout.lines.enumerated().map { row, text in
            var line = Line(row == 0 ? " \(label)" : String(repeating: " ", count: indent - 3), Style(.accent, [.bold]))
            line.append(row == 0 ? " ❯ " : "   ", .faint)
            line.append(text.neutralized)
            return line
        }
        // One column stays free for the cursor.
        if editor.isEmpty { lines[0].append(" " + hint.truncated(to: max(1, size.columns - indent - 2)), .faint) }
        cursor = Frame.Place(row: layout.cursor.row, column: layout.cursor.column + indent)
    }
}

extension Controls.Question {
    fileprivate var text: String {
        switch self {
        case .delete: "Delete this message?"
        case .leave(let room): "Leave \(room.shortPhrase)?"
        case .decline(let room): "Decline the invitation to \(room.shortPhrase)?"
        }
    }

    /// The consequence, which stands where there is space.
    fileprivate var remark: String {
        switch self {
        case .delete: ""
        case .leave, .decline: "; after that you need another invitation"
        }
    }

    /// The answer that acts.
    fileprivate var verb: String {
        switch self {
        case .delete: "Delete"
        case .leave: "Leave"
        case .decline: "Decline"
        }
    }
}

extension RoomLabel {
    /// The phrase, which leaves space for the answers.
    fileprivate var shortPhrase: String {
        phrase.inOneLine.truncated(to: 24)
    }
}
