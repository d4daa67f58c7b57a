extension DiffableDataSource where Section: Sendable, Item: Sendable {
    /// Returns the list that the view shows, now and after each apply and each dragged row.
    ///
    /// ```swift
    /// for await change in source.snapshots().differences() { log(change) }
    /// ```
    ///
    /// A reader that is slower than the changes gets the newest list, and by
    /// `differences(from:)` the net changes from the last one that it got. The sequence ends
    /// with the data source.
    public func snapshots() -> AsyncStream<Snapshot<Section, Item>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Snapshot<Section, Item>.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(snapshot())
        if watchers == nil { watchers = SnapshotWatchers() }
        watchers?.add(
            notify: { if case .terminated = continuation.yield($0) { false } else { true } },
            end: { continuation.finish() })
        return stream
    }
}

/// The readers of a data source's lists.
@usableFromInline
final class SnapshotWatchers<Section: Hashable, Item: Hashable> {
    private struct Watcher {
        /// Returns false if its reader is gone.
        var notify: (Snapshot<Section, Item>) -> Bool
        var end: () -> Void
    }

    private var watchers: [Watcher] = []

    func add(notify: @escaping (Snapshot<Section, Item>) -> Bool, end: @escaping () -> Void) {
        watchers.append(Watcher(notify: notify, end: end))
    }

    @usableFromInline
    func notify(_ snapshot: Snapshot<Section, Item>) {
        watchers.removeAll { !$0.notify(snapshot) }
    }

    deinit {
        for watcher in watchers { watcher.end() }
    }
}
