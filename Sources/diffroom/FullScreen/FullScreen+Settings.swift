import ChatClient
import ChatWire

/// The commands that pin, silence, archive and mark rooms for the user.
extension FullScreen {
    func perform(_ line: SettingLine) {
        switch line {
        case .change(let change): set(change)
        case .unread(let count): rooms.shown.markUnread(last: count)
        case .pin(let place): pin(to: place)
        case .readAll: readAll()
        }
    }

    private func set(_ change: SettingsChange) {
        let room = rooms.shown
        if change.isMarked == true { room.leaveAlone() }
        noteSent(client.set(change, of: room.name), about: room.name)
    }

    private func pin(to place: Int?) {
        guard let ownRooms else { return showNotice("your rooms are not known yet") }
        let (room, pins) = (rooms.shown.name, Pins(rooms: ownRooms.pinned))
        for pin in pins.bringing(room, to: place.map { $0 - 1 }) {
            // A room that was put away and is pinned comes back.
            let isBack = pin.room == room && ownRooms[room]?.section == .archived
            let change = SettingsChange(pinned: .at(pin.place), isArchived: isBack ? false : nil)
            noteSent(client.set(change, of: pin.room), about: pin.room)
        }
    }

    private func readAll() {
        guard status.isOnline else { return showNotice("there is no connection: mark them as read once it is back") }
        let unread = ownRooms?.all.filter(\.isUnread) ?? []
        client.markAllRead(unread.map(\.id))
        let number = unread.count == 1 ? "1 room is" : "\(unread.count.grouped) rooms are"
        showNotice(unread.isEmpty ? "nothing is unread" : "\(number) read now")
    }
}
