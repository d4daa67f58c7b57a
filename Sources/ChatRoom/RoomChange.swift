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

    /// This change and an account of the same row from elsewhere: the later state, with what either knows of its past.
    ///
    /// Whoever has only seen the last touches of a row knows of an earlier reload or insertion at most that it was
    /// earlier, so the higher revision is the one that is known.
    func merged(with other: RoomChange) -> RoomChange {
        let later = rev >= other.rev ? self : other
        switch later {
        case .row(let row, _): return .row(row, reloaded: max(reloaded, other.reloaded))
        case .tombstone(let id, _, let rev): return .tombstone(id, sort: max(sort, other.sort), rev: rev)
        }
    }

    private var reloaded: Revision {
        switch self {
        case .row(_, let reloaded): reloaded
        case .tombstone: 0
        }
    }

    private var sort: UInt64 {
        switch self {
        case .row(let row, _): row.sort
        case .tombstone(_, let sort, _): sort
        }
    }
}
