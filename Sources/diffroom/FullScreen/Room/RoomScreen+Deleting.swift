import ChatClient
import ChatWire
import Dispatch
import TerminalUI

extension RoomScreen {
    /// The time for which a deletion can be taken back. The server cannot undo one.
    private static let mercy = DispatchTimeInterval.seconds(5)

    /// Deletes a message after a while. An earlier pending deletion is sent at once.
    func delete(_ id: MessageID) {
        deleteNow()
        mark(id)
        showNotice("it will be deleted in 5 s; /undo, or u while choosing, keeps it")
        screen.queue.asyncAfter(deadline: .now() + Self.mercy) { [self] in
            guard deletion == id else { return }
            deleteNow()
            setNeedsDrawing()
        }
    }

    /// Keeps the message whose deletion is pending.
    func undo() {
        guard deletion != nil else { return showNotice("there is nothing to take back") }
        mark(nil)
        showNotice("the message is kept")
    }

    /// Sends the pending deletion.
    func deleteNow() {
        guard let id = deletion else { return }
        mark(nil)
        if view?[id] != nil { send(.delete(id)) }
    }

    private func mark(_ id: MessageID?) {
        deletion = id
        markChanges()
    }

    // MARK: - What waits for an answer

    /// Notes a change of a message that is on its way.
    func noteSent(_ command: CommandID, _ change: Controls.Action.Command) {
        screen.noteSent(command)
        pendingChanges.add(change, as: command)
        markChanges()
    }

    /// Notes the answer to a change.
    func changeAnswered(_ command: CommandID) {
        pendingChanges.remove(command)
        markChanges()
    }

    /// Marks the messages that are to be deleted or wait for a change, and redraws those that differ.
    private func markChanges() {
        let (leaving, changing) = (
            pendingChanges.leaving.union(deletion.map { [$0] } ?? []), pendingChanges.changing
        )
        let changed = leaving.symmetricDifference(look.leaving).union(changing.symmetricDifference(look.changing))
        guard !changed.isEmpty else { return }
        (look.leaving, look.changing) = (leaving, changing)
        list.forgetCells { $0.message.map(changed.contains) ?? false }
        setNeedsDrawing()
    }
}
