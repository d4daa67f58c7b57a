import ChatClient
import ChatWire

extension Command {
    /// Returns why the command was refused, in words for the person who gave it.
    func refusal(_ error: WireError, _ labels: RoomLabels) -> String {
        guard let room else { return error.message }
        switch (action, room.kind, error.code) {
        case (.moderate(.invite), .private, .forbidden), (.moderate(.appoint), .private, .forbidden):
            return "only the owner may invite to \(labels[room].phrase)"
        case (.moderate(.title), .private, .forbidden):
            return "only the owner, or a moderator, gives \(labels[room].phrase) a title"
        case (.moderate(.topic), .private, .forbidden), (.moderate(.picture), .private, .forbidden):
            return "only the owner, or a moderator, changes the topic and the picture of \(labels[room].phrase)"
        case (.moderate, .direct, .forbidden): return "\(labels[room].phrase) has no moderators and no title"
        case (.leave, .direct, _): return "a direct room cannot be left: messages to you there would be lost"
        default: return labels[room].renamed(in: error.message)
        }
    }

    /// Returns the open room that the command would have made, if the error says that it is there already.
    func roomFound(_ error: WireError) -> RoomName? {
        guard case .create(.open(let room, _)) = action, error.code == .conflict else { return nil }
        return room
    }
}

extension Moderation {
    /// Returns the confirmation of an invitation to a private room, or of a removal from it; `nil` for every other
    /// change, because the room shows it.
    func confirmation(in room: RoomLabel, _ kind: RoomName.Kind) -> String? {
        switch self {
        case .invite(let user): return "\(user) is invited to \(room.phrase)"
        case .appoint(let user, .none): return kind == .private ? "\(user) is no longer in \(room.phrase)" : nil
        case .appoint(let user, let role):
            return kind == .private ? "\(user) has the role \(role) in \(room.phrase)" : nil
        case .mute, .unmute, .kick, .ban, .unban, .slowMode, .readOnly, .title, .topic, .picture, .pin, .unpin:
            return nil
        }
    }
}

extension RoomName {
    /// The reason why a room of this kind has no invitations; `nil` for one that has them.
    var faultOfInviting: String? {
        switch kind {
        case .private: nil
        case .open: "\(RoomLabel(self).phrase) needs no invitation: /create makes a private room"
        case .direct: "a direct room is for its people only: /create makes a private room"
        }
    }
}
