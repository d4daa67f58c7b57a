import ChatWire

/// One row of a list, or what is left of it, and the revisions that last did each thing to it.
///
/// A revision that is not known is at most the floor of the log that this stands in: any such number will do.
struct RowHistory<Row: ListRow>: Equatable, Sendable {
    let id: Row.ID
    /// The row as it stands; `nil` once it is gone.
    var row: Row?
    /// When it came, for the last time.
    var inserted: Revision
    /// The revisions in which it was there before that.
    var earlier: [Range<Revision>] = []
    var moved: Revision = 0
    var reloaded: Revision = 0
    var reconfigured: Revision = 0
    /// The last touch of any kind.
    var rev: Revision

    /// Whether the row was there at a revision before the last touch.
    func wasThere(at base: Revision) -> Bool {
        inserted <= base || earlier.contains { $0.contains(base) }
    }

    /// This account of the row and one from elsewhere: the later state, with what either knows of its past.
    ///
    /// Whoever has only seen the last touches of a row knows of an earlier one at most that it was earlier, so the higher
    /// revision is the one that is known.
    func merged(with other: RowHistory) -> RowHistory {
        var merged = rev >= other.rev ? self : other
        merged.inserted = max(inserted, other.inserted)
        merged.moved = max(moved, other.moved)
        merged.reloaded = max(reloaded, other.reloaded)
        merged.reconfigured = max(reconfigured, other.reconfigured)
        return merged
    }
}

extension RowHistory<Message> {
    /// A message's sort key is the revision that inserted it, and messages do not move.
    init(_ change: RoomChange) {
        switch change {
        case .row(let row, let reloaded):
            self.init(
                id: row.id, row: row, inserted: row.sort, reloaded: reloaded, reconfigured: row.rev, rev: row.rev)
        case .tombstone(let id, let sort, let rev):
            self.init(id: id, row: nil, inserted: sort, rev: rev)
        }
    }
}

extension ListDiff {
    /// Adds what a reader at `base` lacks of one row: nothing, if it came and went since.
    mutating func add(_ history: RowHistory<Row>, since base: Revision) {
        guard let row = history.row else {
            if history.wasThere(at: base) { deletions.append(history.id) }
            return
        }
        guard history.wasThere(at: base) else { return insertions.append(row) }
        if history.moved > base {
            moves.append(ListMove(id: row.id, section: row.section, sort: row.sort, rev: row.rev))
        }
        if history.reloaded > base {
            reloads.append(row)
        } else if history.reconfigured > base {
            reconfigurations.append(ListReconfiguration(id: row.id, rev: row.rev, light: row.light))
        }
    }
}
