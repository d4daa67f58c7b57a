package import ChatWire

/// What became of one operation.
package enum CommitOutcome: Equatable, Sendable {
    /// It is durable, at this revision, and did this.
    case committed(Revision, RowChange)
    /// It had been carried out before, at this revision; nothing was done now.
    case repeated(Revision)
    /// Its command id was used for something else.
    case conflict
    case refused(Refusal)
}

/// A room's list as of ``revision``.
package struct RoomReading: Equatable, Sendable {
    package let revision: Revision
    /// How many rows the list has.
    package let count: Int
    /// The end of the list, ascending by sort key; all of it when shorter than what was asked for.
    package let tail: [Message]
    package let changes: Changes
    /// What holds in the room; without when its users sent last.
    package let rules: RoomRules
    /// Where the list begins: rows with sort keys below were trimmed.
    package let start: UInt64

    package init(
        revision: Revision, count: Int, tail: [Message], changes: Changes, rules: RoomRules, start: UInt64 = 0
    ) {
        self.revision = revision
        self.count = count
        self.tail = tail
        self.changes = changes
        self.rules = rules
        self.start = start
    }

    /// What was touched since the revision asked for.
    package enum Changes: Equatable, Sendable {
        /// None were asked for.
        case none
        /// Ascending by revision.
        case all([RoomChange])
        case tooMany
        /// What was deleted since then is not remembered any more.
        case gone
        /// The room has not reached that revision.
        case future
    }
}
