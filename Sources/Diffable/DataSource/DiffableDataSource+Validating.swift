extension Snapshot {
    /// Changes the snapshot by a closure that may throw. After an error the snapshot is unchanged, and the error has
    /// the type that the closure declares.
    ///
    /// ```swift
    /// try snapshot.update { list throws(SnapshotError<ChatSection, Message.ID>) in
    ///     try list.appendSections(validating: sections)
    ///     try list.appendItems(validating: items)
    /// }
    /// ```
    ///
    /// - Complexity: that of the changes; rows that do not change are shared meanwhile.
    @discardableResult
    public mutating func update<Result, Failure: Error>(
        _ change: (inout Snapshot) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var copy = self
        let result = try change(&copy)
        self = copy
        return result
    }
}

extension DiffableDataSource {
    /// Changes the snapshot that is shown when the update's turn comes, by a closure that may throw. Returns when the
    /// change is no longer animating. After an error the list is unchanged, and the error has the type that the closure
    /// declares.
    ///
    /// ```swift
    /// try await source.updateThrowing { list throws(SnapshotError<ChatSection, Message.ID>) in
    ///     try list.insertItems(validating: received, afterItem: anchor)
    /// }
    /// ```
    public func updateThrowing<Failure: Error>(
        animatingDifferences: Bool = true, isolation: isolated (any Actor)? = #isolation,
        _ change: @escaping (inout Snapshot<Section, Item>) throws(Failure) -> Void
    ) async throws(Failure) {
        var failure: Failure?
        await withCheckedContinuation { continuation in
            update(animatingDifferences: animatingDifferences, completion: { continuation.resume() }) { list in
                do throws(Failure) { try list.update(change) } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }
}
