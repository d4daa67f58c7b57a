package import ChatWire

/// A list that readers follow: it answers to where each of them stands.
protocol FollowedList<Row> {
    associatedtype Row: ListRow

    var revision: Revision { get }
    /// What a reader at `base` lacks, net and minimal; `nil` when that is not known here.
    func diff(since base: Revision) -> ListDiff<Row>?
    /// The last `limit` rows; `nil` when they are not all here.
    func snapshot(limit: Int) -> ListSnapshot<Row>?
}

/// What brings one reader to a list's published revision.
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
    ///   - resume: where the reader stands; `nil` if it holds nothing.
    ///   - beyond: what to tell a reader whose revision the list here does not reach; `nil` if it is too early to tell,
    ///     so that there is no delivery to it yet.
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
    /// What it costs beside a snapshot of the reader's window, in quarters of a row: whole rows count four, the others
    /// one. (In a list that is shorter than the window a diff is let be a little larger: it keeps the reader's place.)
    fileprivate var weight: Int {
        4 * (insertions.count + reloads.count) + deletions.count + moves.count + reconfigurations.count
    }
}
