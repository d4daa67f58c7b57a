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

/// The part of a person's membership that tells the room's place in their list.
package struct MembershipPlace: Equatable, Sendable {
    package let room: RoomName
    package let kind: MembershipKind
    /// The time of the join or invitation.
    package let time: Milliseconds
    /// ``RoomSettings/pinned`` and ``RoomSettings/isArchived``.
    package let pinned: UInt64?
    package let isArchived: Bool
    /// The user's in the room; of a thread, that in its room.
    package let standing: Standing
    /// The room's. See ``RowChange/activity(after:)``.
    package let activity: ActivityStamp
    /// See ``MembershipReading/isHidden``.
    package let isHidden: Bool

    package init(
        room: RoomName, kind: MembershipKind, time: Milliseconds, pinned: UInt64?, isArchived: Bool,
        standing: Standing, activity: ActivityStamp, isHidden: Bool = false
    ) {
        self.room = room
        self.isHidden = isHidden
        self.kind = kind
        self.time = time
        self.pinned = pinned
        self.isArchived = isArchived
        self.standing = standing
        self.activity = activity
    }
}

/// One person's membership in one room, as of ``revision``.
package struct MembershipReading: Equatable, Sendable {
    package let room: RoomName
    package let user: UserName
    package let kind: MembershipKind
    /// The room's.
    package let revision: Revision
    /// The revision of which ``standing``, ``title``, ``picture``, ``people`` and ``root`` are: of a thread, that of its room.
    package let ruled: Revision
    /// The revision of the join, and its time. Of an invitation 0, and its time.
    package let joined: Revision
    package let time: Milliseconds
    /// The person who invited the user, who is only invited; `nil` if unknown.
    package let inviter: UserName?
    /// The read mark.
    package let read: Revision
    /// The number of the room's messages with sort keys above ``read``.
    package let unread: Int
    /// The number of those that mention the user, and that neither the user nor a blocked author wrote.
    package let mentions: Int
    /// True when the user has blocked others: then only the store can tell which further messages count as mentions.
    package let hasBlocks: Bool
    /// True when the user is not shown the room, because of what they have blocked: see ``Blocks/hides(_:)``.
    package let isHidden: Bool
    package let settings: RoomSettings
    /// The last message of the room's list.
    package let last: Message?
    /// The room's. See ``RowChange/activity(after:)``.
    package let activity: ActivityStamp
    /// The user's in the room; of a thread, that in its room.
    package let standing: Standing
    package let title: RoomTitle?
    package let picture: Picture?
    /// The people of a direct room, the user included, in the order of their names' bytes; empty for another room.
    package let people: [UserName]
    /// The message that a thread answers; `nil` if it is not in its room any more, and for a room that is no thread.
    package let root: Message?

    /// - Parameters:
    ///   - joined: 0 for a user who is only invited.
    ///   - ruled: `nil` for a room that is no thread.
    package init(
        room: RoomName, user: UserName, revision: Revision, joined: Revision, time: Milliseconds,
        inviter: UserName? = nil, read: Revision, settings: RoomSettings, unread: Int, mentions: Int, last: Message?,
        activity: ActivityStamp = .none, ruled: Revision? = nil, standing: Standing,
        title: RoomTitle? = nil, picture: Picture? = nil, people: [UserName] = [], root: Message? = nil,
        blocks: Blocks = .none
    ) {
        kind = joined == 0 ? .invited : .member
        self.room = room
        self.user = user
        self.revision = revision
        self.ruled = ruled ?? revision
        self.joined = joined
        self.time = time
        self.inviter = inviter
        self.read = read
        self.settings = settings
        self.unread = unread
        self.mentions = mentions
        hasBlocks = !blocks.isEmpty
        isHidden = blocks.hides(room)
        self.last = last
        self.activity = activity
        self.standing = standing
        self.title = title
        self.picture = picture
        self.people = people
        self.root = root
    }

    /// The section of the user's list of rooms in which the room stands.
    package var section: MyRoom.Section { kind == .invited ? .invited : settings.section }

    /// True when the user has marked the room as unread, and has not read it since.
    package var isMarked: Bool { settings.marked > read }

    /// Returns the role in which the user acts in the room.
    package func role(granted: Role) -> Role { standing.role(granted: granted, in: room.kind) }
}
