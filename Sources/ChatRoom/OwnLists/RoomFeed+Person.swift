import ChatWire

extension RoomFeed {
    /// One person's membership.
    struct Person: Sendable {
        let kind: MembershipKind
        /// The revision of the reading that this is from, or of a later change that told of the person.
        var revision: Revision
        var standing: Standing
        /// The revision of ``standing``: of a thread, that of its room.
        var ruled: Revision
        /// The time of the join.
        let time: Milliseconds
        /// See ``MembershipReading/inviter``.
        let inviter: UserName?
        var read: Revision
        var unread: Unread
        /// The number of unread messages that mention the person, less ``MessageLog/callsToEveryone``.
        var mentions: Int
        /// See ``MembershipReading/hasBlocks``.
        let hasBlocks: Bool
        var settings: RoomSettings

        var section: MyRoom.Section {
            kind == .invited ? .invited : settings.section
        }
    }

    /// The number of messages above a read mark.
    enum Unread: Sendable {
        /// ``MessageLog/count``, less a number.
        case since(Int)
        /// A number as of a revision that the feed has yet to reach.
        case ahead(Int, at: Revision)
    }
}
