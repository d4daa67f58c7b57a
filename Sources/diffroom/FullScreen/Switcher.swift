import ChatClient
import ChatWire
import TerminalUI

/// The choice of a room by typing a part of its title, its name, or the names of its people.
struct Switcher: Equatable {
    /// A room to choose.
    struct Choice: Equatable {
        let label: RoomLabel
        /// The text by which it is shown: that of the label, or of a thread, the message that it answers.
        let name: String
        let unread: UInt64
        /// A remark on the room, such as that the user is no member.
        let note: String

        /// - Parameter name: `nil` for the label's text.
        init(_ label: RoomLabel, called name: String? = nil, unread: UInt64 = 0, note: String = "") {
            (self.label, self.name, self.unread, self.note) = (label, name ?? label.description, unread, note)
        }

        var room: RoomName { label.room }

        /// The texts by which it is found, in small letters and without spaces.
        fileprivate var keys: [String] {
            if room.isThread { return [name, note].map(\.key) }
            let name = room.kind == .open ? [room.description] : []
            return (name + [label.description] + label.people.map(\.description)).map(\.key)
        }
    }

    /// The effect of a key.
    enum Outcome: Equatable {
        case stay
        case open(RoomName)
        case cancel
    }

    /// True for the choice of a thread.
    var isOfThreads = false
    var text = LineEditor()
    /// The place of the focused room among those found.
    private(set) var place = 0

    /// Returns the rooms that match the typed text: those with a label, name or person that begins with it, then those with
    /// one that contains it. If the text is the name of no known room, that room comes last.
    func found(in choices: [Choice]) -> [Choice] {
        let typed = text.text.split(separator: " ").joined()
        let name = typed.hasPrefix("#") ? String(typed.dropFirst()) : typed
        let query = name.key
        guard !query.isEmpty else { return choices }
        let first = choices.filter { $0.keys.contains { $0.hasPrefix(query) } }
        var found = first
        found += choices.filter { !first.contains($0) && $0.keys.contains { $0.contains(query) } }
        if !isOfThreads, let room = RoomName(name), !found.contains(where: { $0.room == room }) {
            found.append(choices.first { $0.room == room } ?? Choice(RoomLabel(room), note: "another room"))
        }
        return found
    }

    mutating func press(_ key: Key, among choices: [Choice]) -> Outcome {
        let found = found(in: choices)
        switch key {
        case .named(.escape), .control("c"), .control("k"): return .cancel
        case .named(.enter): return found.indices.contains(place) ? .open(found[place].room) : .stay
        case .named(.up), .named(.backtab), .control("p"): place = max(0, place - 1)
        case .named(.down), .named(.tab), .control("n"): place = min(max(0, found.count - 1), place + 1)
        default:
            let before = text.text
            text.press(key, lines: .one)
            if text.text != before { place = 0 }
        }
        return .stay
    }

    /// Returns the lines of the rooms found. The focused one is among them.
    func lines(_ choices: [Choice], size: Frame.Size) -> [Line] {
        let found = found(in: choices)
        let rows = max(1, size.rows - 1)
        let first = max(0, min(place - rows / 2, found.count - rows))
        var lines = [Line(isOfThreads ? "  Threads" : "  Rooms", Style(.accent, [.bold]))]
        lines += found.indices.dropFirst(first).prefix(rows).map {
            line(found[$0], isFocused: $0 == place, size.columns)
        }
        if found.isEmpty { lines.append(Line(empty, .faint)) }
        lines += Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return lines.prefix(size.rows).map { $0.fitted(to: size.columns) }
    }

    private var empty: String {
        guard isOfThreads else { return "   no room is called that" }
        return text.text.isEmpty ? "   you follow no thread: reply to a message" : "   no thread has that in it"
    }

    /// The width below which the numbers stand alone.
    private static let narrow = 40

    private func line(_ choice: Choice, isFocused: Bool, _ width: Int) -> Line {
        let badge = choice.unread == 0 ? "" : choice.unread.grouped + (width < Self.narrow ? " " : " unread ")
        var line = Line(isFocused ? " ▌ " : "   ", Style(.accent))
        let most = isOfThreads ? max(1, width * 2 / 3 - badge.displayWidth) : max(1, width - badge.displayWidth - 4)
        let room = choice.name.inOneLine.truncated(to: most)
        line.append(room, Style(.text, isFocused || choice.unread > 0 ? [.bold] : []))
        let left = width - line.width - badge.displayWidth - 3
        let note = choice.note.inOneLine
        if left > 4, !note.isEmpty { line.append("  " + note.truncated(to: left), .faint) }
        let whole = line.withEnd(Line(badge, Style(.warning)), width: width)
            .targeting(ClickTarget.room(choice.room).text)
        return isFocused ? whole.on(.selection) : whole
    }
}

extension String {
    fileprivate var key: String { lowercased().filter { !$0.isWhitespace } }
}
