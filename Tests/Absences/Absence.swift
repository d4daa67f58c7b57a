import ChatRoom
import ChatWire

/// An absence as it ended: the reader's request, the answer, and the lists at both revisions.
struct Absence {
    let resume: Resume
    /// The reader's limit of newest rows.
    let limit: Int
    let limits: WireLimits
    /// The list at the reader's revision.
    let before: [Message]
    /// The list at the answer's revision.
    let after: [Message]
    let diff: ListDiff<Message>
    /// Whether the server may let go of anything: the store has forgotten deletions, or the room got ahead of its
    /// readings too often.
    let mayLetGo: Bool

    /// The laws that the answer breaks.
    var faults: [String] {
        [boundFault, newestFault, orderFault].compactMap(\.self)
    }

    /// The rows that the reader held, those first that the server lets go of last: from the end of the list, then from
    /// the row that the user looks at downwards, then upwards in the same range, then from the end downwards.
    private var held: [Message] {
        let named = resume.ranges ?? [0...resume.revision]
        let seen = resume.at.flatMap { at in named.first { $0.contains(at) && at < resume.revision } }
        func rank(_ sort: UInt64) -> (Int, UInt64) {
            if sort == resume.revision { return (0, 0) }
            guard let at = resume.at, seen?.contains(sort) == true else { return (3, .max - sort) }
            return sort <= at ? (1, .max - sort) : (2, sort)
        }
        return before.filter { row in named.contains { $0.contains(row.sort) } }
            .sorted { rank($0.sort) < rank($1.sort) }
    }

    /// Only rows that were held and that changed are told of, and each once.
    private var boundFault: String? {
        let told =
            diff.deletions + diff.moves.map(\.id) + diff.reloads.map(\.id) + diff.reconfigurations.map(\.id)
            + diff.patches.map(\.id)
        let changed = changedIDs
        let idle = told.filter { !changed.contains($0) }
        if !idle.isEmpty {
            return "\(idle.count) of \(told.count) changes are of rows that were not held or did not change"
        }
        return Set(told).count == told.count ? nil : "a row is told of twice"
    }

    /// The rows that were held and changed, were deleted or trimmed.
    private var changedIDs: Set<MessageID> {
        let revisions = Dictionary(after.map { ($0.id, $0.rev) }) { $1 }
        return Set(held.filter { revisions[$0.id] != $0.rev }.map(\.id))
    }

    /// The newest rows come, up to the limit, and no others.
    private var newestFault: String? {
        let newest = after.filter { $0.sort > resume.revision }.suffix(limit).map(\.id)
        return diff.insertions.map(\.id) == newest
            ? nil : "\(diff.insertions.count) rows came, and \(newest.count) are the newest"
    }

    /// The rank of the first row that is still there and that the server let go of.
    var lost: Int? {
        guard let kept = diff.ranges?.map(\.keys) else { return nil }
        let there = Set(after.map(\.id))
        return held.firstIndex { row in there.contains(row.id) && !kept.contains { $0.contains(row.sort) } }
    }

    /// What the server lets go of is the last in the order, and it does only if the rest would be too much.
    private var orderFault: String? {
        guard let lost, let kept = diff.ranges?.map(\.keys) else { return nil }
        let (held, there, changed) = (held, Set(after.map(\.id)), changedIDs)
        let later = held[lost...].filter { row in there.contains(row.id) && kept.contains { $0.contains(row.sort) } }
        if !later.isEmpty { return "\(held[lost].sort) was let go of before \(later.map(\.sort))" }
        let changes = held[...lost].count { changed.contains($0.id) }
        let mostRows = (resume.ranges == nil ? 4 : 20) * limits.rows
        return mayLetGo || changes >= 2 * limits.rows || lost >= mostRows
            ? nil : "\(held[lost].sort) was let go of after \(lost) rows and \(changes) changes only"
    }
}
