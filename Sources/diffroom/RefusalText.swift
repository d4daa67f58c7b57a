import ChatClient
import ChatWire

extension Command {
    /// Returns why the command was refused, in words for the person who gave it.
    func refusal(_ error: WireError, _ labels: RoomLabels) -> String {
        guard let room else { return error.message }
        switch (action, room.kind, error.code) {
        case (.moderate(.appoint), .private, .forbidden): return "only the owner invites to \(labels[room].phrase)"
        case (.moderate(.title), .private, .forbidden):
            return "only the owner, or a moderator, gives \(labels[room].phrase) a title"
        case (.moderate, .direct, .forbidden): return "nobody moderates \(labels[room].phrase), and it has no title"
        case (.leave, .direct, _): return "nobody leaves a direct room: what is written to you there would be lost"
        default: return labels[room].renamed(in: error.message)
        }
    }
}

extension RoomName {
    /// The reason why nobody is invited to a room of this kind; `nil` where somebody can be.
    var faultOfInviting: String? {
        switch kind {
        case .private: nil
        case .open: "nobody needs to be invited to \(RoomLabel(self).phrase): /create makes a private room"
        case .direct: "a direct room is for its people only: /create makes a private room"
        }
    }
}
