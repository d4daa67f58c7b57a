package import ChatWire

/// The delivery that brings one reader to a list's published revision.
package enum ListDelivery<Row: ListRow>: Equatable, Sendable {
    case diff(ListDiff<Row>, joined: Revision)
    case snapshot(ListSnapshot<Row>, ServerFrame.SnapshotReason, joined: Revision)

    package var revision: Revision {
        switch self {
        case .diff(let diff, _): diff.to
        case .snapshot(let snapshot, _, _): snapshot.revision
        }
    }

    /// The number of rows that were looked at for the proofs of the reader's ranges.
    package var provenRows: Int {
        switch self {
        case .diff(let diff, _): diff.ranges?.reduce(0) { $0 + ($1.proof?.count ?? 0) } ?? 0
        case .snapshot: 0
        }
    }

    var joined: Revision {
        switch self {
        case .diff(_, let joined), .snapshot(_, _, let joined): joined
        }
    }
}

extension ListDelivery<Message> {
    /// About the bytes of its frame.
    var bytes: Int {
        switch self {
        case .diff(let diff, _):
            diff.insertions.bytes + diff.reloads.bytes
                + diff.reconfigurations.reduce(0) { $0 + $1.light.size + Message.overhead }
                + diff.patches.reduce(0) { $0 + $1.patch.size + Message.overhead }
                + (diff.deletions.count + diff.moves.count) * Message.overhead
        case .snapshot(let snapshot, _, _): snapshot.rows.bytes
        }
    }

    /// - Parameters:
    ///   - resume: the reader's position; `nil` if it holds nothing.
    ///   - reading: the rows that the reader holds, from the store; `nil` if they were not asked for yet.
    /// - Returns: `nil` when the timeline does not know enough.
    init?(
        to resume: Resume?, limit: Int, of timeline: RoomTimeline, _ epoch: Epoch, with reading: HeldReading?
    ) {
        func snapshot(_ why: ServerFrame.SnapshotReason, joined: Revision) -> Self? {
            timeline.snapshot(limit: limit).map { .snapshot($0, why, joined: joined) }
        }
        let delivery: Self?
        if let resume, resume.epoch == epoch {
            let joined = min(resume.joined, timeline.revision)
            if let reading, reading.revision < resume.revision, timeline.revision < resume.revision {
                delivery = snapshot(.future, joined: joined)
            } else {
                delivery = timeline.diff(resuming: resume, limit: limit, with: reading).map {
                    .diff($0, joined: joined)
                }
            }
        } else {
            delivery = snapshot(resume == nil ? .fresh : .epoch, joined: timeline.revision)
        }
        guard let delivery else { return nil }
        self = delivery
    }
}

extension ListDelivery where Row: WireRow {
    /// - Parameter resume: the reader's position; `nil` if it holds nothing.
    init(to resume: Resume?, of list: VersionedList<Row>, _ epoch: Epoch) {
        guard let resume else {
            self = .snapshot(list.snapshot, .fresh, joined: list.revision)
            return
        }
        let isOfEpoch = resume.epoch == epoch
        let joined = isOfEpoch ? min(resume.joined, list.revision) : list.revision
        let known = isOfEpoch ? list.diff(since: resume.revision) : nil
        let diff =
            known ?? resume.sums.flatMap { list.diff(from: resume.revision, holding: $0) }
            ?? resume.tags(of: Row.self).map { list.diff(from: resume.revision, holding: $0) }
        if let diff, diff.weight <= 4 * max(ListDigest.window, list.rows.count) {
            self = .diff(diff, joined: joined)
        } else {
            let isAhead = resume.revision > list.revision
            self = .snapshot(
                list.snapshot, !isOfEpoch ? .epoch : known != nil ? .smaller : isAhead ? .future : .gone,
                joined: joined)
        }
    }
}

extension ListDiff {
    /// The cost of the diff compared with a snapshot, in quarters of a row: a whole row counts four, anything else one.
    ///
    /// In a list that is shorter than the window a diff may be a little larger, because it keeps the reader's place.
    fileprivate var weight: Int {
        4 * (insertions.count + reloads.count) + deletions.count + moves.count + reconfigurations.count
            + patches.count
    }
}
