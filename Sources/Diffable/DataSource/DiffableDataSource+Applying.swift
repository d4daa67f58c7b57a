extension DiffableDataSource {
    /// Brings the view to show `snapshot`, and refreshes what is marked in it.
    ///
    /// - `completion`: called once, when there is nothing more to see of the change.
    /// - Complexity: that of ``Snapshot/difference(from:)``.
    @inlinable
    public func apply(
        _ snapshot: Snapshot<Section, Item>, animatingDifferences: Bool = true, completion: (() -> Void)? = nil
    ) {
        let style: Operation.Style = animatingDifferences ? .animated : .immediate
        if isApplying {
            waiting.append(Operation(style: style, change: { $0.show(snapshot) }, completion: completion))
        } else {
            alone {
                if list.shown.outlines.isEmpty {
                    show(Shown(snapshot), style, completion)
                } else {
                    perform(style, { $0.show(snapshot) }, completion)
                }
            }
        }
    }

    /// Brings the view to show `snapshot` and returns when there is nothing more to see of the change.
    @inlinable
    public func apply(
        _ snapshot: Snapshot<Section, Item>, animatingDifferences: Bool = true,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        await withCheckedContinuation { continuation in
            apply(snapshot, animatingDifferences: animatingDifferences) { continuation.resume() }
        }
    }

    /// Brings the view to show `snapshot` by reading everything anew: no difference is looked for, animations end.
    @inlinable
    public func applyUsingReloadData(_ snapshot: Snapshot<Section, Item>, completion: (() -> Void)? = nil) {
        enqueue(Operation(style: .reload, change: { $0.show(snapshot) }, completion: completion))
    }

    /// Brings the view to show `snapshot` by reading everything anew, and returns when it does.
    @inlinable
    public func applyUsingReloadData(
        _ snapshot: Snapshot<Section, Item>, isolation: isolated (any Actor)? = #isolation
    ) async {
        await withCheckedContinuation { continuation in
            applyUsingReloadData(snapshot) { continuation.resume() }
        }
    }

    /// ``applyUsingReloadData(_:completion:)`` under the name that Apple's type has for it.
    @inlinable
    public func applySnapshotUsingReloadData(_ snapshot: Snapshot<Section, Item>, completion: (() -> Void)? = nil) {
        applyUsingReloadData(snapshot, completion: completion)
    }

    /// Changes what is shown by the time its turn has come, which may differ from ``snapshot()`` now if an apply is under
    /// way: two updates in a row never undo each other.
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
