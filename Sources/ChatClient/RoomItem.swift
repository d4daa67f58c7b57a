public import ChatWire
public import Diffable
import Replicas

/// A row of a room on a screen.
///
/// ```swift
/// for item in change.snapshot.itemIdentifiers {
///     switch item {
///     case .message(let id): print(change.view[id]?.text ?? "")
///     case .gap: print("… messages that are not loaded …")
///     }
/// }
/// ```
public enum RoomItem: Hashable, Sendable {
    case message(MessageID)
    /// Messages that are not loaded; the number is ``ChatWire/ListGap/id``. Load them when the row comes on the screen,
    /// with ``ChatClient/fill(_:of:from:limit:)``.
    case gap(Int)

    /// The message; `nil` for a gap.
    public var message: MessageID? {
        if case .message(let id) = self { id } else { nil }
    }
}

extension RoomView {
    /// The messages' ids and the gaps, section by section. Both sections are always there.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: Snapshot<Message.Section, RoomItem> {
        var snapshot = Snapshot<Message.Section, RoomItem>()
        snapshot.appendSections(Array(Message.Section.allCases))
        for section in Message.Section.allCases {
            var rows = messages.filter { $0.section == section }[...]
            for gap in gaps where self.section(of: gap) == section {
                let before = rows.prefix { $0.sort < gap.before }
                snapshot.appendItems(before.map { .message($0.id) } + [.gap(gap.id)], toSection: section)
                rows = rows[before.endIndex...]
            }
            snapshot.appendItems(rows.map { .message($0.id) }, toSection: section)
        }
        return snapshot
    }

    /// The section that the last messages of a gap are of.
    private func section(of gap: ListGap) -> Message.Section {
        gap.before > replica.joined + 1 ? .socket : .history
    }
}

extension RoomChange {
    /// ``RoomView/snapshot`` with the changed messages marked for reload and reconfigure.
    ///
    /// - Complexity: O(*n*). ``apply(to:)`` changes the snapshot of the change before instead, in O(changes).
    public var snapshot: Snapshot<Message.Section, RoomItem> {
        var snapshot = view.snapshot
        snapshot.reloadItems(changes.reloaded.map { .message($0) })
        snapshot.reconfigureItems(changes.reconfigured.map { .message($0) })
        return snapshot
    }
}
