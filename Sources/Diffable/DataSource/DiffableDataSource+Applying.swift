extension DiffableDataSource {
    /// Shows `snapshot`, and refreshes the items that are marked in it.
    ///
    /// - `completion`: called once, when the change is no longer animating.
    /// - Complexity: that of ``Snapshot/difference(from:)``.
    @inlinable
    public func apply(
        _ snapshot: consuming Snapshot<Section, Item>, animatingDifferences: Bool = true,
        completion: (() -> Void)? = nil
    ) {
        let style: Operation.Style = animatingDifferences ? .animated : .immediate
        if isApplying {
            let snapshot = snapshot
            enqueue(Operation(style: style, change: { $0.show(snapshot) }, completion: completion))
        } else if list.held.shown.outlines.isEmpty {
            isApplying = true
            show(Shown(snapshot), style, completion)
            performWaiting()
        } else {
            let snapshot = snapshot
            alone { perform(style, { $0.show(snapshot) }, completion) }
        }
    }

    /// Shows `snapshot`, and returns when the change is no longer animating.
    @inlinable
    public func apply(
        _ snapshot: Snapshot<Section, Item>, animatingDifferences: Bool = true,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        await withCheckedContinuation { continuation in
            apply(snapshot, animatingDifferences: animatingDifferences) { continuation.resume() }
        }
    }

    /// Shows `snapshot` by having the view read everything again. No difference is computed, and animations end.
    @inlinable
    public func applyUsingReloadData(_ snapshot: Snapshot<Section, Item>, completion: (() -> Void)? = nil) {
        enqueue(Operation(style: .reload, change: { $0.show(snapshot) }, completion: completion))
    }

    /// Shows `snapshot` by having the view read everything again, and returns when the view shows it.
    @inlinable
    public func applyUsingReloadData(
        _ snapshot: Snapshot<Section, Item>, isolation: isolated (any Actor)? = #isolation
    ) async {
        await withCheckedContinuation { continuation in
            applyUsingReloadData(snapshot) { continuation.resume() }
        }
    }

    /// The same as ``applyUsingReloadData(_:completion:)``, under the name of Apple's method.
    @inlinable
    public func applySnapshotUsingReloadData(_ snapshot: Snapshot<Section, Item>, completion: (() -> Void)? = nil) {
        applyUsingReloadData(snapshot, completion: completion)
    }

    /// Changes the snapshot that is shown when the update's turn comes. During an apply that may differ from
    /// ``snapshot()`` now. So two updates in a row never undo each other.
    @inlinable
    public func update(
        animatingDifferences: Bool = true, completion: (() -> Void)? = nil,
        _ change: @escaping (inout Snapshot<Section, Item>) -> Void
    ) {
        let style: Operation.Style = animatingDifferences ? .animated : .immediate
        enqueue(
            Operation(
                style: style,
                change: {
                    var snapshot = $0.snapshot
                    change(&snapshot)
                    $0.show(snapshot)
                },
                completion: completion))
    }
}
