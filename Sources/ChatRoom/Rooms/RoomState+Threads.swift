import ChatWire

/// The changes of its rules, which are those of its room, of which a thread has heard.
struct HeardRules: Sendable {
    /// The revision that the room is said to have.
    var announced: Revision = 0
    /// The number of readings that must have ended before something is published. A thread that other servers change, too,
    /// reads the rules after each change of its rows: a reader who was put out before that change must not get it.
    var reading: UInt64 = 0
}

/// The rules of a thread, and what it tells of itself in its room.
extension RoomState {
    /// True of a room, and of a thread that knows the rules as far as it has heard of changes.
    var knowsRules: Bool { access.revision >= heardRules.announced && readings >= heardRules.reading }

    mutating func expectRules(of revision: Revision) -> [Effect] {
        heardRules.announced = max(heardRules.announced, revision)
        return flush()
    }

    /// Applies the rules that another thread of the room has read.
    mutating func applyRules(_ rules: RoomRules, asOf revision: Revision) -> [Effect] {
        access.apply(rules, asOf: revision)
        return reevaluateAccess() + flush()
    }

    /// Applies changes of the rules: all, or if other servers change them, too, those next in line.
    mutating func applyRules(_ changes: [(revision: Revision, change: RowChange)]) -> [Effect] {
        for (revision, change) in changes {
            heardRules.announced = max(heardRules.announced, revision)
            if !isShared || revision == access.revision + 1 { access.apply(change, at: revision) }
        }
        return reevaluateAccess() + flush()
    }

    /// Notes the replies to a message in its row, as the store counts them. The id has the time in it: a user may have used
    /// another one.
    mutating func summarize(_ root: MessageID, at time: Milliseconds) -> [Effect] {
        let command = CommandID(high: ~root.high, low: root.low ^ UInt64(bitPattern: time))
        return [commit(.summarize(root, nil), as: command, by: .server, at: time)]
    }
}
