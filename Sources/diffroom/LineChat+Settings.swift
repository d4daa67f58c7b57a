import ChatClient
import ChatWire
import Dispatch

/// The commands in lines that change the user's settings of rooms.
extension LineChat {
    func handle(_ line: SettingLine) {
        switch line {
        case .change(let change): unanswered.insert(client.set(change, of: target))
        case .unread(let count): markUnread(last: count)
        case .pin(let place): pin(to: place)
        case .readAll: readAll()
        }
    }

    private func markUnread(last count: Int) {
        guard let first = here.view?.messages.suffix(count).first else { return fail("there is no message") }
        unanswered.insert(client.set(SettingsChange(unreadFrom: first.sort), of: target))
    }

    private func pin(to place: Int?) {
        let room = target
        let pins = Pins(rooms: ownRooms?.pinned ?? []).bringing(room, to: place.map { $0 - 1 })
        let isArchived = ownRooms?[room]?.section == .archived
        for pin in pins {
            let isBack = pin.room == room && isArchived
            let change = SettingsChange(pinned: .at(pin.place), isArchived: isBack ? false : nil)
            let id = client.set(change, of: pin.room)
            unanswered.insert(id)
            if pin != pins.last { companions.insert(id) }
        }
    }

    // MARK: - Reading all

    private func readAll() {
        for room in ownRooms?.all.filter(\.isUnread) ?? [] { reading[room.id] = room.light.read }
        requestReadMarks()
        credits.signal()
    }

    /// Requests the lists that are not read yet, on this connection.
    func requestReadMarks() {
        client.markAllRead(reading.keys.sorted())
    }

    func stopReading(_ room: RoomName, _ why: String) {
        reading[room] = nil
        fail(why)
    }

    /// Notes which rooms are read by now.
    func noteRead() {
        reading = reading.filter { name, mark in
            guard let room = ownRooms?[name], room.isUnread else { return false }
            return room.light.read <= mark
        }
    }
}
