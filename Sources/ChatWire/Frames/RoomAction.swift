/// An action of a person in a room.
public enum RoomAction: Equatable, Sendable {
    case send(text: String, replyTo: MessageID?)
    case edit(MessageID, text: String)
    case delete(MessageID)
    case react(MessageID, emoji: String, ClientFrame.Switch)
    case moderate(Moderation)
    /// The author becomes a member of the room.
    case join
    case leave
}

extension RoomAction {
    /// True for a join or leave.
    ///
    /// Such an action is its own repeat: who is a member stays one. It needs no id of its client, and takes no revision
    /// where it changes nothing.
    public var isOfMembership: Bool {
        switch self {
        case .join, .leave: true
        case .send, .edit, .delete, .react, .moderate: false
        }
    }
}
