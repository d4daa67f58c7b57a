package import ChatWire

/// A list that readers follow. It computes what a reader at any revision lacks.
protocol FollowedList<Row> {
    associatedtype Row: ListRow

    var revision: Revision { get }
    /// Returns the net and minimal diff from `base`; `nil` when the list no longer knows that far back.
    func diff(since base: Revision) -> ListDiff<Row>?
    /// Returns the last `limit` rows; `nil` when the list does not hold them all.
    func snapshot(limit: Int) -> ListSnapshot<Row>?
}

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

    var joined: Revision {
        switch self {
        case .diff(_, let joined), .snapshot(_, _, let joined): joined
        }
    }

    /// - Parameters:
    ///   - resume: the reader's position; `nil` if it holds nothing.
    ///   - beyond: the reason for a snapshot to a reader whose revision is beyond this list's knowledge; `nil` if it is
    ///     too early to tell, and then there is no delivery yet.
    init?(
        to resume: Resume?, limit: Int, of list: some FollowedList<Row>, _ epoch: Epoch,
        beyond: ServerFrame.SnapshotReason?
    ) {
        func snapshot(_ why: ServerFrame.SnapshotReason, joined: Revision) -> Self? {
            list.snapshot(limit: limit).map { .snapshot($0, why, joined: joined) }
        }
        guard let resume, resume.epoch == epoch else {
            guard let fresh = snapshot(resume == nil ? .fresh : .epoch, joined: list.revision) else { return nil }
            self = fresh
            return
        }
        let joined = min(resume.joined, list.revision)
        let diff = list.diff(since: resume.revision)
        if let diff, diff.weight <= 4 * limit {
            self = .diff(diff, joined: joined)
            return
        }
        let isAhead = resume.revision > list.revision
        guard let why = diff == nil ? beyond.map({ isAhead ? .future : $0 }) : .smaller,
            let other = snapshot(why, joined: joined)
        else { return nil }
        self = other
    }
}

extension ListDiff {
    /// The cost of the diff compared with a snapshot, in quarters of a row: a whole row counts four, anything else one.
    ///
    /// In a list that is shorter than the window a diff may be a little larger, because it keeps the reader's place.
    fileprivate var weight: Int {
        4 * (insertions.count + reloads.count) + deletions.count + moves.count + reconfigurations.count
    }
}
