import ChatWire
import TerminalUI

/// The column at the left with the user's rooms, each with what was said last in it and the number of unread messages.
struct RoomsPane {
    /// The user's rooms, newest first.
    let rooms: [MyRoom]
    /// The room that is shown, which may not be one of them.
    let shown: RoomName
    /// True when the user sees the shown room's new messages at once, so that none is unread.
    let isFollowed: Bool

    /// The least width of a window with this column.
    private static let least = 100
    /// The lines of a room.
    private static let height = 2

    /// Returns the pane's width in columns, including the rule at its right; 0 where the messages need the width.
    static func width(of columns: Int) -> Int {
        columns < least ? 0 : min(32, columns / 5 + 2)
    }

    func lines(size: Frame.Size) -> [Line] {
        let width = size.columns - 1
        var lines = rooms.contains { $0.id == shown } ? [] : guest(width)
        lines += window(of: size.rows - lines.count).flatMap { self.lines(of: rooms[$0], width) }
        let hidden = rooms.count - window(of: size.rows - guestRows).count
        if hidden > 0 { lines.append(Line("  and \(hidden) more: Ctrl-K", .faint)) }
        lines += Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return lines.prefix(size.rows).map { content in
            var line = content.fitted(to: width)
            line.append("│", .faint)
            return line
        }
    }

    private var guestRows: Int { rooms.contains { $0.id == shown } ? 0 : Self.height }

    /// Returns the indices of the rooms that so many lines have space for. The room shown is among them.
    private func window(of rows: Int) -> Range<Int> {
        guard rooms.count * Self.height > rows else { return rooms.indices }
        let count = max(0, rows - 1) / Self.height
        let place = rooms.firstIndex { $0.id == shown } ?? 0
        let first = max(0, min(place - count + 1, rooms.count - count))
        return first..<min(rooms.count, first + count)
    }

    /// The lines of a room that the user reads without being a member.
    private func guest(_ width: Int) -> [Line] {
        [head(shown, unread: 0, width), Line("  not a member: /join", .faint)]
    }

    private func lines(of room: MyRoom, _ width: Int) -> [Line] {
        let isSeen = room.id == shown && isFollowed
        return [head(room.id, unread: isSeen ? 0 : room.light.unread, width), Self.last(of: room, width)]
    }

    private func head(_ name: RoomName, unread: UInt64, _ width: Int) -> Line {
        let isShown = name == shown
        let badge = unread == 0 ? "" : " \(unread.grouped) "
        let style = isShown ? Style(.accent, [.bold]) : unread > 0 ? Style(.text, [.bold]) : .text
        var line = Line(isShown ? "▌" : " ", Style(.accent))
        line.append(name.description.truncated(to: max(1, width - badge.displayWidth - 3)), style)
        return line.withEnd(Line(badge, Style(.warning, on: .bar, [.bold])), width: width)
    }

    /// Returns the line with what was said last.
    private static func last(of room: MyRoom, _ width: Int) -> Line {
        guard let last = room.light.last else { return Line("  nothing said yet", .faint) }
        let text = "\(last.author): \(last.text)".neutralized.replacing("\n", with: " ")
        return Line("  " + text.truncated(to: max(1, width - 3)), .faint)
    }
}
