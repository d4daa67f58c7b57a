import ChatClient
import ChatWire
import TerminalUI

/// The messages that mention the user, to go to one of them; the newest is the last.
struct MentionsPanel: Equatable {
    /// The effect of a key.
    enum Outcome: Equatable {
        case stay
        /// Older ones are to be asked for.
        case older
        case go(MyMention.ID)
        case close
    }

    /// The focused message; `nil` for the newest.
    private(set) var focus: MyMention.ID?

    mutating func press(_ key: Key, among mentions: [MyMention]) -> Outcome {
        let place = place(in: mentions)
        switch key {
        case .named(.escape), .control("c"), .text("q"): return .close
        case .named(.enter): return mentions.isEmpty ? .stay : .go(mentions[place].id)
        case .named(.up), .text("k"), .control("p"):
            focus(max(0, place - 1), of: mentions)
            return place <= 1 ? .older : .stay
        case .named(.down), .text("j"), .control("n"): focus(place + 1, of: mentions)
        case .named(.home):
            focus(0, of: mentions)
            return .older
        case .named(.end): focus = nil
        default: break
        }
        return .stay
    }

    /// The focus stays with its message while others come, and with the newest while that is focused.
    private mutating func focus(_ place: Int, of mentions: [MyMention]) {
        focus = mentions.indices.dropLast().contains(place) ? mentions[place].id : nil
    }

    private func place(in mentions: [MyMention]) -> Int {
        mentions.firstIndex { $0.id == focus } ?? max(0, mentions.count - 1)
    }

    /// Returns the lines of as many messages as there is room for. The focused one is among them.
    ///
    /// - Parameters:
    ///   - mentions: `nil` while they are not known.
    ///   - beginning: what to say of those before them.
    func lines(
        _ mentions: [MyMention]?, _ labels: RoomLabels, _ people: PeopleLabels, beginning: String = "", size: Frame.Size
    ) -> [Line] {
        let known = mentions ?? []
        let (rows, place) = (max(1, size.rows - 1), place(in: known))
        let first = max(0, min(place - rows / 2, known.count - rows))
        var title = Line("  Mentions", Style(.accent, [.bold]))
        title.append(beginning.isEmpty ? "" : "  \(beginning)", .faint)
        var lines = [title]
        lines += known.indices.dropFirst(first).prefix(rows).map { index in
            line(known[index], labels, people, isFocused: index == place, size.columns)
        }
        if known.isEmpty { lines.append(Line(mentions == nil ? "   …" : "   no message mentions you", .faint)) }
        lines += Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return lines.prefix(size.rows).map { $0.fitted(to: size.columns) }
    }

    private func line(
        _ mention: MyMention, _ labels: RoomLabels, _ people: PeopleLabels, isFocused: Bool, _ width: Int
    ) -> Line {
        let clock = WallClock()
        var line = Line(isFocused ? " ▌ " : "   ", Style(.accent))
        line.append(mention.light.isRead ? "  " : "@ ", Style(.warning))
        line.append(clock.date(mention.time) + " " + clock.time(mention.time) + "  ", .faint)
        let room = labels[mention.id.room].phrase.inOneLine
        line.append(room.truncated(to: max(1, width / 4)) + "  ", .faint)
        line.append(people[mention.author].inOneLine + " ", .name(mention.author))
        let text = Markdown.withoutMarks(mention.light.text).inOneLine
        line.append(
            text.truncated(to: max(1, width - line.width - 1)), Style(.text, mention.light.isRead ? [] : [.bold]))
        line = line.targeting(ClickTarget.mention(mention.id).text)
        return isFocused ? line.fitted(to: width).on(.selection) : line
    }
}

extension MentionsView {
    /// The line above the first mention, about older ones.
    var beginning: String { hasOlder ? "↑ brings older ones" : older.isEmpty ? "" : "there are no older ones" }
}
