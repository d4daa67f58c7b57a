import ChatClient
import ChatWire

// Readers that are members of their rooms: they follow the list of their rooms, and mark what they have read.

extension Load {
    /// Returns whether a reader is a member. The members are spread over all readers.
    func isMember(_ reader: Int) -> Bool {
        let readers = options.rooms * options.subscribers
        return (reader + 1) * options.inbox / readers > reader * options.inbox / readers
    }

    mutating func becomeMember(_ index: Int) {
        let id = UniqueID.random(using: &random)
        tell(index, .openRooms(limit: .max))
        tell(index, .command(Command(id: id, room: options.room(clients[index].rooms.lowerBound), action: .join)))
    }

    /// Returns whether a reader has the state of its room and, if it is a member, finds the room in its list.
    func hasArrived(_ index: Int) -> Bool {
        let room = options.room(clients[index].rooms.lowerBound)
        let session = clients[index].session
        return !clients[index].isMember || session.view(of: room) != nil && session.ownRooms?[room] != nil
    }

    mutating func roomsChanged(_ change: RoomsChange, _ index: Int) {
        report.inboxFrames += 1
        guard clients[index].role == .subscriber, !clients[index].hasJoined else { return }
        joined(index)
        clients[index].mark = change.view[options.room(clients[index].rooms.lowerBound)]?.light.read ?? 0
    }

    /// Says that a member has read up to some message that it holds.
    mutating func markRead(_ index: Int) {
        let room = options.room(clients[index].rooms.lowerBound)
        guard let revision = clients[index].session.view(of: room)?.revision, revision > clients[index].mark else {
            return
        }
        clients[index].mark = .random(in: clients[index].mark + 1...revision, using: &random)
        tell(index, .read(room, clients[index].mark))
    }

    /// Returns what is wrong with a member's row of its room; `nil` if it is right.
    func mistake(inListOf index: Int, _ truth: RoomView) -> String? {
        let row = clients[index].session.ownRooms?[options.room(clients[index].rooms.lowerBound)]
        guard let light = row?.light else { return "a member's room is not in its list" }
        let mark = clients[index].mark
        guard light.read == mark else { return "a member has read something else than its list says" }
        let messages = truth.messages
        let unread = messages.endIndex - messages.partitioningIndex { $0.sort > mark }
        guard light.unread == UInt64(unread) else { return "a member's unread messages are not counted right" }
        return light.last == messages.last.map(LastMessage.init) ? nil : "a member's last message is another one"
    }
}
