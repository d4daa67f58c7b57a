package import ChatWire

/// The outcome of one operation.
package enum CommitOutcome: Equatable, Sendable {
    /// The operation is durable, at this revision, and had this effect.
    case committed(Revision, RowChange)
    /// The operation had been committed before, at this revision, or there is nothing for it to do: who joins is a member
    /// as of this revision, who leaves is none. Nothing was done now.
    case repeated(Revision)
    /// The command id was used for another operation.
    case conflict
    case refused(Refusal)
}

/// The users whose standings a reading has.
package enum StandingScope: Equatable, Sendable {
    /// All who have one.
    case all
    /// All, if at most this number have one, and else only these.
    case upTo(Int, or: Set<UserName>)
}

/// A room's list as of ``revision``.
package struct RoomReading: Equatable, Sendable {
    package let revision: Revision
    /// The number of rows in the list.
    package let count: Int
    /// The end of the list, ascending by sort key. It is the whole list if that is shorter than the request, and empty if
    /// no rows were asked for.
    package let tail: [Message]
    package let changes: Changes
    /// The room's rules, without the times of the users' last messages. Of a thread those of its room.
    package let rules: RoomRules
    /// The revision of the room that has the rules.
    package let ruled: Revision
    /// The beginning of the list. Rows with smaller sort keys were trimmed.
    package let start: UInt64

    /// - Parameter ruled: `nil` if the room has its rules itself.
    package init(
        revision: Revision, count: Int, tail: [Message], changes: Changes, rules: RoomRules, ruled: Revision? = nil,
        start: UInt64 = 0
    ) {
        self.revision = revision
        self.count = count
        self.tail = tail
        self.changes = changes
        self.rules = rules
        self.ruled = ruled ?? revision
        self.start = start
    }

    /// False when no rows were asked for, and there are some.
    var hasTail: Bool { !tail.isEmpty || count == 0 }

    /// The changes since the revision asked for.
    package enum Changes: Equatable, Sendable {
        /// No changes were asked for.
        case none
        /// Ascending by revision.
        case all([RoomChange])
        case tooMany
        /// The store no longer remembers all deletions since then.
        case gone
        /// The room has not reached that revision.
        case future
    }
}
