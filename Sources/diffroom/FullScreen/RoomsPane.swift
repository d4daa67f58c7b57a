import ChatClient
import ChatWire
import TerminalUI

/// The column at the left with the rooms that the user is invited to and the user's own. Each has its last message and
/// the number of unread ones. Of the rooms that the user has put away the column has the number, and the one shown.
struct RoomsPane {
    /// The rooms that the user is invited to, newest first.
    let invitations: [MyRoom]
    /// The user's pinned rooms, in the user's order.
    let pinned: [MyRoom]
    /// The user's other rooms, newest first.
    let rooms: [MyRoom]
    /// The rooms that the user has put away, newest first.
    let archived: [MyRoom]
    /// The room that is shown, which may not be one of them.
    let shown: RoomLabel
    /// True when the user sees the shown room's new messages at once, so that none is unread.
    let isFollowed: Bool
    /// The labels of people.
    var people = PeopleLabels()
    var ignored = Ignored()
    /// The number of the user's rooms of each section, also of those that are not among these.
    var counts: [MyRoom.Section: Int] = [:]
    /// True when some rooms cannot be loaded.
    var isPartial = false
    /// The rooms with settings that the server has not answered.
    var changing: Set<RoomName> = []
    /// The user's drafts in rooms that are not shown.
    var drafts: [RoomName: String] = [:]
    /// The threads that the user follows; `nil` before they are known.
    var threads: RoomsView?
    /// The number of reminders and unsent messages that are due.
    var due = 0
    /// True while presence and typing are known.
    var isLive = true

    /// The least width of a window with this column.
    private static let least = 100
    /// The lines of a room.
    private static let height = 2

    /// Returns the pane's width in columns, including the rule at its right; 0 where the messages need the width.
    ///
    /// - Parameter isWanted: whether the user wants the column; `nil` for where there is space.
    static func width(of columns: Int, isWanted: Bool? = nil) -> Int {
        guard isWanted ?? (columns >= least) else { return 0 }
        return columns >= least ? min(32, columns / 5 + 2) : min(24, columns / 2)
    }

    func lines(size: Frame.Size) -> [Line] {
        let width = size.columns - 1
        let remark = isPartial ? [Line("  \(partialRooms)", Style(.warning))] : []
        let (start, end) = (isGuest ? guest(width) : [], archive(width) + followed(width) + remark)
        let isAlone = invitations.isEmpty && pinned.isEmpty
        let parts: [(heading: [Line], rooms: [MyRoom], absent: Int)] = [
            ([Line("  Invited", Style(.warning, [.bold]))], invitations, 0), ([Line("  Pinned", .faint)], pinned, 0),
            (isAlone ? [] : [Line("  Rooms", .faint)], rooms, absent(of: .rooms, rooms)),
        ].filter { !$0.1.isEmpty }
        let headings = parts.reduce(0) { $0 + $1.heading.count }
        let shares = shares(
            of: parts.map { ($0.rooms, $0.absent) }, size.rows - start.count - headings - end.count)
        var lines = start
        for (part, share) in zip(parts, shares) {
            lines += part.heading + self.part(part.rooms, absent: part.absent, share, width)
        }
        lines += end
        lines += Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return lines.prefix(size.rows).map { content in
            var line = content.fitted(to: width)
            line.append("│", .faint)
            return line
        }
    }

    /// Returns the number of rows for each part of the column. A part gets at most half of the rows that are left, or
    /// more if the parts below it need fewer. So many invitations or pinned rooms leave the others in sight.
    private func shares(of parts: [(rooms: [MyRoom], absent: Int)], _ rows: Int) -> [Int] {
        let needs = parts.map { $0.rooms.count * Self.height + min($0.absent, 1) }
        // One room, and the number of the others.
        var least = needs.map { min($0, Self.height + 1) }
        if least.reduce(0, +) > rows {
            for (place, part) in parts.enumerated() where !part.rooms.contains(where: { $0.id == shown.room }) {
                least[place] = 1
            }
        }
        var (shares, left) = ([Int](), max(0, rows))
        for place in parts.indices {
            let below = (least: least[(place + 1)...].reduce(0, +), need: needs[(place + 1)...].reduce(0, +))
            let most = min(left - below.least, max(left / 2, left - below.need))
            shares.append(min(needs[place], max(least[place], most)))
            left = max(0, left - shares[place])
        }
        return shares
    }

    /// The number of a section's rooms that are not among these.
    private func absent(of section: MyRoom.Section, _ rooms: [MyRoom]) -> Int {
        max(0, (counts[section] ?? 0) - rooms.count)
    }

    private var isGuest: Bool { !(invitations + pinned + rooms + archived).contains { $0.id == shown.room } }

    /// Returns the lines of the threads that the user follows and of what was kept for later, where there is news.
    private func followed(_ width: Int) -> [Line] {
        threadsLine(width) + (due == 0 ? [] : [line("  /later", badge: " \(due.grouped) ", width)])
    }

    private func line(_ command: String, badge: String, _ width: Int) -> Line {
        Line(command, .faint).withEnd(Line(badge, Style(.warning, on: .bar, [.bold])), width: width)
    }

    private func threadsLine(_ width: Int) -> [Line] {
        guard let threads, threads.unread > 0 else { return [] }
        let mentions = threads.all.reduce(0) { $0 &+ $1.light.mentions }
        let badge = (mentions == 0 ? "" : " @\(mentions.grouped)") + " \(threads.unread.grouped) "
        return [line("  /threads", badge: badge, width)]
    }

    /// Returns the lines of the rooms that were put away: their number, that of the mentions in them, and the one shown.
    private func archive(_ width: Int) -> [Line] {
        guard !archived.isEmpty else { return [] }
        let mentions = archived.reduce(0) { $0 &+ $1.light.mentions }
        let badge = Line(mentions == 0 ? "" : " @\(mentions.grouped) ", Style(.warning, on: .bar, [.bold]))
        let way = mentions == 0 ? ": Ctrl-K" : ""
        let head = Line("  Archived \(max(archived.count, counts[.archived] ?? 0).grouped)\(way)", .faint).withEnd(
            badge, width: width)
        return [head] + archived.filter { $0.id == shown.room }.flatMap { lines(of: $0, width) }
    }

    /// Returns the lines of those rooms that so many lines have space for, and the number of the others.
    private func part(_ rooms: [MyRoom], absent: Int, _ rows: Int, _ width: Int) -> [Line] {
        let window = window(of: rooms, absent: absent, rows)
        let hidden = rooms.count - window.count + absent
        let rest = hidden > 0 ? [Line("  and \(hidden) more: Ctrl-K", .faint)] : []
        return window.flatMap { lines(of: rooms[$0], width) } + rest
    }

    /// Returns the indices of the rooms that so many lines have space for. The room shown is among them.
    private func window(of rooms: [MyRoom], absent: Int, _ rows: Int) -> Range<Int> {
        guard rooms.count * Self.height + min(absent, 1) > rows else { return rooms.indices }
        let count = max(0, rows - 1) / Self.height
        let place = rooms.firstIndex { $0.id == shown.room } ?? 0
        let first = max(0, min(place - count + 1, rooms.count - count))
        return first..<min(rooms.count, first + count)
    }

    /// The lines of a room that the user reads without being a member, or that may be one of those without a row.
    private func guest(_ width: Int) -> [Line] {
        if shown.room.isThread {
            let isFollowed = threads?[shown.room] != nil
            return [head(shown, MyRoom.Light(), width), Line(isFollowed ? "  you follow it" : "  /follow", .faint)]
        }
        let isKnown = absent(of: .rooms, rooms) + absent(of: .archived, archived) == 0
        let remark =
            switch (isKnown, shown.room.kind) {
            case (false, _): "  find it: Ctrl-K"
            case (true, .open): "  not a member: /join"
            case (true, .private), (true, .direct): ""
            }
        return [head(shown, MyRoom.Light(), width), Line(remark, .faint)]
    }

    /// Returns the lines of a room, which a click on them opens.
    private func lines(of room: MyRoom, _ width: Int) -> [Line] {
        look(of: room, width).map { $0.fitted(to: width).targeting(ClickTarget.room(room.id).text) }
    }

    private func look(of room: MyRoom, _ width: Int) -> [Line] {
        switch room.section {
        case .invited:
            return [head(room.label(people), MyRoom.Light(), width), question(of: room, width)]
        case .pinned, .rooms, .archived:
            let isSeen = room.id == shown.room && isFollowed
            var light = room.light
            if isSeen { (light.unread, light.mentions) = (0, 0) }
            if !isLive { (light.isTyping, light.isHere) = (false, false) }
            return [head(room.label(people), light, width), light.isTyping ? Self.typing : last(of: room, width)]
        }
    }

    private func head(_ label: RoomLabel, _ light: MyRoom.Light, _ width: Int) -> Line {
        let isShown = label.room == shown.room
        let mentions = light.mentions == 0 ? "" : " @\(light.mentions.grouped)"
        let marked = light.isMarked ? " ● " : ""
        let badge = light.unread == 0 ? marked : "\(mentions) \(light.unread.grouped) "
        let isCalling = light.isMarked || (light.isMuted ? light.mentions : light.unread) > 0
        let usual = light.isMuted ? Style.faint : .text
        let style = isShown ? Style(.accent, [.bold]) : isCalling ? Style(.text, [.bold]) : usual
        var line = Line(isShown ? "▌" : " ", Style(.accent))
        let text = label.description.inOneLine
        let waits = changing.contains(label.room) ? " ◌" : ""
        let (muted, here) = ((light.isMuted ? " ∅" : "") + waits, light.isHere ? " ●" : "")
        line.append(text.truncated(to: max(1, width - muted.count - here.count - badge.displayWidth - 3)), style)
        line.append(here, Style(.good))
        line.append(muted, .faint)
        let badgeStyle = light.isMuted && light.mentions == 0 ? Style.faint : Style(.warning, on: .bar, [.bold])
        return line.withEnd(Line(badge, badgeStyle), width: width)
    }

    /// Returns the line with who invites, and as far as it fits with the answers.
    private func question(of room: MyRoom, _ width: Int) -> Line {
        let answers = "/accept or /decline"
        guard let inviter = room.light.inviter else { return Line("  \(answers)", .faint) }
        let text = "by \(people.full(inviter))".inOneLine
        let whole = "\(text): \(answers)"
        return Line("  " + (whole.displayWidth <= width - 3 ? whole : text.truncated(to: max(1, width - 3))), .faint)
    }

    private static let typing = Line("  ✎ writing…", Style(.faint, [.italic]))

    /// Returns the line with the user's draft, or else with the last message.
    private func last(of room: MyRoom, _ width: Int) -> Line {
        if let draft = drafts[room.id] {
            return Line("  " + "draft: \(draft)".inOneLine.truncated(to: max(1, width - 3)), Style(.warning))
        }
        guard let last = room.light.last else { return Line("  nothing said yet", .faint) }
        guard ignored.remedy(for: last.text, of: last.author) == nil else { return Line("  a hidden message", .faint) }
        let text = last.line(people).inOneLine
        return Line("  " + text.truncated(to: max(1, width - 3)), .faint)
    }
}
