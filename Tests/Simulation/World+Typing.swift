import ChatClient
import ChatRoom
import ChatWire

// Who writes, and who is there.

extension World {
    /// Somebody begins or stops writing, or wants to see who is there.
    func typeOrLook(_ client: Client, in room: RoomName) {
        guard chance(0.7) else { return tell(client, .follow(.members(room))) }
        client.hasTyped.insert(room)
        tell(client, .typing(room, chance(0.7) ? .on : .off))
    }

    /// Nobody is shown to write in a room in which nobody else ever did.
    func checkTyping(_ row: MyRoom, of client: Client) {
        if row.light.isTyping, !clients.contains(where: { $0.user != client.user && $0.hasTyped.contains(row.id) }) {
            complain("client \(client.index) sees somebody write in \(row.id), where nobody does")
        }
    }

    /// Once all is at rest somebody writes. The others see it, and nobody sees it any more when it is over.
    func writeForAWhile() throws(Standstill) {
        guard let writer = clients.randomElement(using: &random), let room = rooms.randomElement(using: &random) else {
            return
        }
        writer.hasTyped.insert(room)
        tell(writer, .typing(room, .on))
        try run(for: 3_000)
        for client in clients { checkTyping(of: writer, in: room, seenBy: client) }
        try run(for: 8_000)
        for client in clients { for wrong in deviationsOfPeople(of: client) { complain(wrong) } }
    }

    /// What is not told to other servers here is not shown there.
    private func checkTyping(of writer: Client, in room: RoomName, seenBy client: Client) {
        let isNear = client.link?.server === writer.link?.server
        let writing = client.people[room]?.members.filter(\.light.isTyping).map(\.id) ?? []
        if !writing.allSatisfy({ $0 == writer.user && isNear }) {
            complain("client \(client.index) sees \(writing) write in \(room), where \(writer.user) does")
        }
        guard client.followsRooms, let row = client.session.ownRooms?[room] else { return }
        let isDue = isNear && client.user != writer.user
        // A moderator may have silenced the writer.
        guard row.light.isTyping != isDue, row.light.isTyping || !weather.isModerated else { return }
        complain("client \(client.index) sees somebody write in \(room): \(row.light.isTyping), must be \(isDue)")
    }

    /// In what the lists of people differ from those who are there. Nobody writes.
    private func deviationsOfPeople(of client: Client) -> [String] {
        let near = clients.filter { $0.link?.server === client.link?.server }
        return client.people.sorted { $0.key < $1.key }.compactMap { room, view in
            let here = Set(near.map(\.user)).filter { hasPlace($0, in: room) }
            let told = view.members.filter { $0.section == .online }
            if Set(told.map(\.id)) != here || told.contains(where: \.light.isTyping) {
                return "client \(client.index) sees \(told) in \(room), where \(here.sorted()) are"
            }
            return deviationOfMembers(view.members, in: room, of: client)
        }
    }

    /// In what the rows of a list of members differ from the memberships on the disk.
    private func deviationOfMembers(_ rows: [Member], in room: RoomName, of client: Client) -> String? {
        guard let server = client.link?.server else { return nil }
        let truth = server.disk.truth(of: room)
        for user in clients.map(\.user) {
            let (row, person) = (rows.first { $0.id == user }, truth.roster[user])
            guard let row else {
                if person == nil { continue }
                return "client \(client.index) lacks \(user), who belongs to \(room)"
            }
            let role = person == nil ? .none : truth.roster.standing(of: user).role
            let expected = Member.Light(
                read: row.light.read, since: person?.kind == .member ? person?.time : nil, role: role,
                inviter: person?.kind == .invited ? person?.inviter : nil)
            if row.light != expected {
                return "client \(client.index) sees \(row) in \(room), where \(user) is \(expected)"
            }
        }
        return nil
    }
}
