public import ChatWire

/// One row or tombstone, and the revisions that touched it: what a net diff is made from.
public enum RoomChange: Equatable, Sendable {
    /// The row as it stands, and the revision that last replaced its content: the one that inserted it, if none did.
    case row(Message, reloaded: Revision)
    /// A message that was there from `sort` until `rev`.
    case tombstone(MessageID, sort: UInt64, rev: Revision)

    /// The revision of the last touch.
    public var rev: Revision {
        switch self {
        case .row(let row, _): row.rev
        case .tombstone(_, _, let rev): rev
        }
    }

    package var id: MessageID {
        switch self {
        case .row(let row, _): row.id
        case .tombstone(let id, _, _): id
        }
    }
}
