import ChatClient
import ChatWire
import Foundation
import TerminalUI

/// The look of messages in a list of a certain width.
struct MessageLook {
    let user: UserName
    let calendar: WallClock
    /// The labels of people.
    var people = PeopleLabels()
    /// The text being searched for; empty for none.
    var query = ""
    var ignored = Ignored()
    /// The pinned messages.
    var pinned: Set<MessageID> = []
    /// The addresses of files that were asked for.
    var links: [FilePlace: String] = [:]
    /// The messages that are about to be deleted.
    var leaving: Set<MessageID> = []
    /// The messages with a change of the user's that the server has not answered.
    var changing: Set<MessageID> = []

    /// The columns kept free at the end of the last line, so that reactions come and go without a new layout.
    private static let reactionRoom = 8
    /// The longest pause between two messages of one author that stand together.
    private static let pause: Milliseconds = 5 * 60 * 1_000

    /// - Parameters:
    ///   - previous: the message before it in its section.
    ///   - said: a time on the day that stands above, if one does.
    ///   - quoted: the message that it answers, if the client holds that.
    ///   - news: the text of the line above the first new message.
    func cell(
        _ message: Message, after previous: Message?, on said: Milliseconds?, quoting quoted: Message?,
        news: String? = nil, width: Int
    ) -> ListCell {
        var lines = news.map { [Line.divider($0, width: width, Style(.warning, []))] } ?? []
        // Of a message whose author is not known, neither is the time.
        if message.author != .unknown, !(said.map { calendar.isSameDay($0, message.time) } ?? false) {
            lines.append(.divider(calendar.day(message.time), width: width, .faint))
        }
        if message.author != .unknown, !stands(message, with: previous) { lines.append(head(message)) }
        if message.author != user, let remedy = ignored.remedy(for: message.text, of: message.author) {
            return ListCell(lines + [hidden(until: remedy, width)])
        }
        if message.replyTo != nil { lines.append(quote(quoted, width)) }
        lines += body(message, width)
        if !message.light.isEmpty, let last = lines.popLast() {
            lines.append(last.withEnd(end(message, room: width - last.width - 1), width: width))
        }
        return ListCell(lines)
    }

    /// Returns the row that stands for messages that are not loaded.
    func gap(_ room: RoomView, width: Int) -> ListCell {
        ListCell([.divider(room.missingText, width: width, .faint)])
    }

    /// Returns whether the message continues the one before it, without a new head.
    private func stands(_ message: Message, with previous: Message?) -> Bool {
        guard let previous, previous.author == message.author, message.replyTo == nil else { return false }
        return message.time - previous.time < Self.pause && calendar.isSameDay(previous.time, message.time)
    }

    private func hidden(until remedy: String, _ width: Int) -> Line {
        Line("  a message is hidden: \(remedy)".inOneLine.truncated(to: width), Style(.faint, [.italic]))
    }

    private func head(_ message: Message) -> Line {
        var line = Line(people[message.author].inOneLine, .name(message.author))
        line.append("  \(calendar.time(message.time))", .faint)
        return line
    }

    private func quote(_ quoted: Message?, _ width: Int) -> Line {
        var line = Line("  ╭ ", .faint)
        if let quoted, ignored.remedy(for: quoted.text, of: quoted.author) != nil {
            line.append("a hidden message", Style(.faint, [.italic]))
        } else if let quoted {
            line.append(people[quoted.author].inOneLine, .name(quoted.author))
            let text = Markdown.withoutMarks(quoted.displayText).inOneLine
            line.append(" " + text.truncated(to: max(1, width - line.width - 1)), Style(.faint, [.italic]))
        } else {
            line.append("a message that is not here", Style(.faint, [.italic]))
        }
        return line
    }

    private func body(_ message: Message, _ width: Int) -> [Line] {
        if message.isDamaged {
            return [Line("  " + message.displayText.truncated(to: max(2, width - 2)), Style(.faint, [.italic]))]
        }
        var lines = message.content.isFilesOnly ? [] : MessageText.lines(message, self, width: width)
        lines += FileRows(message: message, links: links, width: width).lines
        if let growth = message.content.growth { append(" " + growth.note, to: &lines, width) }
        if message.edited != nil { append(" (edited)", to: &lines, width) }
        if pinned.contains(message.id) { append(" (pinned)", to: &lines, width) }
        if changing.contains(message.id) { append(" ◌", to: &lines, width) }
        if leaving.contains(message.id) { append(" (to be deleted)", to: &lines, width) }
        if let last = lines.last, last.width > width - Self.reactionRoom { lines.append(Line("  ")) }
        return lines
    }

    private func append(_ note: String, to lines: inout [Line], _ width: Int) {
        guard var last = lines.popLast() else { return }
        if last.width + note.displayWidth <= width {
            last.append(note, .faint)
            lines.append(last)
        } else {
            lines += [last, Line("  " + note.dropFirst(), .faint)]
        }
    }

    /// Returns what changes without a new layout: the number of replies, and as many reactions as fit.
    private func end(_ message: Message, room: Int) -> Line {
        guard let thread = message.thread else { return reactions(message, room: room) }
        let replies = "↳ \(thread.count)"
        let long = replies + (thread.count == 1 ? " reply " : " replies ") + calendar.time(thread.time)
        let hasRoom = message.reactions.isEmpty && long.displayWidth <= room
        var line = Line()
        line.append(hasRoom ? long : replies, Style(.accent), target: ClickTarget.thread(message.id).text)
        guard !message.reactions.isEmpty else { return line }
        line.append("  ")
        line.append(reactions(message, room: room - line.width))
        return line
    }

    /// Returns as many reactions as fit, and the number of the others.
    private func reactions(_ message: Message, room: Int) -> Line {
        var line = Line()
        for (index, reaction) in message.reactions.enumerated() {
            let isOwn = reaction.users.contains(user)
            let emoji = reaction.emoji.inOneLine.truncated(to: 8)
            let text = (index == 0 ? "" : "  ") + emoji + " \(reaction.users.count)"
            let rest = message.reactions.count - index - 1
            if line.width + text.displayWidth + (rest > 0 ? 4 : 0) > room {
                line.append(" +\(rest + 1)", .faint)
                return line
            }
            let target = ClickTarget.reaction(message.id, emoji: reaction.emoji).text
            line.append(text, isOwn ? Style(.accent, [.bold]) : .faint, target: target)
        }
        return line
    }
}

/// Returns the places of `query` in `text`, ignoring case and accents.
func ranges(of query: String, in text: String) -> [Range<String.Index>] {
    guard !query.isEmpty else { return [] }
    var ranges: [Range<String.Index>] = []
    var rest = text.startIndex..<text.endIndex
    while let range = text.range(of: query, options: [.caseInsensitive, .diacriticInsensitive], range: rest) {
        ranges.append(range)
        rest = max(range.upperBound, text.index(after: range.lowerBound))..<text.endIndex
    }
    return ranges
}

extension Style {
    init(_ hue: Hue, _ traits: Traits) {
        self.init(hue, on: .screen, traits)
    }

    /// Returns the style of a name. Each name has the same hue everywhere.
    ///
    /// - Source: FNV-1a, 32 bits.
    static func name(_ user: UserName) -> Style {
        let hash = user.description.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Style(.person(Int(hash >> 3)), [.bold])
    }
}

extension Line {
    /// Returns a text in the middle of a rule.
    static func divider(_ text: String, width: Int, _ style: Style) -> Line {
        let text = " \(text.truncated(to: max(1, width - 6))) "
        let room = max(0, width - text.displayWidth)
        return Line(
            String(repeating: "─", count: room / 2) + text + String(repeating: "─", count: room - room / 2), style)
    }
}
