import ChatClient
import ChatWire
import TerminalUI

/// The column at the left with the rooms that the user is invited to and the user's own, each with what was said last in
/// it and the number of unread messages.
struct RoomsPane {
    /// The rooms that the user is invited to, newest first.
    let invitations: [MyRoom]
    /// The user's rooms, newest first.
    let rooms: [MyRoom]
    /// The room that is shown, which may not be one of them.
    let shown: RoomLabel
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
        var lines = isGuest ? guest(width) : []
        if !invitations.isEmpty {
            // At most half of the column, so that many invitations leave the rooms in sight.
            let heads = [Line("  Invited", Style(.warning, [.bold]))]
            lines += heads + part(invitations, max(Self.height + 1, (size.rows - lines.count) / 2 - 1), width)
            if !rooms.isEmpty { lines.append(Line("  Rooms", .faint)) }
        }
        lines += part(rooms, size.rows - lines.count, width)
        lines += Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return lines.prefix(size.rows).map { content in
            var line = content.fitted(to: width)
            line.append("│", .faint)
            return line
        }
    }

    private var isGuest: Bool { !(invitations + rooms).contains { $0.id == shown.room } }

    /// Returns the lines of those rooms that so many lines have space for, and the number of the others.
    private func part(_ rooms: [MyRoom], _ rows: Int, _ width: Int) -> [Line] {
        let window = window(of: rooms, rows)
        let hidden = rooms.count - window.count
        let rest = hidden > 0 ? [Line("  and \(hidden) more: Ctrl-K", .faint)] : []
        return window.flatMap { lines(of: rooms[$0], width) } + rest
    }

    /// Returns the indices of the rooms that so many lines have space for. The room shown is among them.
    private func window(of rooms: [MyRoom], _ rows: Int) -> Range<Int> {
        guard rooms.count * Self.height > rows else { return rooms.indices }
        let count = max(0, rows - 1) / Self.height
        let place = rooms.firstIndex { $0.id == shown.room } ?? 0
        let first = max(0, min(place - count + 1, rooms.count - count))
        return first..<min(rooms.count, first + count)
    }

    /// The lines of a room that the user reads without being a member.
    private func guest(_ width: Int) -> [Line] {
        let remark = shown.room.kind == .open ? Line("  not a member: /join", .faint) : Line()
        return [head(shown, MyRoom.Light(), width), remark]
    }

    private func lines(of room: MyRoom, _ width: Int) -> [Line] {
        switch room.section {
        case .invited:
            return [head(room.label, MyRoom.Light(), width), Line("  /accept or /decline", .faint)]
        case .pinned, .rooms, .archived:
            let isSeen = room.id == shown.room && isFollowed
            return [head(room.label, isSeen ? MyRoom.Light() : room.light, width), Self.last(of: room, width)]
        }
    }

    private func head(_ label: RoomLabel, _ light: MyRoom.Light, _ width: Int) -> Line {
        let isShown = label.room == shown.room
        let mentions = light.mentions == 0 ? "" : " @\(light.mentions.grouped)"
        let badge = light.unread == 0 ? "" : "\(mentions) \(light.unread.grouped) "
        let style = isShown ? Style(.accent, [.bold]) : light.unread > 0 ? Style(.text, [.bold]) : .text
        var line = Line(isShown ? "▌" : " ", Style(.accent))
        let text = label.description.neutralized.replacing("\n", with: " ")
        line.append(text.truncated(to: max(1, width - badge.displayWidth - 3)), style)
        return line.withEnd(Line(badge, Style(.warning, on: .bar, [.bold])), width: width)
    }

    /// Returns the line with what was said last.
    private static func last(of room: MyRoom, _ width: Int) -> Line {
        guard let last = room.light.last else { return Line("  nothing said yet", .faint) }
        let text = "\(last.author): \(last.text)".neutralized.replacing("\n", with: " ")
        return Line("  " + text.truncated(to: max(1, width - 3)), .faint)
    }
}
