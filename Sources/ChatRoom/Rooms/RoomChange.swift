public import ChatWire

/// One row or tombstone with the revisions that touched it. Net diffs are made from these.
public enum RoomChange: Equatable, Sendable {
    /// The row, and the revision that last replaced its content; for an unedited row, the one that inserted it.
    case row(Message, reloaded: Revision)
    /// A message that existed from `sort` until `rev`.
    case tombstone(MessageID, sort: UInt64, rev: Revision)

    /// The revision of the last touch.
    public var rev: Revision {
        switch self {
        case .row(let row, _): row.rev
        case .tombstone(_, _, let rev): rev
        }
    }

    /// The sort key that the row has or had.
    package var sort: UInt64 {
        switch self {
        case .row(let row, _): row.sort
        case .tombstone(_, let sort, _): sort
        }
    }

    package var id: MessageID {
        switch self {
        case .row(let row, _): row.id
        case .tombstone(let id, _, _): id
        }
    }
}
