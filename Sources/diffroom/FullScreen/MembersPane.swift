import ChatWire
import TerminalUI

/// Somebody in the room, as the members' list has them.
struct Person: Equatable, Sendable {
    let name: UserName
    var isOnline: Bool
    var isTyping: Bool
}

/// The column at the right that says who is there.
enum MembersPane {
    /// Columns that it takes, the rule at its left included; 0 where the messages need them all.
    static func width(of columns: Int) -> Int {
        columns < 72 ? 0 : min(24, columns / 4)
    }

    static func lines(_ people: [Person], size: Frame.Size) -> [Line] {
        let online = people.filter(\.isOnline)
        let offline = people.filter { !$0.isOnline }
        var lines = [Line(" online \(online.count)", Style(.faint, [.bold]))]
        lines += online.map { line($0.isTyping ? "✎ " : "● ", .good, $0, .name($0.name), size.columns) }
        if !offline.isEmpty { lines += [Line(), Line(" offline \(offline.count)", Style(.faint, [.bold]))] }
        lines += offline.map { line("○ ", .faint, $0, .faint, size.columns) }
        if lines.count > size.rows {
            let hidden = lines.count - size.rows + 1
            lines = Array(lines.prefix(max(0, size.rows - 1))) + [Line(" and \(hidden) more", .faint)]
        }
        lines += Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return lines.map { content in
            var line = Line("│", .faint)
            line.append(content)
            return line.fitted(to: size.columns)
        }
    }

    private static func line(_ sign: String, _ hue: Style.Hue, _ person: Person, _ style: Style, _ width: Int) -> Line {
        var line = Line(" " + sign, Style(hue))
        line.append(person.name.description.neutralized.truncated(to: max(1, width - 5)), style)
        return line
    }
}

/// The line that says who is writing.
enum TypingLine {
    /// `nil` when nobody is.
    static func line(_ people: [Person], besides user: UserName, width: Int) -> Line? {
        let names = people.filter { $0.isTyping && $0.name != user }.map { $0.name.description.neutralized }
        let text: String
        switch names.count {
        case 0: return nil
        case 1: text = "\(names[0]) is writing…"
        case 2: text = "\(names[0]) and \(names[1]) are writing…"
        default: text = "\(names[0]), \(names[1]) and \(names.count - 2) more are writing…"
        }
        return Line("  " + text.truncated(to: max(1, width - 2)), Style(.faint, [.italic])).fitted(to: width)
    }
}
