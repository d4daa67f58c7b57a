/// An action of a person in a room.
public enum RoomAction: Equatable, Sendable {
    case send(text: String, replyTo: MessageID?, mentions: Mentioned = [])
    case edit(MessageID, text: String, mentions: Mentioned = [])
    case delete(MessageID)
    case react(MessageID, emoji: String, ClientFrame.Switch)
    case moderate(Moderation)
    /// The author becomes a member of the room.
    case join
    case leave
    /// The author creates the room for some people. Of a private or direct room it is the first action.
    case create(NewRoom)
}

extension RoomAction {
    /// True for an action that needs no revision where it changes nothing: who is a member stays one, and a direct room
    /// that is there already is there.
    package var isItsOwnRepeat: Bool {
        switch self {
        case .join, .leave, .create: true
        case .send, .edit, .delete, .react, .moderate: false
        }
    }

    /// True for a join or leave.
    ///
    /// Such an action is its own repeat: who is a member stays one. It needs no id of its client, and takes no revision
    /// where it changes nothing.
    public var isOfMembership: Bool {
        switch self {
        case .join, .leave: true
        case .send, .edit, .delete, .react, .moderate, .create: false
        }
    }
}
