package import ChatWire

/// A user has read a room's messages up to a revision.
package struct ReadMark: Equatable, Sendable {
    package let room: RoomName
    package let user: UserName
    package let revision: Revision

    package init(room: RoomName, user: UserName, revision: Revision) {
        self.room = room
        self.user = user
        self.revision = revision
    }
}

/// One person's membership in one room, as of ``revision``.
package struct MembershipReading: Equatable, Sendable {
    package let room: RoomName
    package let user: UserName
    /// The room's.
    package let revision: Revision
    /// The revision of the join, and its time.
    package let joined: Revision
    package let time: Milliseconds
    /// The read mark.
    package let read: Revision
    /// The number of the room's messages with sort keys above ``read``.
    package let unread: Int
    /// The last message of the room's list.
    package let last: Message?
    /// The user's in the room.
    package let standing: Standing

    package init(
        room: RoomName, user: UserName, revision: Revision, joined: Revision, time: Milliseconds, read: Revision,
        unread: Int, last: Message?, standing: Standing
    ) {
        self.room = room
        self.user = user
        self.revision = revision
        self.joined = joined
        self.time = time
        self.read = read
        self.unread = unread
        self.last = last
        self.standing = standing
    }
}
