package import ChatWire

/// A person's draft in one room, as the store keeps it.
package struct StoredDraft: Equatable, Sendable {
    package let room: RoomName
    package let content: MessageContent
    /// The time at which it was written.
    package let time: Milliseconds

    package init(room: RoomName, content: MessageContent, time: Milliseconds) {
        (self.room, self.content, self.time) = (room, content, time)
    }

    /// Returns whether this draft was written before another one of the same person: of too many, the oldest goes.
    package func isOlder(than other: StoredDraft) -> Bool {
        (time, other.room) < (other.time, room)
    }
}

/// A change of a person's draft in one room.
package struct DraftChange: Equatable, Sendable {
    package let user: UserName
    package let room: RoomName
    /// `nil` to remove the draft.
    package let content: MessageContent?
    package let time: Milliseconds

    package init(user: UserName, room: RoomName, content: MessageContent?, time: Milliseconds) {
        (self.user, self.room, self.content, self.time) = (user, room, content, time)
    }
}
