import ChatWire

/// The rows of a list that were touched lately, in the order of their last touch. Net diffs are made from them.
///
/// A diff walks the touches back to the reader's revision. Its cost follows the number of changed rows, not the number
/// of changes or rows.
///
/// - Shape: `touched` ascending by revision, with one entry for a row and revision.
/// - Complexity: O(1) amortised for a touch.
struct TouchLog<Row: ListRow>: Equatable, Sendable {
    /// The log knows every touch above this revision.
    private(set) var floor: Revision
    private var touched: ArraySlice<Touch> = []
    private var latest: [Row.ID: RowHistory<Row>] = [:]
    /// The sum of all rows' bytes.
    private(set) var bytes = 0

    /// The number of rows.
    var count: Int { latest.count }

    private struct Touch: Equatable, Sendable {
        let rev: Revision
        let id: Row.ID
    }

    /// The least number of touches that the log holds before a trim, which leaves half as many.
    private static var kept: Int { 1_024 }

    init(floor: Revision) {
        self.floor = floor
    }

    /// The history of a row that was touched above ``floor``.
    subscript(id: Row.ID) -> RowHistory<Row>? { latest[id] }

    /// - Precondition: no touch is later.
    mutating func touch(_ history: RowHistory<Row>) {
        if keep(history)?.rev != history.rev { touched.append(Touch(rev: history.rev, id: history.id)) }
    }

    /// - Returns: what was known of the row before.
    @discardableResult
    private mutating func keep(_ history: RowHistory<Row>) -> RowHistory<Row>? {
        let former = latest.updateValue(history, forKey: history.id)
        bytes += history.bytes - (former?.bytes ?? 0)
        return former
    }

    /// Merges all touches above `since` from elsewhere, ascending by revision.
    ///
    /// - Complexity: O(*n*) for *n* touches from elsewhere; O(*m* log *m*) for *m* touches in all if `since` is below
    ///   ``floor``.
    mutating func apply(_ histories: some Sequence<RowHistory<Row>>, since: Revision) {
        guard since < floor else { return append(histories) }
        for history in histories { keep(latest[history.id].map(history.merged) ?? history) }
        touched = latest.values.map { Touch(rev: $0.rev, id: $0.id) }.sorted { $0.rev < $1.rev }[...]
        floor = min(floor, since)
    }

    /// Appends the touches that are later than the log's last one. It has all earlier ones above ``floor``.
    private mutating func append(_ histories: some Sequence<RowHistory<Row>>) {
        let last = touched.last?.rev ?? floor
        for history in histories where history.rev > last {
            touch(latest[history.id].map(history.merged) ?? history)
        }
    }

    mutating func forget(upTo revision: Revision) {
        self = TouchLog(floor: revision)
    }

    /// Drops the oldest touches if there are too many, for a list of so many rows.
    mutating func trim(rows: Int = 0) {
        let kept = max(Self.kept, 2 * rows)
        if touched.count > kept { drop(touched.count - kept / 2) }
    }

    /// Drops the oldest touches until the rows of the others have at most so many bytes. Those above a revision stay.
    ///
    /// - Complexity: O(touches), and O(1) if nothing is to be dropped.
    mutating func trim(toBytes limit: Int, since revision: Revision) {
        guard bytes > limit else { return }
        var (count, rest) = (0, bytes)
        for touch in touched {
            guard rest > limit, touch.rev <= revision else { break }
            count += 1
            rest -= current(touch)?.bytes ?? 0
        }
        if count > 0 { drop(count) }
    }

    /// Drops the oldest touches.
    private mutating func drop(_ count: Int) {
        let dropped = touched.prefix(count)
        floor = max(floor, dropped.last?.rev ?? 0)
        for touch in dropped {
            guard let history = current(touch) else { continue }
            latest[touch.id] = nil
            bytes -= history.bytes
        }
        touched = Array(touched.dropFirst(count))[...]
    }

    /// Adds what a reader at `base` lacks of the rows with sort keys from `start` on.
    ///
    /// - Precondition: `base` is not below ``floor``.
    /// - Complexity: O(*d* log *d*) for *d* touches since `base`.
    func add(to diff: inout ListDiff<Row>, since base: Revision, from start: UInt64 = 0) {
        for history in histories(since: base) where history.row.map({ $0.sort >= start }) ?? true {
            diff.add(history, since: base)
        }
        diff.insertions.sort { $0.sort < $1.sort }
    }

    /// The rows that were touched above `base`, in the order of the last touch.
    ///
    /// - Precondition: `base` is not below ``floor``.
    func histories(since base: Revision) -> some Sequence<RowHistory<Row>> {
        touched[touched.partitioningIndex { $0.rev > base }...].lazy.compactMap(current)
    }

    /// Returns the touch's row, unless a later touch has replaced this one.
    private func current(_ touch: Touch) -> RowHistory<Row>? {
        guard let history = latest[touch.id], history.rev == touch.rev else { return nil }
        return history
    }
}
