import ChatWire

/// The readers of one list that lives in memory.
struct ListFollowers: Sendable {
    /// One reader.
    private struct Follower: Sendable {
        let joined: Revision
        /// The revision of the last delivery to the reader.
        let since: Revision
    }

    private let epoch: Epoch
    private var followers: [Reader: Follower] = [:]

    init(of epoch: Epoch) {
        self.epoch = epoch
    }

    var isEmpty: Bool { followers.isEmpty }

    var readers: [Reader] { followers.keys.sorted() }

    /// - Parameter resume: the reader's position; `nil` if it holds nothing.
    mutating func subscribe<Row: WireRow>(
        _ reader: Reader, _ resume: Resume?, to rows: VersionedList<Row>
    ) -> ListDelivery<Row> {
        let delivery = ListDelivery(to: resume, of: rows, epoch)
        followers[reader] = Follower(joined: delivery.joined, since: delivery.revision)
        return delivery
    }

    mutating func unsubscribe(_ reader: Reader) {
        followers[reader] = nil
    }

    /// The reader fell off the outgoing log, and holds this revision.
    ///
    /// - Returns: `nil` for an old report: a reader that has received a later revision fell off before that.
    mutating func fellBehind<Row: WireRow>(
        _ reader: Reader, at revision: Revision, in rows: VersionedList<Row>
    ) -> ListDelivery<Row>? {
        guard let follower = followers[reader], revision >= follower.since else { return nil }
        return subscribe(reader, Resume(epoch: epoch, revision: revision, joined: follower.joined), to: rows)
    }
}
