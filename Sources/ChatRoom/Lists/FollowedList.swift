package import ChatWire

/// A short list that lives in memory, and its readers.
///
/// Changes wait for the tick: however much happens, there is one net diff in that time. The first change after a quiet
/// time waits for nothing.
package struct FollowedList<Row: WireRow>: Sendable {
    /// One reader.
    private struct Follower: Sendable {
        let joined: Revision
        /// The revision of the last delivery to the reader.
        let since: Revision
    }

    let epoch: Epoch
    private let tick: Duration
    var rows: VersionedList<Row>
    private var followers: [Reader: Follower] = [:]
    /// The earliest time of the next revision.
    private(set) var soonest: Duration

    /// - Parameter tick: the least time between two diffs.
    init(
        _ rows: VersionedList<Row> = VersionedList(), of epoch: Epoch, tick: Duration,
        notBefore soonest: Duration = .zero
    ) {
        self.rows = rows
        self.epoch = epoch
        self.tick = tick
        self.soonest = soonest
    }

    /// Allows no revision before a time.
    mutating func pause(until time: Duration) {
        soonest = max(soonest, time)
    }

    /// Makes the next revision of the changed rows.
    ///
    /// - Returns: the changes; `nil` if there are none, and then there is no new revision.
    mutating func commit(
        at now: Duration, counts: [Row.Section: Int]? = nil, missing: [Int] = []
    ) -> ListDiff<Row>? {
        guard let diff = rows.commit(counts: counts, missing: missing) else { return nil }
        soonest = now + tick
        return diff
    }

    fileprivate var isFollowed: Bool { !followers.isEmpty }

    fileprivate var readers: [Reader] { followers.keys.sorted() }

    fileprivate mutating func subscribe(_ reader: Reader, _ resume: Resume?) -> ListDelivery<Row> {
        let delivery = ListDelivery(to: resume, of: rows, epoch)
        followers[reader] = Follower(joined: delivery.joined, since: delivery.revision)
        return delivery
    }

    fileprivate mutating func unsubscribe(_ reader: Reader) {
        followers[reader] = nil
    }

    fileprivate mutating func fellBehind(_ reader: Reader, at revision: Revision) -> ListDelivery<Row>? {
        guard let follower = followers[reader], revision >= follower.since else { return nil }
        return subscribe(reader, Resume(epoch: epoch, revision: revision, joined: follower.joined))
    }
}

/// The state that decides the rows of a short list, as a pure value. The readers of all such lists are served alike.
package protocol ListState {
    associatedtype Row: WireRow

    var list: FollowedList<Row> { get set }
}

extension ListState {
    package var epoch: Epoch { list.epoch }
    package var isFollowed: Bool { list.isFollowed }
    package var readers: [Reader] { list.readers }
    package var rowCount: Int { list.rows.rows.count }

    /// - Parameter resume: the reader's position; `nil` if it holds nothing.
    package mutating func subscribe(_ reader: Reader, _ resume: Resume?) -> ListDelivery<Row> {
        list.subscribe(reader, resume)
    }

    package mutating func unsubscribe(_ reader: Reader) {
        list.unsubscribe(reader)
    }

    /// The reader fell off the outgoing log, and holds this revision.
    ///
    /// - Returns: `nil` for an old report: a reader that has received a later revision fell off before that.
    package mutating func fellBehind(_ reader: Reader, at revision: Revision) -> ListDelivery<Row>? {
        list.fellBehind(reader, at: revision)
    }
}
