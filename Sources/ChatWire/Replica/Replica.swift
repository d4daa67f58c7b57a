/// What a reader holds of one list: the end of it, without a gap, as of one revision.
///
/// A frame is applied whole or not at all, whatever it says, and what it leaves is checked against the server's proof.
///
/// - Shape: ``rows`` strictly ascending by (section, sort), ids unique.
/// - Errors: ``ReplicaError``; the replica is as it was then.
/// - Complexity: finding a row by id is O(log *n*). A diff that only inserts at the end costs O(inserted), amortised;
///   another one costs O(changes · log *n*) and moves the rows that stand after the first change of place.
public struct Replica<Row: ListRow>: Sendable {
    public let epoch: Epoch
    public internal(set) var revision: Revision
    /// The revision at which the reader first joined, for ``Resume``.
    public let joined: Revision
    public internal(set) var rows: [Row]
    /// Whether the list has rows before these.
    public internal(set) var more: Bool
    /// How many rows the whole list has.
    public internal(set) var count: Int
    /// How many there are in each section, those that the list leaves out too; `nil` for a list that leaves none out.
    public internal(set) var counts: [Row.Section: Int]?

    var places: [Row.ID: RowPlace<Row.Section>] = [:]
    /// Of the last `min(32, rows.count)` rows.
    var tail: ListDigest
    /// The revision of the newest page that was merged: rows of it may be ahead of ``revision``.
    var newestPage: Revision = 0
    /// Every row of the list with this sort key or a larger one is held.
    var floor: UInt64

    /// - Throws: ``ReplicaError/malformed(_:)`` and ``ReplicaError/diverged(expected:found:)``.
    /// - Complexity: O(rows).
    @specialized(where Row == Message)
    public init(epoch: Epoch, joined: Revision, _ snapshot: ListSnapshot<Row>) throws(ReplicaError) {
        self.epoch = epoch
        self.joined = joined
        revision = snapshot.revision
        rows = snapshot.rows
        more = snapshot.more
        count = snapshot.proof.count
        counts = snapshot.counts
        tail = ListDigest(snapshot.rows.suffix(ListDigest.window))
        floor = snapshot.more ? snapshot.rows.first?.sort ?? .max : 0
        if let disorder = rows.firstDisorder { throw .malformed(disorder) }
        places.reserveCapacity(rows.count)
        for row in rows {
            guard places.updateValue(row.place, forKey: row.id) == nil else {
                throw .malformed("row \(row.id) stands twice in a snapshot")
            }
        }
        try check(snapshot.proof, rows: rows.count, tail: tail)
    }

    public subscript(id: Row.ID) -> Row? {
        @specialized(where Row == Message)
        get { index(of: id).map { rows[$0] } }
    }

    /// Where a row stands in ``rows``.
    ///
    /// - Complexity: O(log *n*).
    public func index(of id: Row.ID) -> Int? {
        places[id].map { rows.firstIndex(notBefore: $0) }
    }

    /// What to say on the way back, to go on from here.
    public var resume: Resume {
        Resume(epoch: epoch, revision: revision, joined: joined)
    }

    /// The `before` of the page that goes in front of these rows; `nil` when nothing does.
    public var earliest: UInt64? {
        more ? min(floor, JSONValue.integerLimit - 1) : nil
    }

    /// Holds what would be against what the server says there is.
    ///
    /// A reader whose rows were deleted down to fewer than the digest covers can not tell, and does not.
    func check(_ proof: ListProof, rows held: Int, tail: ListDigest) throws(ReplicaError) {
        let rightCount = more ? held <= proof.count : held == proof.count
        let covered = held >= min(ListDigest.window, proof.count)
        guard rightCount, !covered || tail.value == proof.digest else {
            throw .diverged(expected: proof, found: ListProof(count: held, digest: tail.value))
        }
    }
}

extension Replica {
    /// - Throws: ``ReplicaError/malformed(_:)`` and ``ReplicaError/diverged(expected:found:)``.
    public init(_ snapshot: ServerFrame.Snapshot<Row>) throws(ReplicaError) {
        try self.init(epoch: snapshot.epoch, joined: snapshot.joined, snapshot.snapshot)
    }
}
