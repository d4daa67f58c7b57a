import ChatClient
import ChatRoom
import ChatWire

// What members of rooms do: they come and go, mention each other and mark what they have read.

extension World {
    /// Somebody follows the list of their rooms, most people from the beginning.
    func settleIn(_ client: Client) {
        guard weather.hasMembers else { return }
        client.followsRooms = client.followsRooms || chance(0.8)
        if client.followsRooms { tell(client, .openRooms(limit: 100)) }
        client.followsMentions = client.followsMentions || chance(0.7)
        if client.followsMentions { tell(client, .follow(.myMentions)) }
        for room in rooms where chance(0.7) { give(.join, in: room, to: client) }
    }

    func actAsMember(_ client: Client, in room: RoomName) {
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1: give(.join, in: room, to: client)
        case 2: give(.leave, in: room, to: client)
        case 7: give(.settings(settings()), in: room, to: client)
        case 9, 10: typeOrLook(client, in: room)
        case 3:
            client.followsRooms = true
            tell(client, .openRooms(limit: 100))
        case 8:
            client.followsMentions.toggle()
            tell(client, client.followsMentions ? .follow(.myMentions) : .closeMentions)
            client.ownMentions = nil
        default: read(room, client)
        }
    }

    func settings() -> SettingsChange {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: SettingsChange(pinned: chance(0.3) ? .off : .at(.random(in: 1...3, using: &random)))
        case 1: SettingsChange(isArchived: chance(0.5))
        case 2:
            chance(0.5)
                ? SettingsChange(unreadFrom: .random(in: 1...80, using: &random))
                : SettingsChange(isMarked: chance(0.7))
        default: SettingsChange(isMuted: chance(0.5), isMarked: chance(0.5))
        }
    }

    /// Marks a room as read, to the end or to somewhere before it.
    func read(_ room: RoomName, _ client: Client) {
        guard chance(0.8) else { return tell(client, .readAll(room)) }
        guard let view = client.session.view(of: room), view.revision > 0 else { return }
        let revision = chance(0.7) ? view.revision : .random(in: 1...view.revision, using: &random)
        // In another room a person may be a member anew, who has read nothing.
        if room.kind == .open {
            client.hasRead[room] = .init(revision, in: view.epoch, after: client.hasRead[room])
        }
        tell(client, .read(room, revision))
    }

    /// Whom a message mentions, perhaps its author too. Sometimes it is everybody, also for an author who may not do that.
    func mentioned(by author: Client? = nil) -> Mentioned {
        guard weather.hasMembers, chance(0.4) else { return [] }
        let users = clients.map(\.user).filter { _ in chance(0.5) }
        let people = users.enumerated().filter { !users[..<$0.offset].contains($0.element) }.map(\.element)
        let isOwner = weather.isModerated && author === clients[0]
        return Mentioned(people, everyone: author != nil && chance(isOwner ? 0.4 : 0.02))
    }
}
