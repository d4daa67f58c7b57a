import ChatClient
import ChatWire
import Dispatch
import TerminalUI

/// The drafts that the user has on all devices.
extension FullScreen {
    /// The time without a key after which a line is stored.
    private static let draftPause = DispatchTimeInterval.seconds(1)

    func draftsChanged(_ change: DraftsChange) {
        drafts = change.view
        for room in rooms.all { loadDraft(of: room) }
        setNeedsDrawing()
    }

    /// Brings another device's draft into a room's line, unless the user has written there since.
    func loadDraft(of room: RoomScreen) {
        guard let drafts, room.controls.mode == .writing || room.controls.draft.isEmpty else { return }
        let line = room.controls.draft.text
        if let text = draftSync.apply(drafts[room.name]?.text ?? "", in: room.name, line: line) {
            room.controls.draft.set(text)
        } else if line != drafts[room.name]?.text ?? "" {
            storeDraftLater()
        }
    }

    /// Stores the line of a room after a pause, or now if it was sent or emptied.
    func draftChanged(in room: RoomScreen) {
        if room.controls.draft.isEmpty { storeDraft(of: room) } else { storeDraftLater() }
    }

    private func storeDraftLater() {
        draftsWritten += 1
        let number = draftsWritten
        queue.asyncAfter(deadline: .now() + Self.draftPause) { [weak self] in
            if self?.draftsWritten == number { self?.storeDrafts() }
        }
    }

    /// The drafts in rooms that are not on the screen.
    var draftsElsewhere: [RoomName: String] {
        let others = drafts?.drafts.filter { draft in !rooms.visible.contains { $0.name == draft.id } } ?? []
        return Dictionary(others.map { ($0.id, $0.light.content.text) }) { first, _ in first }
    }

    func storeDrafts() {
        for room in rooms.all { storeDraft(of: room) }
    }

    private func storeDraft(of room: RoomScreen) {
        guard hasPlace, let text = draftSync.changed(room.controls.draft.text, in: room.name) else { return }
        client.keep(text.isEmpty ? nil : MessageContent(text, replyTo: room.controls.mode.answered), in: room.name)
    }
}

extension Controls.Mode {
    /// The message that is being answered.
    fileprivate var answered: MessageID? {
        if case .replying(let id) = self { id } else { nil }
    }
}
