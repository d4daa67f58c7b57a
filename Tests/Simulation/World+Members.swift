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
        if client.followsMentions { tell(client, .openMentions) }
        for room in rooms where chance(0.7) { give(.join, in: room, to: client) }
    }

    func actAsMember(_ client: Client, in room: RoomName) {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: give(.join, in: room, to: client)
        case 2: give(.leave, in: room, to: client)
        case 7: give(.settings(settings()), in: room, to: client)
        case 3:
            client.followsRooms = true
            tell(client, .openRooms(limit: 100))
        case 8:
            client.followsMentions.toggle()
            tell(client, client.followsMentions ? .openMentions : .closeMentions)
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

// MARK: - Laws of the lists of rooms

extension World {
    /// Never torn: each row is what its room was at one moment.
    func check(_ change: RoomsChange, of client: Client) {
        client.ownRooms = change.view
        for row in change.view.all {
            let isTrue = disks.values.contains { $0.truth(of: row.id).explains(row.light, of: client.user) }
            if !isTrue { complain("client \(client.index) holds \(row.id) with \(row.light), which it never was") }
        }
    }

    /// In what somebody's list of rooms differs from a recount of all that there is.
    func deviationOfRooms(of client: Client) -> String? {
        guard client.followsRooms else { return nil }
        guard let rows = client.session.ownRooms?.all else { return "client \(client.index) holds no list of rooms" }
        let held = rows.sorted { $0.id < $1.id }.map { "\($0.id) in \($0.section) of \($0.people): \($0.lasting)" }
        let right = allRooms.sorted().compactMap { room in
            let (truth, user) = (disk.truth(of: room), client.user)
            return truth.light(of: user).map {
                "\(room) in \(truth.section(of: user)) of \(truth.companions(of: user)): \($0)"
            }
        }
        return held == right ? nil : "client \(client.index) holds the rooms \(held), which are \(right)"
    }

    /// Lists come right in so short a time once all else is at rest: a review of what other servers did, a look at how far
    /// they got, and the tick.
    static let listDelay: Milliseconds = 8_000

    func letListsComeRight() {
        let end = clock.now + Self.listDelay
        while clock.now < end, !clients.allSatisfy(hasRightLists) { clock.step() }
    }

    private func hasRightLists(_ client: Client) -> Bool {
        deviationOfRooms(of: client) == nil && deviationOfMentions(of: client) == nil && disorder(of: client) == nil
    }

    /// Something is said in one room after the other. The lists have the rooms in the order of their activities then.
    func bringToOrder() {
        guard rooms.count > 1 else { return }
        for room in rooms.shuffled(using: &random) {
            send("the very last word", to: room, from: clients[0])
            settle(rooms, within: 60_000)
            for wrong in clients.compactMap(deviationOfMentions) { complain(wrong) }
        }
        for wrong in clients.compactMap(disorder) { complain(wrong) }
    }

    /// The rooms stand in the order of their activities, also where a message came and was trimmed.
    private func disorder(of client: Client) -> String? {
        guard client.followsRooms else { return nil }
        let held = client.session.ownRooms?.rooms.map(\.id) ?? []
        func place(_ room: RoomName) -> (Milliseconds, RoomName) {
            (disk.truth(of: room).lastActivity(for: client.user), room)
        }
        let right = held.sorted { place($0) > place($1) }
        return held == right ? nil : "client \(client.index) holds \(held) in this order, which must be \(right)"
    }

    /// A read message stays read unless its reader marks it as unread.
    func unmarked(of client: Client) -> [String] {
        client.hasRead.sorted { $0.key < $1.key }.compactMap { room, mark in
            guard mark.epoch == disk.epoch, let read = disk.truth(of: room).light(of: client.user)?.read,
                read < mark.revision, disk.truth(of: room).roster.isUnmarked(by: client.user, since: mark.revision)
            else { return nil }
            return "client \(client.index) has read \(room) up to \(mark.revision); on disk is \(read)"
        }
    }
}

extension MyRoom {
    /// What it shows that does not depend on who is there.
    fileprivate var lasting: Light {
        var light = light
        light.isHere = false
        return light
    }
}
