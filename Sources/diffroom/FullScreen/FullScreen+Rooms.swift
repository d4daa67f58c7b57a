import ChatClient
import ChatWire
import TerminalUI

/// The user's rooms, and the way from one to another.
extension FullScreen {
    func perform(_ action: Controls.Action.Rooms) {
        switch action {
        case .choose: switcher = Switcher()
        case .next(let direction): openNext(direction)
        case .nextUnread: openNextUnread()
        case .join(let room): join(room ?? rooms.shown.name)
        case .leave(let room): noteSent(client.leave(room ?? rooms.shown.name))
        }
    }

    private func join(_ room: RoomName) {
        noteSent(client.join(room))
        open(room)
    }

    /// Shows a room, as it was left if it was shown lately.
    func open(_ name: RoomName) {
        guard hasPlace else { return takePlace(in: name) }
        guard name != rooms.shown.name else { return }
        rooms.shown.hide()
        let next = rooms[name] ?? RoomScreen(name, on: self)
        if let closed = rooms.show(next) { client.close(closed.name) }
        next.show()
        setNeedsDrawing()
    }

    // MARK: - The list

    func roomsChanged(_ change: RoomsChange) {
        ownRooms = change.view
        learnedOwnRooms()
    }

    /// Shows the room in which something was said last, if no other was asked for.
    func learnedOwnRooms() {
        knowsOwnRooms = true
        if !hasPlace { takePlace(in: ownRooms?.rooms.first?.id ?? options.room) }
        for room in rooms.all { room.noteNews() }
        setNeedsDrawing()
    }

    /// Opens the first room. What was written before stays.
    private func takePlace(in name: RoomName) {
        let controls = rooms.shown.controls
        if rooms.shown.name != name { rooms = OpenRooms(RoomScreen(name, at: options.at, on: self)) }
        rooms.shown.controls = controls
        hasPlace = true
        rooms.shown.show()
        setNeedsDrawing()
    }

    private func openNext(_ direction: Controls.ListDirection) {
        guard let all = ownRooms?.rooms, !all.isEmpty else { return say("you are a member of no room: /join") }
        let place = all.firstIndex { $0.id == rooms.shown.name }
        let next = place.map { direction == .up ? $0 - 1 : $0 + 1 } ?? 0
        guard all.indices.contains(next) else {
            return say(direction == .up ? "this is the first of your rooms" : "this is the last of your rooms")
        }
        open(all[next].id)
    }

    /// Opens the next room below with something unread, or the first one from the top. This one is read then.
    private func openNextUnread() {
        rooms.shown.tellRead()
        let all = ownRooms?.rooms ?? []
        let place = all.firstIndex { $0.id == rooms.shown.name }
        let (above, below) = (all.prefix(place ?? 0), all.dropFirst(place.map { $0 + 1 } ?? 0))
        guard let next = (below + above).first(where: { $0.light.unread > 0 }) else {
            return say("nothing is unread in your other rooms")
        }
        open(next.id)
    }

    // MARK: - What is shown of it

    /// True when the column of rooms has something to show.
    var hasRoomsPane: Bool { !(ownRooms?.rooms.isEmpty ?? true) }

    var roomsPane: RoomsPane {
        RoomsPane(rooms: ownRooms?.rooms ?? [], shown: rooms.shown.name, isFollowed: rooms.shown.isFollowed)
    }

    /// The number of unread messages in the rooms that are not shown.
    var unreadElsewhere: UInt64 {
        let others = ownRooms?.rooms.filter { $0.id != rooms.shown.name } ?? []
        return others.reduce(0) { $0 &+ $1.light.unread }
    }

    /// The rooms to choose from: the user's, and others that are open.
    var choices: [Switcher.Choice] {
        let own = ownRooms?.rooms ?? []
        let others = rooms.all.filter { ownRooms?[$0.name] == nil && hasPlace }
        return own.map { Switcher.Choice(room: $0.id, unread: unread(in: $0), note: Self.note(on: $0)) }
            + others.map { Switcher.Choice(room: $0.name, note: "not a member") }
    }

    private func unread(in room: MyRoom) -> UInt64 {
        room.id == rooms.shown.name && rooms.shown.isFollowed ? 0 : room.light.unread
    }

    private static func note(on room: MyRoom) -> String {
        room.light.last.map { "\($0.author): \($0.text)" } ?? ""
    }
}
