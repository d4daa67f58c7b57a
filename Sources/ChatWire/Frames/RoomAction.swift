/// An action of a person in a room.
public enum RoomAction: Equatable, Sendable {
    case send(text: String, replyTo: MessageID?)
    case edit(MessageID, text: String)
    case delete(MessageID)
    case react(MessageID, emoji: String, ClientFrame.Switch)
    case moderate(Moderation)
}
