import ChatClient
import ChatWire
import TerminalUI

/// The user's rooms, and the way from one to another.
extension FullScreen {
    func perform(_ action: Controls.Action.Rooms) {
        switch action {
        case .choose:
            switcher = Switcher()
            if ownRooms?.more == true { client.openRooms(limit: .max) }
        case .threads:
            switcher = Switcher(isOfThreads: true)
            if ownThreads?.more == true { client.openThreads(limit: .max) }
        case .mentions:
            client.openMentions()
            mentionsPanel = MentionsPanel()
            setNeedsDrawing()
        case .pins:
            pinsPanel = PinsPanel()
            setNeedsDrawing()
        case .thread(let root): openThread(of: root)
        case .later(let line): perform(line)
        case .block(let line): perform(line)
        case .remind(let message, let time): remind(of: message, in: rooms.shown.name, time)
        case .toggleColumn: toggleRoomsColumn()
        case .split: split()
        case .turn: turn()
        case .next(let direction): openNext(direction)
        case .nextUnread: openNextUnread()
        case .join(let room): join(room ?? rooms.shown.name)
        case .leave(let room): leave(room ?? rooms.shown.name)
        case .leaveOrDecline(let room): leaveOrDecline(room)
        case .about(let line): perform(line)
        case .set(let line): perform(line)
        }
    }

    /// Shows a room, as it was left if it was shown lately.
    func open(_ name: RoomName) {
        guard hasPlace else { return openFirstRoom(in: name) }
        guard name != rooms.shown.name else { return }
        if name == rooms.beside?.name { return turn() }
        show(rooms[name] ?? RoomScreen(name, on: self))
    }

    func openThread(of root: MessageID) {
        let room = rooms.shown.name
        guard !room.isThread else { return showNotice("this is a thread: its messages have none") }
        open(room.thread(of: root))
    }

    /// Goes from a thread back to the message that it answers.
    func leaveThread() {
        guard let room = rooms.shown.name.parent, let root = rooms.shown.name.root else { return }
        open(room, at: root)
    }

    private func show(_ next: RoomScreen) {
        storeDrafts()
        rooms.shown.hide()
        if let closed = rooms.show(next) { client.close(closed.name) }
        next.show()
        loadDraft(of: next)
        setNeedsDrawing()
    }

    /// Shows a room at a message.
    func open(_ name: RoomName, at message: MessageID) {
        if name != rooms.shown.name, rooms[name] == nil, hasPlace {
            show(RoomScreen(name, at: message, on: self))
        } else {
            open(name)
            rooms.shown.perform(.go(.id(message)))
        }
    }

    // MARK: - The list

    func threadsChanged(_ change: ThreadsChange) {
        ring(for: change.view, change.cause, since: ownThreads)
        let wasMarked = membership(of: rooms.shown.name)?.light.isMarked
        ownThreads = change.view
        if rooms.shown.name.isThread { applyMark(before: wasMarked) }
        for room in rooms.all { room.noteNews() }
        setNeedsDrawing()
    }

    /// Returns the user's row of a room or a thread.
    func membership(of room: RoomName) -> MyRoom? { (room.isThread ? ownThreads : ownRooms)?[room] }

    /// Rings the bell for what is new.
    ///
    /// - Returns: the rooms with news.
    @discardableResult
    private func ring(for view: RoomsView, _ cause: RoomChange.Cause, since before: RoomsView?) -> [MyRoom] {
        let seen = Set(rooms.visible.filter(\.isFollowed).map(\.name))
        let bell = Bell(user: user, before: before, seen: seen)
        let news = cause == .live ? view.all.filter { bell.rings(for: $0) && !isIgnored($0) } : []
        if let first = news.first { notify(of: first, and: news.count - 1) }
        return news
    }

    func roomsChanged(_ change: RoomsChange) {
        let news = ring(for: change.view, change.cause, since: ownRooms)
        let invitation = news.first { $0.section == .invited && ownRooms?[$0.id]?.section != .invited }
        let wasMarked = membership(of: rooms.shown.name)?.light.isMarked
        ownRooms = change.view
        applyMark(before: wasMarked)
        labels.apply(change.view)
        learnedOwnRooms()
        followProfiles(change.view.invitations.compactMap(\.light.inviter))
        if let invitation {
            showNotice("\(invitation.invitation(people)) to \(invitation.label.phrase): /accept or /decline")
        }
    }

    private func isIgnored(_ room: MyRoom) -> Bool {
        guard let last = room.light.last, room.section != .invited else { return false }
        return ignored.remedy(for: last.text, of: last.author) != nil
    }

    private func notify(of room: MyRoom, and others: Int) {
        let label = room.id.isThread ? labels[room.id] : room.label(people)
        let last = room.light.last?.line(people) ?? ""
        let text = room.section == .invited ? "\(room.invitation(people)) to \(label.phrase)" : "\(label): \(last)"
        let more = others == 0 ? "" : " (and \(others) more)"
        terminal.notify(String(text.prefix(Self.longestNotification)) + more, by: options.notifying)
    }

    /// Characters.
    private static let longestNotification = 200

    /// Leaves the shown room alone that the user has marked as unread on another device, until they read it there or come
    /// back to it here.
    private func applyMark(before wasMarked: Bool?) {
        switch (wasMarked, membership(of: rooms.shown.name)?.light.isMarked) {
        case (false, true): rooms.shown.leaveAlone()
        case (true, false): rooms.shown.resumeReading()
        default: break
        }
    }

    /// Shows the room in which something was said last, if no other was asked for.
    func learnedOwnRooms() {
        knowsOwnRooms = true
        if !hasPlace { openFirstRoom(in: newest ?? options.room) }
        for room in rooms.all { room.noteNews() }
        setNeedsDrawing()
    }

    /// The room in which something was said last.
    private var newest: RoomName? {
        let all = ownRooms.map { $0.rooms + $0.pinned + $0.archived } ?? []
        return all.reduce(all.first) { newest, room in
            room.light.last?.time ?? 0 > newest?.light.last?.time ?? 0 ? room : newest
        }?.id
    }

    /// Opens the first room. Text that was written before stays.
    private func openFirstRoom(in name: RoomName) {
        let controls = rooms.shown.controls
        if rooms.shown.name != name { rooms = OpenRooms(RoomScreen(name, at: options.at, on: self)) }
        rooms.shown.controls = controls
        hasPlace = true
        rooms.shown.show()
        setNeedsDrawing()
    }

    /// Opens the next room with something unread in a direction, or else the neighbour.
    private func openNext(_ direction: Controls.ListDirection) {
        let all = ownRooms.map { $0.invitations + $0.pinned + $0.rooms } ?? []
        guard !all.isEmpty else { return showNotice("you are a member of no room: /join") }
        let below = all.reversed().prefix { $0.id != rooms.shown.name }
        if direction == .down, below.count <= Self.nearEnd { showMoreRooms() }
        guard let next = all.nearest(direction, of: rooms.shown.name) else {
            let end = ownRooms?.more == true ? "your other rooms are on their way" : "this is the last of your rooms"
            return showNotice(direction == .up ? "this is the first of your rooms" : end)
        }
        open(next.id)
    }

    /// The number of rooms below the one shown at which more are asked for.
    private static let nearEnd = 20

    private func showMoreRooms() {
        guard let ownRooms, ownRooms.count(of: .rooms) > ownRooms.rooms.count else { return }
        client.openRooms(limit: ownRooms.rooms.count + 100)
    }

    /// Opens the next room below with something unread, or the first one from the top. This one is read then.
    private func openNextUnread() {
        rooms.shown.sendReadMark()
        let all = ownRooms?.memberships ?? []
        let place = all.firstIndex { $0.id == rooms.shown.name }
        let (above, below) = (all.prefix(place ?? 0), all.dropFirst(place.map { $0 + 1 } ?? 0))
        guard let next = (below + above).first(where: \.isCalling) else {
            return showNotice("nothing is unread in your other rooms")
        }
        open(next.id)
    }

    // MARK: - Two rooms

    /// Shows the room before this one beside it, or only this one.
    private func split() {
        guard rooms.beside == nil else { return unsplit() }
        guard terminal.size.columns >= Columns.leastForTwo else {
            return showNotice("two rooms need a window of \(Columns.leastForTwo) columns")
        }
        guard let room = rooms.split() else { return showNotice("open another room first: Ctrl-K") }
        room.show()
        setNeedsDrawing()
    }

    /// Shows only the room that the keys are for.
    func unsplit() {
        rooms.unsplit()?.hide()
        setNeedsDrawing()
    }

    /// Gives the keys to the other one of two rooms.
    func turn() {
        rooms.shown.sendTypingEnd()
        rooms.swap()
        setNeedsDrawing()
    }

    /// Shows the column of rooms, or hides it.
    private func toggleRoomsColumn() {
        wantsRoomsColumn = !(wantsRoomsColumn ?? (RoomsPane.width(of: terminal.size.columns) > 0))
        setNeedsDrawing()
    }

    // MARK: - What is shown of it

    /// True when the column of rooms has something to show.
    var hasRoomsPane: Bool { !(ownRooms?.all.isEmpty ?? true) || ownRooms?.missing.isEmpty == false }

    var roomsPane: RoomsPane {
        RoomsPane(
            invitations: ownRooms?.invitations ?? [], pinned: ownRooms?.pinned ?? [], rooms: ownRooms?.rooms ?? [],
            archived: ownRooms?.archived ?? [],
            shown: labels[rooms.shown.name], isFollowed: rooms.shown.isFollowed, people: people, ignored: ignored,
            counts: ownRooms?.counts ?? [:],
            isPartial: ownRooms?.missing.isEmpty == false, changing: Set(changingRooms.values), drafts: draftsElsewhere,
            threads: ownThreads, due: later?.due.count ?? 0, isLive: status.isOnline)
    }

    /// The number of unread messages in the rooms and threads that are not shown, as far as the user's settings count them.
    var unreadElsewhere: StatusLine.Unread {
        let shown = Set(rooms.visible.map(\.name))
        let all = [ownRooms, ownThreads].compactMap { $0.map { StatusLine.Unread(in: $0, besides: shown) } }
        return all.reduce(into: StatusLine.Unread()) { sum, unread in
            sum.count += unread.count
            sum.isLeast = sum.isLeast || unread.isLeast
        }
    }

    /// The rooms to choose from: those that the user is invited to, the user's own, and others that are open.
    var choices: [Switcher.Choice] {
        if switcher?.isOfThreads == true { return ownThreads?.memberships.map(threadChoice) ?? [] }
        let others = rooms.all.filter { ownRooms?[$0.name] == nil && hasPlace }
        return (ownRooms?.all ?? []).map(choice)
            + others.map { Switcher.Choice(labels[$0.name], note: ownRooms?.more == true ? "" : "not a member") }
    }

    private func threadChoice(_ thread: MyRoom) -> Switcher.Choice {
        let root = thread.light.root.map(text(of:)) ?? "a deleted message"
        let last = (thread.light.last.map { "↳ \(text(of: $0))  " } ?? "") + labels[thread.id].description
        return Switcher.Choice(labels[thread.id], called: root, unread: thread.light.unread, note: last)
    }

    /// The line of a message, unless it is hidden.
    private func text(of message: LastMessage) -> String {
        ignored.remedy(for: message.text, of: message.author) == nil ? message.line(people) : "a hidden message"
    }

    private func choice(_ room: MyRoom) -> Switcher.Choice {
        let isSeen = room.id == rooms.shown.name && rooms.shown.list.isFollowing
        let last = room.light.last.map(text(of:)) ?? ""
        let unread = isSeen ? 0 : room.light.unread
        switch room.section {
        case .invited:
            return Switcher.Choice(room.label(people), note: "\(room.invitation(people)): /accept or /decline")
        case .pinned, .rooms: return Switcher.Choice(room.label(people), unread: unread, note: last)
        case .archived: return Switcher.Choice(room.label(people), unread: unread, note: "archived  \(last)")
        }
    }
}
