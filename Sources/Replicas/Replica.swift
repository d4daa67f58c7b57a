public import ChatWire
import JSON

/// A reader's copy of one list as of one revision: its end, and other parts that the reader has asked for.
///
/// Every frame is applied as a whole or not at all. The result is checked against the server's proof.
///
/// - Shape: ``rows`` strictly ascending by (section, sort), ids unique.
/// - Errors: ``ReplicaError``; the replica is then unchanged.
/// - Complexity: finding a row by id is O(log *n*). A diff that only inserts at the end costs O(inserted), amortised.
///   Another diff costs O(changes · log *n*) and moves the rows after the first changed place.
public struct Replica<Row: ListRow>: Sendable {
    public internal(set) var epoch: Epoch
    public internal(set) var revision: Revision
    /// The revision at which the reader first joined, for ``Resume``.
    public let joined: Revision
    public internal(set) var rows: [Row]
    /// The parts of the list that the replica holds. ``rows`` has all rows of each part.
    public internal(set) var held: HeldRanges
    /// The number of rows in the whole list.
    public internal(set) var count: Int
    /// The number of rows in each section, including those that the list leaves out; `nil` for a list that leaves none
    /// out.
    public internal(set) var counts: [Row.Section: Int]?

    /// The databases whose rows the list lacks, by their numbers from 1. Empty for a whole list.
    public internal(set) var missing: [Int]

    var places: [Row.ID: RowPlace<Row.Section>] = [:]
    /// The digest of the last `min(32, rows.count)` rows.
    var tail: ListDigest
    /// The revision of the newest merged page. Its rows may be ahead of ``revision``.
    var newestPage: Revision = 0

    /// - Throws: ``ReplicaError/malformed(_:)`` and ``ReplicaError/diverged(expected:found:)``.
    /// - Complexity: O(rows).
    @specialized(where Row == Message)
    public init(epoch: Epoch, joined: Revision, _ snapshot: ListSnapshot<Row>) throws(ReplicaError) {
        self.epoch = epoch
        self.joined = joined
        revision = snapshot.revision
        rows = snapshot.rows
        count = snapshot.proof.count
        counts = snapshot.counts
        missing = snapshot.missing
        tail = ListDigest(snapshot.rows.suffix(ListDigest.window))
        held = HeldRanges(from: snapshot.more ? snapshot.rows.first?.sort ?? .max : 0)
        if let disorder = rows.firstDisorder { throw .malformed(disorder) }
        if snapshot.more, rows.isEmpty { throw .malformed("the snapshot has no rows, and the list has") }
        places.reserveCapacity(rows.count)
        for row in rows {
            guard places.updateValue(row.place, forKey: row.id) == nil else {
                throw .malformed("row \(row.id) stands twice in a snapshot")
            }
        }
        try check(snapshot.proof, rows: rows.count, ending: rows.count, in: held, tail: tail)
    }

    public subscript(id: Row.ID) -> Row? {
        @specialized(where Row == Message)
        get { index(of: id).map { rows[$0] } }
    }

    /// Returns the index of a row in ``rows``.
    ///
    /// - Complexity: O(log *n*).
    public func index(of id: Row.ID) -> Int? {
        places[id].map { rows.firstIndex(notBefore: $0) }
    }

    /// True when the list has rows before these.
    public var more: Bool { held.first > 0 }

    /// The value with which a returning reader goes on from here.
    ///
    /// - Parameter sort: the sort key of the row that the user looks at.
    public func resume(at sort: UInt64? = nil) -> Resume {
        // An absence may have left one range too many. The answer removes the ranges that are not named.
        var ranges = held.ranges.map { $0.clamped(to: 0...revision) }
        while ranges.count > Resume.mostRanges {
            let isSeen = sort.map { ranges[0].contains($0) } ?? false
            ranges.remove(at: isSeen ? 1 : 0)
        }
        var resume = Resume(epoch: epoch, revision: revision, joined: joined, ranges: ranges, at: sort)
        if !rows.isEmpty { resume.hold(rows) }
        return resume
    }

    /// The `before` of the page that precedes these rows; `nil` if there are no earlier rows.
    public var earliest: UInt64? {
        more ? min(held.first, JSONValue.integerLimit - 1) : nil
    }

    /// Checks the rows that a frame would leave against the server's proof.
    ///
    /// A reader that holds fewer rows of the end than the digest covers, after deletions, cannot compare the digest and
    /// skips it.
    ///
    /// - Parameters:
    ///   - count: the number of rows in all ranges.
    ///   - ending: the number of rows in the last one.
    func check(
        _ proof: ListProof, rows count: Int, ending: Int, in held: HeldRanges, tail: ListDigest
    ) throws(ReplicaError) {
        let isPart = held.hasGaps || held.first > 0
        let rightCount = isPart ? count <= proof.count : count == proof.count
        let covered = ending >= min(ListDigest.window, proof.count)
        guard rightCount, !covered || tail.value == proof.digest else {
            throw .diverged(expected: proof, found: ListProof(count: count, digest: tail.value))
        }
    }
}

extension Replica {
    /// - Throws: ``ReplicaError/malformed(_:)`` and ``ReplicaError/diverged(expected:found:)``.
    public init(_ snapshot: ServerFrame.Snapshot<Row>) throws(ReplicaError) {
        try self.init(epoch: snapshot.epoch, joined: snapshot.joined, snapshot.snapshot)
    }
}
