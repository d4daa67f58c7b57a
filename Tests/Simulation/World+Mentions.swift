import ChatClient
import ChatRoom
import ChatWire
import RoomStore

// What must hold of the lists of the messages that mention people.

extension World {
    /// Never torn: each row is a message that was there and mentioned the person, as it was at one moment.
    func check(_ change: MentionsChange, of client: Client) {
        client.ownMentions = change.view
        for row in change.view.mentions {
            let isTrue = disks.values.contains { $0.truth(of: row.id.room).explains(row, of: client.user) }
            if !isTrue { complain("client \(client.index) holds the mention \(row), which it never was") }
        }
        let instants = change.view.mentions.compactMap { row in
            disks.values.compactMap { disk in
                let truth = disk.truth(of: row.id.room)
                return truth.commands[row.id.message].map(truth.instant)
            }.first
        }
        if disks.count == 1, instants != instants.sorted() {
            complain("client \(client.index) holds mentions in the order of \(instants)")
        }
    }

    /// In what somebody's list of mentions differs from a recount of all messages.
    func deviationOfMentions(of client: Client) -> String? {
        guard client.followsMentions else { return nil }
        guard let rows = client.ownMentions?.mentions else { return "client \(client.index) holds no list of mentions" }
        // Of one time, messages of two rooms may be in either order.
        let held = rows.map { "\($0.id) by \($0.author) at \($0.time): \($0.light)" }.sorted()
        let right = mentions(of: client.user).map { reading in
            let read = disk.truth(of: reading.room).mark(of: client.user) ?? 0
            let light = MyMention.Light(text: reading.message.text, isRead: reading.sort <= read)
            return "\(reading.id) by \(reading.message.author) at \(reading.message.time): \(light)"
        }
        return held == right.sorted()
            ? nil : "client \(client.index) holds the mentions \(held), which are \(right.sorted())"
    }

    /// The newest messages that mention a person, in the rooms of their list.
    func mentions(of user: UserName) -> [MentionReading] {
        let own = allRooms.filter { room in
            let truth = disk.truth(of: room)
            return truth.mark(of: user) != nil && truth.section(of: user) != .invited
        }
        let readings = own.flatMap { room in
            disk.truth(of: room).rows.filter { $0.calls(user) }.map { reading(of: $0, in: room, for: user) }
        }
        return readings.newest(MentionList.most)
    }

    private func reading(of message: Message, in room: RoomName, for user: UserName) -> MentionReading {
        let truth = disk.truth(of: room)
        return MentionReading(message, in: room, at: truth.instant(of: message.sort), read: truth.mark(of: user))
    }

    // MARK: - Sabotage

    /// The store's mentions, and those that it should no longer have.
    func falsified(_ readings: [MentionReading], of user: UserName, in rooms: [RoomName], on disk: Disk)
        -> [MentionReading]
    {
        guard suffers(.staleMention) else { return readings }
        let stale = rooms.flatMap { room in
            disk.truth(of: room).formerMentions(of: user).map { reading(of: $0, in: room, for: user) }
        }
        return (readings + stale).newest(MentionList.most)
    }

    /// True if a client's server last heard of a mention that an edit had removed, and shows it.
    func showsStaleMention(_ client: Client) -> Bool {
        let readings = client.link?.server.missed.mentions[client.user] ?? []
        let stale = rooms.filter { disk.truth(of: $0).mark(of: client.user) != nil }.flatMap { room in
            disk.truth(of: room).formerMentions(of: client.user).map { MyMention.ID(room: room, message: $0.id) }
        }
        return client.followsMentions && readings.contains { stale.contains($0.id) }
    }
}
