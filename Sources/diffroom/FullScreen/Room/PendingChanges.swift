import ChatWire

/// The user's edits, deletions, reactions and pins that the server has not answered.
struct PendingChanges: Equatable {
    private var edited: [CommandID: MessageID] = [:]
    /// The texts of the edits.
    private var edits: [CommandID: String] = [:]
    private var deleted: [CommandID: MessageID] = [:]

    /// The messages that an edit, a reaction or a pin is about.
    var changing: Set<MessageID> { Set(edited.values) }
    /// The messages that are to be deleted.
    var leaving: Set<MessageID> { Set(deleted.values) }

    var texts: [String] { edits.values.sorted() }

    mutating func add(_ change: Controls.Action.Command, as command: CommandID) {
        switch change {
        case .edit(let id, let text): (edited[command], edits[command]) = (id, text)
        case .stop(let id), .react(let id, _), .moderate(.pin(let id, _)), .moderate(.unpin(let id)):
            edited[command] = id
        case .delete(let id): deleted[command] = id
        case .send, .moderate: break
        }
    }

    mutating func remove(_ command: CommandID) {
        edited[command] = nil
        edits[command] = nil
        deleted[command] = nil
    }
}
