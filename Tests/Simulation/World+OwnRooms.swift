import ChatClient
import ChatRoom
import ChatServer
import ChatWire

// What must hold of people's lists of rooms.

extension World {
    /// Never torn: each row is what its room was at one moment.
    func check(_ change: RoomsChange, of client: Client) {
        client.ownRooms = change.view
        for row in change.view.all {
            checkTyping(row, of: client)
            let isTrue = disks.values.contains { $0.truth(of: row.id).explains(row.light, of: client.user) }
            if !isTrue { complain("client \(client.index) holds \(row.id) with \(row.light), which it never was") }
        }
    }

    /// The request for as many rooms as the weather has it. Fewer than 32 go through no frame.
    func narrowed(_ request: InboxRequest) -> InboxRequest {
        guard case .subscribe(.rooms, let grants, let visit, let ref, let limit, let resume) = request else {
            return request
        }
        let least = min(limit, weather.shownRooms)
        return .subscribe(.rooms, grants, visit: visit, ref: ref, limit: least, resume)
    }

    /// In what somebody's list of rooms differs from a recount of all that there is.
    func deviationOfRooms(of client: Client) -> String? {
        guard client.followsRooms else { return nil }
        guard let list = client.session.ownRooms else { return "client \(client.index) holds no list of rooms" }
        let held = list.all.map { "\($0.id) in \($0.section) of \($0.people): \($0.lasting)" }.sorted()
        let right = MyRoom.Section.allCases.flatMap { rowsThatMustBe(in: $0, list, of: client.user) }.sorted()
        guard held == right else { return "client \(client.index) holds the rooms \(held), which are \(right)" }
        let counts = MyRoom.Section.allCases.map { rooms(of: client.user, in: $0).count }
        let told = MyRoom.Section.allCases.map(list.count)
        return told == counts ? nil : "client \(client.index) counts \(told) rooms, which are \(counts)"
    }

    /// A row for each room, but for those that a long section may leave out.
    private func rowsThatMustBe(in section: MyRoom.Section, _ list: RoomsView, of user: UserName) -> [String] {
        let all = rooms(of: user, in: section)
        let held = all.filter { list[$0] != nil }
        let mayLack = (section == .rooms || section == .archived) && held.count >= weather.shownRooms
        return (mayLack ? held : all).compactMap { room in
            let truth = disk.truth(of: room)
            return truth.light(of: user).map { "\(room) in \(section) of \(truth.companions(of: user)): \($0)" }
        }
    }

    /// The rooms of a section of somebody's list, in its order.
    private func rooms(of user: UserName, in section: MyRoom.Section) -> [RoomName] {
        let all = allRooms.filter { room in
            let truth = disk.truth(of: room)
            return truth.mark(of: user) != nil && truth.section(of: user) == section
        }
        func activity(_ room: RoomName) -> (Int64, RoomName) { (disk.truth(of: room).lastActivity(for: user), room) }
        func place(_ room: RoomName) -> (UInt64, RoomName) {
            (disk.truth(of: room).roster[user]?.settings.pinned ?? 0, room)
        }
        return section == .pinned ? all.sorted { place($0) < place($1) } : all.sorted { activity($0) > activity($1) }
    }

    /// Lists come right in so short a time once all else is at rest: a review of what other servers did, a look at how far
    /// they got, and the tick.
    static let listDelay: Milliseconds = 8_000

    func letListsComeRight() throws(Standstill) {
        let end = clock.now + Self.listDelay
        while clock.now < end, !clients.allSatisfy(hasRightLists) { try run(for: 50) }
    }

    private func hasRightLists(_ client: Client) -> Bool {
        deviationOfRooms(of: client) == nil && deviationOfMentions(of: client) == nil && disorder(of: client) == nil
    }

    /// Something is said in one room after the other. The lists have the rooms in the order of their activities then.
    func bringToOrder() throws(Standstill) {
        guard rooms.count > 1 else { return }
        for room in rooms.shuffled(using: &random) {
            send("the very last word", to: room, from: clients[0])
            try settle(rooms, within: 60_000)
            for wrong in clients.compactMap(deviationOfMentions) { complain(wrong) }
        }
        for wrong in clients.compactMap(disorder) { complain(wrong) }
    }

    /// The rooms stand in the order of their activities, also where a message came and was trimmed, and those that have no
    /// row are the last ones.
    private func disorder(of client: Client) -> String? {
        guard client.followsRooms, let list = client.session.ownRooms else { return nil }
        for section in MyRoom.Section.allCases {
            let held = list.all.filter { $0.section == section }.map(\.id)
            let right = Array(rooms(of: client.user, in: section).prefix(held.count))
            if held != right { return "client \(client.index) holds \(held) in this order, which must be \(right)" }
        }
        return nil
    }

    /// A read message stays read unless its reader marks it as unread.
    func unmarked(of client: Client) -> [String] {
        client.hasRead.sorted { $0.key < $1.key }.compactMap { room, mark in
            guard mark.epoch == disk.epoch, let read = disk.truth(of: room).mark(of: client.user),
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
