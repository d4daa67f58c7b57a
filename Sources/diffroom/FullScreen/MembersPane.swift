import ChatClient
import ChatWire
import TerminalUI

/// The column at the right with the members: ● online, ✎ writing, ○ offline; ✓ has read everything.
struct MembersPane {
    let members: MembersView
    let people: PeopleLabels
    /// The last message's sort key.
    let end: UInt64?
    /// True when the members are current. Without a connection no member is known to be online or writing.
    let isLive: Bool

    /// Returns the pane's width in columns, including the rule at its left; 0 where the messages need the whole width.
    static func width(of columns: Int) -> Int {
        columns < 72 ? 0 : min(24, columns / 4)
    }

    func lines(size: Frame.Size) -> [Line] {
        var lines: [Line] = []
        for section in Member.Section.allCases { lines += part(section, size.columns) }
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

    /// Returns the lines of a section: its name, its count, and the people who have rows.
    private func part(_ section: Member.Section, _ width: Int) -> [Line] {
        let people = members.members.filter { $0.section == section }
        let count = members.count(of: section)
        guard section == .online || count > 0 else { return [] }
        var lines = section == .online ? [] : [Line()]
        lines.append(Line(" \(section.rawValue) \(count)", Style(.faint, [.bold])))
        lines += people.map { line($0, width) }
        if people.count < count { lines.append(Line(" and \(count - people.count) more", .faint)) }
        return lines
    }

    private func line(_ member: Member, _ width: Int) -> Line {
        let isThere = member.section == .online && isLive
        var line = Line(" " + (!isThere ? "○ " : member.light.isTyping ? "✎ " : "● "), isThere ? Style(.good) : .faint)
        let hasRead = end.map { member.light.read >= $0 } ?? false
        let name = people.full(member.id).inOneLine.truncated(to: max(1, width - 7))
        line.append(name, isThere ? .name(member.id) : .faint)
        if hasRead { line.append(" ✓", .faint) }
        return line
    }
}

/// The line that shows who is writing.
enum TypingLine {
    /// Returns the line; no line when no member is writing.
    static func lines(_ members: [Member], _ people: PeopleLabels, besides user: UserName, width: Int) -> [Line] {
        let names = members.filter { $0.light.isTyping && $0.id != user }.map { people[$0.id].inOneLine }
        let text: String
        switch names.count {
        case 0: return []
        case 1: text = "\(names[0]) is writing…"
        case 2: text = "\(names[0]) and \(names[1]) are writing…"
        default: text = "\(names[0]), \(names[1]) and \(names.count - 2) more are writing…"
        }
        let line = Line("  " + text.truncated(to: max(1, width - 2)), Style(.faint, [.italic]))
        return [line.fitted(to: width)]
    }
}
