/// A list, and the changes that led to it.
public struct SnapshotChange<Section: Hashable, Item: Hashable> {
    /// The list after the changes.
    public let snapshot: Snapshot<Section, Item>
    /// The changes from the list before.
    public let changes: ChangeSet
}

extension SnapshotChange: Sendable where Section: Sendable, Item: Sendable {}

extension AsyncSequence {
    /// Returns each snapshot of a sequence with the changes from the one before. Snapshots that change nothing are left
    /// out.
    ///
    /// ```swift
    /// for await change in snapshots.differences() {
    ///     change.changes.apply(to: &lines) { path in line(for: change.snapshot.itemIdentifier(at: path)!) }
    /// }
    /// ```
    ///
    /// - `first`: the list before the first snapshot.
    public func differences<Section: Hashable, Item: Hashable>(
        from first: Snapshot<Section, Item> = Snapshot()
    ) -> AsyncDifferences<Self, Section, Item> where Element == Snapshot<Section, Item> {
        AsyncDifferences(base: self, first: first)
    }
}

/// The changes between the snapshots of a sequence. See `differences(from:)`.
public struct AsyncDifferences<Base: AsyncSequence, Section: Hashable, Item: Hashable>: AsyncSequence
where Base.Element == Snapshot<Section, Item> {
    /// A list, and the changes that led to it.
    public typealias Element = SnapshotChange<Section, Item>
    /// The error of the snapshots.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public typealias Failure = Base.Failure

    let base: Base
    let first: Snapshot<Section, Item>

    /// Makes changes one by one, as they are asked for.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The error of the snapshots.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public typealias Failure = Base.Failure

        var base: Base.AsyncIterator
        var last: Snapshot<Section, Item>

        /// Returns the next list that differs from the last one, or nil after the end.
        public mutating func next() async rethrows -> Element? {
            while let snapshot = try await base.next() {
                if let change = change(to: snapshot) { return change }
            }
            return nil
        }

        /// Returns the next list that differs from the last one, or nil after the end.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Element? {
            while let snapshot = try await base.next(isolation: actor) {
                if let change = change(to: snapshot) { return change }
            }
            return nil
        }

        private mutating func change(to snapshot: Snapshot<Section, Item>) -> Element? {
            let changes = snapshot.difference(from: last)
            last = snapshot
            return changes.isEmpty ? nil : SnapshotChange(snapshot: snapshot, changes: changes)
        }
    }

    /// Returns an iterator, which begins with the first list.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), last: first)
    }
}

extension AsyncDifferences: Sendable where Base: Sendable, Section: Sendable, Item: Sendable {}
