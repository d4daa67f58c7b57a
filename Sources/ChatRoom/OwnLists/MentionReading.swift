package import ChatWire

/// One message that mentions a person, as the store has it.
package struct MentionReading: Equatable, Sendable {
    package let room: RoomName
    package let sort: UInt64
    package let message: LastMessage
    /// The instant of the store's time at which the message came. It decides which of two rooms' messages is newer.
    package let instant: Milliseconds
    /// The person's read mark in the room; `nil` if they are not a member, or follow a thread of a room that they may not read.
    package let read: Revision?

    package init(room: RoomName, sort: UInt64, message: LastMessage, at instant: Milliseconds, read: Revision?) {
        self.read = read
        self.room = room
        self.sort = sort
        self.message = message
        self.instant = instant
    }

    package init(_ message: Message, in room: RoomName, at instant: Milliseconds, read: Revision?) {
        self.init(room: room, sort: message.sort, message: LastMessage(message), at: instant, read: read)
    }

    package var id: MyMention.ID { MyMention.ID(room: room, message: message.id) }
}

extension MentionReading {
    /// Returns whether this message is newer. At one instant, the order of the rooms' names decides, and in one room the
    /// sort key.
    package func isNewer(than other: MentionReading) -> Bool {
        if instant != other.instant { return instant > other.instant }
        return room == other.room ? sort > other.sort : room < other.room
    }
}

extension [MentionReading] {
    /// Returns the newest, in the order of their instants.
    ///
    /// Of a room they are what was said last in it: a message counts as no newer than those after it. So a message that an
    /// earlier version stamped by a clock that was ahead does not hide what is said there after that.
    package func newest(_ limit: Int) -> [MentionReading] {
        let ranked = ranked.sorted { one, other in
            if one.time != other.time { return one.time > other.time }
            return one.reading.room == other.reading.room
                ? one.reading.sort > other.reading.sort : one.reading.room < other.reading.room
        }
        return ranked.prefix(limit).map(\.reading).sorted { $1.isNewer(than: $0) }
    }

    /// Each with the earliest instant from it on to the end of its room.
    private var ranked: [(time: Milliseconds, reading: MentionReading)] {
        Dictionary(grouping: self, by: \.room).values.flatMap { readings in
            var earliest = Milliseconds.max
            return readings.sorted { $0.sort > $1.sort }.map { reading in
                earliest = Swift.min(earliest, reading.instant)
                return (earliest, reading)
            }
        }
    }
}

/// The place before which older mentions are read.
package struct MentionSpot: Equatable, Sendable {
    package let id: MyMention.ID
    /// The instant of its message; of one that is not known any more, the time that the client gave.
    package let instant: Milliseconds

    package init(id: MyMention.ID, instant: Milliseconds) {
        self.id = id
        self.instant = instant
    }

    /// Returns the instant from which on a room's messages are not older than the place. In the place's own room the message
    /// itself tells more, as long as its sort key is known.
    package func end(in room: RoomName) -> Milliseconds { id.room < room ? instant + 1 : instant }
}
