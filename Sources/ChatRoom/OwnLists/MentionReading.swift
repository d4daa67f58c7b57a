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
    ///
    /// Of a room they are what was said last in it, whatever the clocks said: a message counts as no newer than those after
    /// it. So a room whose clock was ahead for an hour does not hide what is said there after that.
    package func newest(_ limit: Int) -> [MentionReading] {
        let ranked = ranked.sorted { one, other in
            if one.time != other.time { return one.time > other.time }
            return one.reading.room == other.reading.room
                ? one.reading.sort > other.reading.sort : one.reading.room < other.reading.room
        }
        return ranked.prefix(limit).map(\.reading).sorted { $1.isNewer(than: $0) }
    }

    /// Each with the earliest time from it on to the end of its room.
    private var ranked: [(time: Milliseconds, reading: MentionReading)] {
        Dictionary(grouping: self, by: \.room).values.flatMap { readings in
            var earliest = Milliseconds.max
            return readings.sorted { $0.sort > $1.sort }.map { reading in
                earliest = Swift.min(earliest, reading.message.time)
                return (earliest, reading)
            }
        }
    }
}

extension MentionPlace {
    /// Returns the time from which on a room's messages are not older than the place. In the place's own room the message
    /// itself tells more, as long as its sort key is known.
    package func end(in room: RoomName) -> Milliseconds { id.room < room ? time + 1 : time }
}
