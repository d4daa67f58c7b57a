import ChatClient
import ChatWire
import TerminalUI

extension RoomScreen {
    /// The pinned messages as the user has left them; `nil` until the server has sent them.
    var pinned: [Pin]? { (pins?.pins).map { pendingPins.applied(to: $0) } }

    func pinsChanged(_ change: PinsChange) {
        pins = change.view
        screen.followProfiles(change.view.pins.map(\.author))
        markPinned()
    }

    /// Pins a message, or unpins one that is pinned.
    func togglePin(_ id: MessageID) {
        let isPinned = pinned?.contains { $0.id == id } ?? false
        change(isPinned ? .unpin(id) : .pin(id, .last))
    }

    /// Sends a change of the pinned messages, and shows it at once.
    func change(_ change: Moderation) {
        let id = client.moderate(name, change)
        pendingPins.add(change, as: id)
        noteSent(id, .moderate(change))
        markPinned()
    }

    func pinAnswered(_ command: CommandID) {
        pendingPins.remove(command)
        markPinned()
    }

    private func markPinned() {
        let ids = Set((pinned ?? []).map(\.id))
        let changed = ids.symmetricDifference(look.pinned)
        look.pinned = ids
        list.forgetCells { $0.message.map(changed.contains) ?? false }
        setNeedsDrawing()
    }
}
