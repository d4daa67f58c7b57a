import ChatClient
import ChatWire
import TerminalUI

extension FullScreen {
    func draw() {
        let (size, room) = (terminal.size, rooms.shown)
        let prompt =
            switcher.map { Prompt($0, size: size) } ?? mentionsPanel.map { _ in Prompt.ofMentions }
            ?? pinsPanel.map { _ in Prompt.ofPins } ?? laterPanel.map { _ in Prompt.ofLater }
            ?? Prompt(room, user: user.description, size: size)
        let present = status.isOnline ? room.members?.members ?? [] : []
        let writing = present.filter { !ignored.blocked.contains($0.id) }
        let typing = TypingLine.lines(writing, people, besides: user, width: size.columns)
        let rows = max(1, size.rows - prompt.lines.count - typing.count - 1)
        columns = Columns(
            of: size.columns, hasRooms: hasRoomsPane, hasMembers: room.members != nil,
            hasBeside: rooms.beside != nil, wantsRooms: wantsRoomsColumn)
        var lines = main(Frame.Size(rows: rows, columns: size.columns))
        room.describe(in: &status)
        if !hasPlace { (status.room, status.topic) = ("", "") }
        status.unreadElsewhere = columns.rooms > 0 ? StatusLine.Unread() : unreadElsewhere
        status.due = columns.rooms > 0 ? 0 : later?.due.count ?? 0
        lines += typing + [status.line(width: size.columns)] + prompt.lines
        var cursor = prompt.cursor
        cursor?.row += lines.count - prompt.lines.count
        terminal.show(Frame(lines: lines, cursor: cursor))
        terminal.setTitle(title)
        for room in rooms.visible {
            room.loadWhatIsShown()
            room.markRead()
        }
    }

    /// The title of the window: the room, and the number of unread messages in all rooms.
    private var title: String {
        let here = rooms.visible.reduce(0) { $0 + ($1.isFollowed ? 0 : $1.unread.count) }
        let unread = here + unreadElsewhere.count
        return (unread > 0 ? "(\(unread.grouped)) " : "") + (hasPlace ? "\(rooms.shown.label.heading) – " : "")
            + "diffroom"
    }

    /// True while something else is on the screen in place of the messages.
    var isCovered: Bool { isChoosing || rooms.shown.controls.mode == .helping }

    /// True while the keys choose in a list that covers the messages.
    var isChoosing: Bool { switcher != nil || mentionsPanel != nil || pinsPanel != nil || laterPanel != nil }

    private func main(_ size: Frame.Size) -> [Line] {
        let room = rooms.shown
        if let switcher { return switcher.lines(choices, size: size) }
        if let mentionsPanel {
            let beginning = mentions?.beginning ?? ""
            return mentionsPanel.lines(mentions?.mentions, labels, people, beginning: beginning, size: size)
        }
        if let laterPanel { return laterPanel.lines(laterItems, size: size, phrase) }
        if let pinsPanel { return pinsPanel.lines(room.pinned, room.label, people, hiding: ignored, size: size) }
        if room.controls.mode == .helping {
            return Manual(columns: size.columns).lines(from: &room.manualTop, rows: size.rows)
        }
        let parts = parts(size.rows)
        return (0..<size.rows).map { row in
            var line = Line()
            for part in parts { line.append(part[row]) }
            return line
        }
    }

    /// Returns the lines of each column, from the left.
    private func parts(_ rows: Int) -> [[Line]] {
        var parts: [[Line]] = []
        if columns.rooms > 0 { parts.append(roomsPane.lines(size: Frame.Size(rows: rows, columns: columns.rooms))) }
        let room = rooms.shown
        if let beside = rooms.beside {
            let rule = Line("│", .faint)
            parts.append(headed(room, rows, columns.messages, Style(.accent, on: .bar, [.bold])))
            parts.append(Array(repeating: rule, count: rows))
            parts.append(headed(beside, rows, columns.beside - 1, Style(.text, on: .bar)))
        } else {
            parts.append(messages(of: room, rows, columns.messages))
        }
        if let members = room.members, columns.members > 0 {
            let pane = MembersPane(
                members: members, people: people, end: room.view?.messages.last?.sort, isLive: status.isOnline,
                blocked: ignored.blocked)
            parts.append(pane.lines(size: Frame.Size(rows: rows, columns: columns.members)))
        }
        return parts
    }

    /// Returns the lines of one of two rooms, below its name and the number of messages below the window.
    private func headed(_ room: RoomScreen, _ rows: Int, _ width: Int, _ style: Style) -> [Line] {
        let end = Line(room.unread.text.map { "↓ \($0) new " } ?? "", Style(.warning, on: .bar, [.bold]))
        let name = room.label.heading.inOneLine.truncated(to: max(1, width - end.width - 2))
        let head = Line(" " + name, style).withEnd(end, width: width, filling: style)
        return Array(([head] + messages(of: room, rows - 1, width)).prefix(rows))
    }

    /// Returns the lines of a room's list, and below them the messages that are not in it yet.
    private func messages(of room: RoomScreen, _ rows: Int, _ width: Int) -> [Line] {
        let pending = room.pending.lines(size: Frame.Size(rows: rows / 3, columns: width), isOnline: status.isOnline)
        room.list.resize(to: Frame.Size(rows: max(1, rows - pending.count), columns: width))
        return room.list.draw() + pending
    }
}
