public import ChatWire
public import Diffable
import Replicas

extension RoomChange {
    /// Changes the snapshot of the state before into that of this change, and marks the rows to refresh.
    ///
    /// ```swift
    /// client.didChange.sink { change in dataSource.update { change.apply(to: &$0) } }
    /// ```
    ///
    /// For the first change the snapshot may be empty. The result is equal to ``snapshot``, which makes it anew.
    ///
    /// - Complexity: O(changes) when messages change, go, are added at the end, or older ones in front, and copying the
    ///   pages that the snapshot shares; O(room) for any other change.
    public func apply(to snapshot: inout Snapshot<Message.Section, RoomItem>) {
        snapshot.removeMarks()
        let isApplied = isPlain && applyInPlace(to: &snapshot)
        if !isApplied { snapshot = view.snapshot }
        assert(snapshot == view.snapshot, "a change does not lead to the room's revision")
        snapshot.reloadItems(changes.reloaded.map { .message($0) })
        snapshot.reconfigureItems(changes.reconfigured.map { .message($0) })
    }

    /// True when the change continues the state before and moves no row.
    private var isPlain: Bool {
        switch cause {
        case .live, .caughtUp, .page(.older): changes.moved.isEmpty && gaps.isEmpty
        case .subscribed, .snapshot, .page: false
        }
    }

    private func applyInPlace(to snapshot: inout Snapshot<Message.Section, RoomItem>) -> Bool {
        guard snapshot.numberOfSections == Message.Section.allCases.count else { return false }
        let inserted = Set(changes.inserted)
        let (first, last) = (view.messages.prefix(inserted.count), view.messages.suffix(inserted.count))
        if last.allSatisfy({ $0.section == .socket && inserted.contains($0.id) }) {
            snapshot.deleteItems(changes.deleted.map { .message($0) })
            snapshot.appendItems(last.map { .message($0.id) }, toSection: .socket)
            return true
        }
        guard changes.deleted.isEmpty, first.allSatisfy({ $0.section == .history && inserted.contains($0.id) }),
            let next = snapshot.itemIdentifier(at: ItemPath(section: 0, item: 0))
        else { return false }
        snapshot.insertItems(first.map { .message($0.id) }, beforeItem: next)
        return true
    }
}
