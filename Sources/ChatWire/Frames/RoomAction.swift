/// What a person does to a room.
public enum RoomAction: Equatable, Sendable {
    case send(text: String, replyTo: MessageID?)
    case edit(MessageID, text: String)
    case delete(MessageID)
    case react(MessageID, emoji: String, ClientFrame.Switch)
    case moderate(Moderation)
}
