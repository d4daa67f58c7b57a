import ChatWire

/// One row of a list, or its remains, with the last revision of each kind of change.
///
/// A revision that is not known may be any number up to the floor of the log that holds the history.
struct RowHistory<Row: ListRow>: Equatable, Sendable {
    let id: Row.ID
    /// The row as it stands; `nil` after its deletion.
    var row: Row?
    /// The revision that last inserted the row.
    var inserted: Revision
    /// The earlier spans of revisions in which the row existed.
    var earlier: [Range<Revision>] = []
    var moved: Revision = 0
    var reloaded: Revision = 0
    /// The last time that the row's text grew.
    var grown: Revision = 0
    var reconfigured: Revision = 0
    /// The last touch of any kind.
    var rev: Revision
    /// The growth and the changes of the light fields that led here; `nil` if they are not known.
    var patches: PatchLog<Row>?
    /// The row's part of ``TouchLog/bytes``.
    var bytes = 0

    /// Returns whether the row existed at a revision before the last touch.
    func wasThere(at base: Revision) -> Bool {
        inserted <= base || earlier.contains { $0.contains(base) }
    }

    /// Merges two histories of the row: the later state, and the higher revision of each kind of change.
    ///
    /// A history that saw only the last touches of a row holds a low bound for the earlier ones, so the higher revision
    /// is the known one.
    func merged(with other: RowHistory) -> RowHistory {
        var merged = rev >= other.rev ? self : other
        if rev == other.rev { merged.patches = patches ?? other.patches }
        merged.inserted = max(inserted, other.inserted)
        merged.moved = max(moved, other.moved)
        merged.reloaded = max(reloaded, other.reloaded)
        merged.grown = max(grown, other.grown)
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
                id: row.id, row: row, inserted: row.sort, reloaded: reloaded, reconfigured: row.rev, rev: row.rev,
                bytes: row.bytes)
        case .tombstone(let id, let sort, let rev):
            self.init(id: id, row: nil, inserted: sort, rev: rev)
        }
    }
}

extension [Message] {
    /// About the bytes of the rows, here or in a frame.
    var bytes: Int { reduce(0) { $0 + $1.bytes + Message.overhead } }
}

extension Message {
    /// About the bytes of a row in memory or in a frame, without what its author and others have written.
    static let overhead = 256

    /// The bytes of what its author and others have written, as far as senders decide about them.
    ///
    /// - Complexity: O(names of reactions).
    package var bytes: Int {
        content.size + light.size
    }
}

extension ListDiff {
    /// Adds what a reader at `base` lacks of one row. A row that came and went since adds nothing.
    mutating func add(_ history: RowHistory<Row>, since base: Revision) {
        guard let row = history.row else {
            if history.wasThere(at: base) { deletions.append(history.id) }
            return
        }
        guard history.wasThere(at: base) else { return insertions.append(row) }
        if history.moved > base {
            let isTold = max(history.reloaded, history.grown, history.reconfigured) > base
            moves.append(
                ListMove(
                    id: row.id, section: row.section, sort: row.sort, rev: row.rev, tag: isTold ? nil : row.tag))
        }
        if history.reloaded > base {
            reloads.append(row)
        } else if max(history.grown, history.reconfigured) > base {
            if let patch = history.patches?.patch(since: base), !patch.isLarger(than: row) {
                return patches.append(ListPatch(id: row.id, rev: row.rev, patch: patch))
            }
            guard history.grown <= base else { return reloads.append(row) }
            reconfigurations.append(ListReconfiguration(id: row.id, rev: row.rev, tag: row.tag, light: row.light))
        }
    }
}
