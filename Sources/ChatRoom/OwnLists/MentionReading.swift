package import ChatWire

/// One message that mentions a person, as the store has it.
package struct MentionReading: Equatable, Sendable {
    package let room: RoomName
    package let sort: UInt64
    package let message: LastMessage
    /// The person's read mark in the room; `nil` if they are not a member.
    package let read: Revision?

    package init(room: RoomName, sort: UInt64, message: LastMessage, read: Revision?) {
        self.read = read
        self.room = room
        self.sort = sort
        self.message = message
    }

    package init(_ message: Message, in room: RoomName, read: Revision?) {
        self.init(room: room, sort: message.sort, message: LastMessage(message), read: read)
    }

    package var id: MyMention.ID { MyMention.ID(room: room, message: message.id) }
}

extension MentionReading {
    /// Returns whether this message is newer. At one time, the order of the rooms' names decides, and in one room the
    /// sort key.
    package func isNewer(than other: MentionReading) -> Bool {
        if message.time != other.message.time { return message.time > other.message.time }
        return room == other.room ? sort > other.sort : room < other.room
    }
}

extension [MentionReading] {
    /// Returns the newest, in the order of their times.
    package func newest(_ limit: Int) -> [MentionReading] {
        sorted { $0.isNewer(than: $1) }.prefix(limit).reversed()
    }
}

extension MentionPlace {
    /// Returns the time from which on a room's messages are not older than the place. In the place's own room the message
    /// itself tells more, as long as its sort key is known.
    package func end(in room: RoomName) -> Milliseconds { id.room < room ? time + 1 : time }
}
