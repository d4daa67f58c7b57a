import ChatClient
import ChatWire
import TerminalUI

/// The column at the right with the members: ● online, ✎ writing, ○ offline, ◌ invited; ★ owns the room, ☆ moderates it; ✓ has read
/// everything.
struct MembersPane {
    let members: MembersView
    let people: PeopleLabels
    /// The last message's sort key.
    let end: UInt64?
    /// True when the members are current. Without a connection no member is known to be online or writing.
    let isLive: Bool
    /// The users whom the user blocks: they are not shown as writing.
    let blocked: Set<UserName>

    /// Returns the pane's width in columns, including the rule at its left; 0 where the messages need the whole width.
    static func width(of columns: Int) -> Int {
        columns < 72 ? 0 : min(24, columns / 4)
    }

    func lines(size: Frame.Size) -> [Line] {
        var rows = Member.Section.allCases.flatMap { part($0, size.columns) }
        if rows.count > size.rows {
            rows = Array(rows.prefix(max(0, size.rows - 1)))
            let all = Member.Section.allCases.reduce(0) { $0 + members.count(of: $1) }
            rows.append(Row(Self.rest(all - rows.reduce(0) { $0 + $1.people })))
        }
        let lines = rows.map(\.line) + Array(repeating: Line(), count: max(0, size.rows - rows.count))
        return lines.map { content in
            var line = Line("│", .faint)
            line.append(content)
            return line.fitted(to: size.columns)
        }
    }

    /// A line of the pane.
    private struct Row {
        let line: Line
        /// The people whom it stands for.
        let people: Int

        init(_ line: Line, people: Int = 0) {
            (self.line, self.people) = (line, people)
        }
    }

    private static func rest(_ count: Int) -> Line { Line(" and \(count.grouped) more", .faint) }

    /// Returns the rows of a section: its name, its count, and the people who have rows.
    private func part(_ section: Member.Section, _ width: Int) -> [Row] {
        let people = members.members.filter { $0.section == section }
        let count = members.count(of: section)
        guard section == .online || count > 0 else { return [] }
        var rows = section == .online ? [] : [Row(Line())]
        rows.append(Row(Line(" \(section.rawValue) \(count.grouped)", Style(.faint, [.bold]))))
        rows += people.map { Row(line($0, width), people: 1) }
        let rest = count - people.count
        if rest > 0 { rows.append(Row(Self.rest(rest), people: rest)) }
        return rows
    }

    private func line(_ member: Member, _ width: Int) -> Line {
        let isThere = member.section == .online && isLive
        let away = member.section == .invited ? "◌ " : "○ "
        let isWriting = member.light.isTyping && !blocked.contains(member.id)
        var line = Line(" " + (!isThere ? away : isWriting ? "✎ " : "● "), isThere ? Style(.good) : .faint)
        let hasRead = end.map { member.light.read >= $0 } ?? false
        let mark = Self.mark(of: member.light.role)
        let name = people.full(member.id).inOneLine.truncated(to: max(1, width - 7 - mark.count))
        line.append(name, isThere ? .name(member.id) : .faint)
        line.append(mark, .faint)
        if hasRead { line.append(" ✓", .faint) }
        return line
    }
}

extension MembersPane {
    private static func mark(of role: Role) -> String {
        switch role {
        case .none, .read, .write: ""
        case .moderate: " ☆"
        case .own: " ★"
        }
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
