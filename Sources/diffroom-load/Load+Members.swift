import ChatClient
import ChatWire
import Replicas

// Readers that are members of rooms: they follow their own lists, and mark what they have read.

extension Load {
    /// The most rooms of a member: its own, in which it reads, and others of which it knows only through its lists.
    static let mostMemberships = 4

    /// Returns whether a reader is a member. The members are spread over all readers.
    func isMember(_ reader: Int) -> Bool {
        let readers = options.rooms * options.subscribers
        return (reader + 1) * options.inbox / readers > reader * options.inbox / readers
    }

    /// Returns the memberships of the members that read in a room: first of that room, then of the rooms behind it. The last
    /// of four is pinned before the third.
    func memberships(from room: Int) -> [Membership] {
        (0..<min(Self.mostMemberships, options.rooms)).map { offset in
            let pin = offset < 2 ? nil : UInt64(Self.mostMemberships - offset)
            return Membership(of: options.room((room + offset) % options.rooms), pin: pin)
        }
    }

    /// Returns some of the members of a room, to be mentioned there; in most cases none.
    mutating func mentioned(in room: Int) -> Mentioned {
        guard options.inbox > 0, random.chance(Self.mentionChance) else { return [] }
        let offset = Int.random(in: 0..<min(Self.mostMemberships, options.rooms), using: &random)
        let from = (room - offset + options.rooms) % options.rooms
        let readers = from * options.subscribers..<(from + 1) * options.subscribers
        return Mentioned(readers.filter(isMember).shuffled(using: &random).prefix(2).map(reader))
    }

    private static let mentionChance = 0.2

    mutating func joinRooms(_ index: Int) {
        for membership in clients[index].memberships {
            handle(index, .command(command(.join, in: membership)))
            guard let pin = membership.pin else { continue }
            handle(index, .command(command(.settings(SettingsChange(pinned: .at(pin))), in: membership)))
        }
        handle(index, .openRooms(limit: .max))
        handle(index, .follow(.myMentions))
    }

    private mutating func command(_ action: RoomAction, in membership: Membership) -> Command {
        Command(id: UniqueID.random(using: &random), room: membership.room, action: action)
    }

    /// Returns whether a reader has the state of its room and, if it is a member, its own lists with all of its rooms.
    func hasArrived(_ index: Int) -> Bool {
        guard clients[index].isMember else { return true }
        let session = clients[index].session
        let hasRoom = session.view(of: clients[index].memberships[0].room) != nil
        guard hasRoom, session.ownMentions != nil, let list = session.ownRooms else { return false }
        return clients[index].memberships.allSatisfy { list[$0.room]?.section == $0.section }
    }

    /// Marks a message that a member holds as read.
    mutating func markRead(_ index: Int) {
        let (room, mark) = (clients[index].memberships[0].room, clients[index].memberships[0].mark)
        guard let revision = clients[index].session.view(of: room)?.revision, revision > mark else { return }
        clients[index].memberships[0].mark = .random(in: mark + 1...revision, using: &random)
        handle(index, .read(room, clients[index].memberships[0].mark))
    }

    // MARK: - On the way

    mutating func roomsChanged(_ change: RoomsChange, _ index: Int) {
        report.inboxFrames += 1
        for place in clients[index].memberships.indices {
            guard let row = change.view[clients[index].memberships[place].room] else { continue }
            if !clients[index].hasJoined { clients[index].memberships[place].mark = row.light.read }
            clients[index].memberships[place].apply(row)
        }
        guard clients[index].hasJoined else { return joined(index) }
        if let mistake = mistake(onTheWayIn: change.view, of: index) { wrongState(mistake) }
    }

    mutating func mentionsChanged(_ change: MentionsChange, _ index: Int) {
        report.inboxFrames += 1
        joined(index)
        if let mistake = change.view.mentions.mistakeInOrder(spans) { wrongState(mistake) }
    }

    private mutating func wrongState(_ mistake: String) {
        report.wrongStates += 1
        report.recordFailure("on the way \(mistake)")
    }

    /// Returns the fault of one state of a member's list; `nil` for none, as far as the state itself shows.
    private mutating func mistake(onTheWayIn view: RoomsView, of index: Int) -> String? {
        if showsLastMessages, let mistake = Membership.mistake(inOrderOf: rows(of: index, in: view), spans) {
            return mistake
        }
        guard let row = view[clients[index].memberships[0].room], let messages = messages(of: index, behind: row) else {
            return nil
        }
        report.recounts += 1
        return row.mistakeInCounts(messages, of: clients[index].user)
    }

    /// Returns the messages that a row counts and, perhaps, earlier ones; `nil` if they are not known.
    ///
    /// Where nothing is deleted and everything only grows, the last message of a row shows which the row counts, whichever
    /// of room and row came first.
    private func messages(of index: Int, behind row: MyRoom) -> ArraySlice<Message>? {
        guard options.edits == 0, let view = clients[index].session.view(of: row.id), let last = row.light.last,
            let end = view[last.id]?.sort, view.held.tail.contains(min(row.light.read + 1, end))
        else { return nil }
        let messages = view.messages
        return messages[..<messages.partitioningIndex { $0.sort > end }]
    }

    private func rows(of index: Int, in view: RoomsView) -> [(Membership, MyRoom)] {
        clients[index].memberships.compactMap { membership in view[membership.room].map { (membership, $0) } }
    }

    // MARK: - At the end

    /// Returns the fault of a member's lists; `nil` if they are right.
    func mistake(inListsOf index: Int, _ right: RightLists) -> String? {
        let session = clients[index].session
        guard let rooms = session.ownRooms, let mentions = session.ownMentions else { return "a member has no lists" }
        let member = (name: clients[index].user, memberships: clients[index].memberships)
        return right.mistake(inRooms: rooms.memberships, of: member)
            ?? (showsLastMessages ? right.mistake(inOrderOf: rooms.memberships, of: member, spans) : nil)
            ?? right.mistake(inMentions: mentions.mentions, of: member, spans)
    }

    /// True if a room's row shows the message that the server accepted last. Where several users write, one of them may have
    /// deleted that message.
    private var showsLastMessages: Bool { options.publishers == 1 || options.edits == 0 }
}
