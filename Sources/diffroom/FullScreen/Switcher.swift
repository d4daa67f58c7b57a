import ChatWire
import TerminalUI

/// The choice of a room by typing a part of its name.
struct Switcher: Equatable {
    /// A room to choose.
    struct Choice: Equatable {
        let room: RoomName
        var unread: UInt64 = 0
        /// A remark on the room, such as that the user is no member.
        var note = ""
    }

    /// The effect of a key.
    enum Outcome: Equatable {
        case stay
        case open(RoomName)
        case cancel
    }

    var text = LineEditor()
    /// The place of the focused room among those found.
    private(set) var place = 0

    /// Returns the rooms that match what is typed: those whose names begin with it, then those that have it. A name that
    /// is none of theirs comes last.
    func found(in choices: [Choice]) -> [Choice] {
        let typed = text.text.split(separator: " ").joined()
        let query = (typed.hasPrefix("#") ? String(typed.dropFirst()) : typed).lowercased()
        guard !query.isEmpty else { return choices }
        let (first, others) = (
            choices.filter { $0.room.description.lowercased().hasPrefix(query) },
            choices.filter { $0.room.description.lowercased().dropFirst().contains(query) }
        )
        var found = first
        found += others.filter { !first.contains($0) }
        let name = typed.hasPrefix("#") ? String(typed.dropFirst()) : typed
        if let room = RoomName(name), !found.contains(where: { $0.room == room }) {
            found.append(Choice(room: room, note: "another room"))
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
        var lines = [Line("  Rooms", Style(.accent, [.bold]))]
        lines += found.indices.dropFirst(first).prefix(rows).map {
            line(found[$0], isFocused: $0 == place, size.columns)
        }
        if found.isEmpty { lines.append(Line("   no room has that in its name", .faint)) }
        lines += Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return lines.prefix(size.rows).map { $0.fitted(to: size.columns) }
    }

    /// The width below which the numbers stand alone.
    private static let narrow = 40

    private func line(_ choice: Choice, isFocused: Bool, _ width: Int) -> Line {
        let badge = choice.unread == 0 ? "" : choice.unread.grouped + (width < Self.narrow ? " " : " unread ")
        var line = Line(isFocused ? " ▌ " : "   ", Style(.accent))
        let room = choice.room.description.truncated(to: max(1, width - badge.displayWidth - 4))
        line.append(room, Style(.text, isFocused || choice.unread > 0 ? [.bold] : []))
        let left = width - line.width - badge.displayWidth - 3
        let note = choice.note.neutralized.replacing("\n", with: " ")
        if left > 4, !note.isEmpty { line.append("  " + note.truncated(to: left), .faint) }
        let whole = line.withEnd(Line(badge, Style(.warning)), width: width)
        return isFocused ? whole.on(.selection) : whole
    }
}
