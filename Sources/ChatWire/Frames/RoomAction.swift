/// An action of a person in a room.
public enum RoomAction: Equatable, Sendable {
    case send(MessageContent)
    case edit(MessageID, ContentEdit)
    case grow(MessageID, GrowthStep)
    case delete(MessageID)
    case react(MessageID, emoji: String, ClientFrame.Switch)
    /// The server's own: the message has these replies, as its thread has them when this is committed. `nil` for none, and
    /// before that moment.
    case summarize(MessageID, ThreadSummary?)
    case moderate(Moderation)
    /// The author becomes a member of the room.
    case join
    case leave
    /// The author, a member, changes their own settings of the room. Other users do not see them.
    case settings(SettingsChange)
    /// The author creates the room. Of a private or direct room it is the first action.
    case create(NewRoom)
}

extension RoomAction {
    /// True for an action that takes no revision where it changes nothing: the creation of a direct room that exists, and
    /// a summary that is right already.
    ///
    /// The room is there for a repeat as well, whatever is done in it afterwards. Each other command takes a revision
    /// and is remembered, so that a repeat after a lost answer gets that answer.
    package var isItsOwnRepeat: Bool {
        switch self {
        case .create, .summarize: true
        case .send, .edit, .grow, .delete, .react, .moderate, .join, .leave, .settings: false
        }
    }

    /// False for an action of which webhooks do not tell: a member's own settings, and the server's summaries.
    package var isForWebhooks: Bool {
        switch self {
        case .settings, .summarize: false
        case .send, .edit, .grow, .delete, .react, .moderate, .join, .leave, .create: true
        }
    }

    /// True for a join, a leave or a change of settings.
    ///
    /// Such an action states the result, so of two in a row the last one counts.
    public var isOfMembership: Bool {
        switch self {
        case .join, .leave, .settings: true
        case .send, .edit, .grow, .delete, .react, .summarize, .moderate, .create: false
        }
    }
}
