import ChatWire

/// The partial changes by which a row came to its present state, one for each revision, as far as they are known.
struct PatchLog<Row: ListRow>: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        let rev: Revision
        let patch: Row.Patch
    }

    /// From the row's state at any revision from this one on, the entries lead to the present state.
    private var floor: Revision
    private var entries: [Entry] = []
    /// The bytes of the entries.
    private(set) var bytes = 0

    /// The most entries: above it, the older half goes.
    private static var most: Int { 256 }

    init(from floor: Revision) {
        self.floor = floor
    }

    /// - Precondition: it is the change from the state before the revision.
    mutating func append(_ patch: Row.Patch, at rev: Revision) {
        entries.append(Entry(rev: rev, patch: patch))
        bytes += patch.size
        guard entries.count > Self.most else { return }
        let dropped = entries.prefix(Self.most / 2)
        floor = dropped.last?.rev ?? floor
        bytes -= dropped.reduce(0) { $0 + $1.patch.size }
        entries.removeFirst(Self.most / 2)
    }

    /// Returns the change from the state at a revision to the present one; `nil` if it is not known, or there is none.
    ///
    /// - Complexity: O(*n* · names) for *n* entries above `base`.
    func patch(since base: Revision) -> Row.Patch? {
        guard base >= floor else { return nil }
        let later = entries[entries.partitioningIndex { $0.rev > base }...]
        guard var patch = later.first?.patch else { return nil }
        for entry in later.dropFirst() { patch.merge(entry.patch) }
        return patch
    }
}
