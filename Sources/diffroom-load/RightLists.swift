import ChatClient
import ChatWire

/// The lists that members must hold at the end of a run. They are computed from the rooms that fresh readers got.
struct RightLists {
    typealias Member = (name: UserName, memberships: [Membership])

    /// One room, from some message on.
    struct Room {
        let messages: [Message]
        /// The time of the first message, if the room has others before it.
        let start: Milliseconds?

        init(_ messages: [Message], hasOlder: Bool) {
            self.messages = messages
            start = hasOlder ? messages.first?.time ?? .max : nil
        }
    }

    private let rooms: [RoomName: Room]
    /// The messages that mention people, by whom they mention.
    private var mentions: [UserName: [MyMention.ID: Message]] = [:]

    init(_ rooms: [RoomName: Room]) {
        self.rooms = rooms
        for (name, room) in rooms {
            for message in room.messages where !message.mentions.isEmpty {
                let id = MyMention.ID(room: name, message: message.id)
                for person in message.mentions.people where message.calls(person) {
                    mentions[person, default: [:]][id] = message
                }
            }
        }
    }

    // MARK: - me/rooms

    /// Returns the fault in the rows of a member's rooms, whatever their order; `nil` if they are right.
    func mistake(inRooms rows: [MyRoom], of member: Member) -> String? {
        for membership in member.memberships {
            guard let room = rooms[membership.room] else { continue }
            let row = rows.first { $0.id == membership.room }
            guard let row, row.section == membership.section else {
                return "a member's room is not where it belongs in its list"
            }
            guard row.light.read == membership.mark else {
                return "a member has read something else than its list says"
            }
            guard row.light.last == room.messages.last.map(LastMessage.init) else {
                return "a member's last message is another one"
            }
            if let mistake = row.mistakeInCounts(room.messages, of: member.name) { return mistake }
        }
        return nil
    }

    /// Returns the fault in the order of a member's rooms; `nil` if it is right.
    func mistake(inOrderOf rows: [MyRoom], of member: Member, _ spans: SendSpans) -> String? {
        let shown = member.memberships.compactMap { membership -> (Membership, MyRoom)? in
            guard let row = rows.first(where: { $0.id == membership.room }) else { return nil }
            var known = membership
            known.apply(row)
            return (known, row)
        }
        return Membership.mistake(inOrderOf: shown, spans)
    }

    // MARK: - me/mentions

    /// Returns the fault in a member's list of mentions; `nil` if it is right, as far back as each room is known.
    ///
    /// - Parameter rows: in their order; those of other rooms than the member's of this run are not looked at.
    func mistake(inMentions rows: [MyMention], of member: Member, _ spans: SendSpans) -> String? {
        if let mistake = rows.mistakeInOrder(spans) { return mistake }
        let marks = Dictionary(member.memberships.map { ($0.room, $0.mark) }) { first, _ in first }
        func isKnown(_ id: MyMention.ID, _ time: Milliseconds) -> Bool {
            marks[id.room] != nil && rooms[id.room].map { $0.start.map { time > $0 } ?? true } ?? false
        }
        let shown = rows.filter { isKnown($0.id, $0.time) }
        var hidden = mentions[member.name, default: [:]].filter { isKnown($0.key, $0.value.time) }
        let isShownRight = shown.allSatisfy { row in
            hidden.removeValue(forKey: row.id).map { row.shows($0, to: marks[row.id.room] ?? 0) } ?? false
        }
        // Of a full list, only a mention that came after the oldest one is missing.
        let oldest = rows.count == WireLimits.newestMentions ? rows.first?.id.message : nil
        let isMissing = hidden.keys.contains { mention in oldest.map { spans.isAfter(mention.message, $0) } ?? true }
        return isShownRight && !isMissing ? nil : "a member's mentions are not those that there are"
    }
}

extension RightLists {
    init(_ truths: [RoomName: RoomView]) {
        self.init(truths.mapValues { Room($0.messages, hasOlder: $0.hasOlder) })
    }
}

extension MyMention {
    /// Returns whether the row shows the message to a member who has read up to a revision.
    fileprivate func shows(_ message: Message, to mark: Revision) -> Bool {
        let start = LastMessage(message)
        return author == start.author && time == start.time
            && light == Light(text: start.text, isRead: message.sort <= mark)
    }
}

extension [MyMention] {
    /// Returns the mistake that a list of mentions shows by itself; `nil` if it shows none.
    func mistakeInOrder(_ spans: SendSpans) -> String? {
        guard count <= WireLimits.newestMentions else { return "a member's list has too many mentions" }
        let isOrder = spans.mayBeOrder(lazy.map(\.id.message))
        return isOrder ? nil : "a member's mentions do not stand in the order of their messages"
    }
}
