/// A moderator's action on a room or on a person in it.
public enum Moderation: Equatable, Sendable {
    /// The user cannot send, edit or react for that long.
    case mute(UserName, for: Milliseconds)
    case unmute(UserName)
    /// The user's subscriptions end now. The user may come back at once.
    case kick(UserName)
    /// The user's subscriptions end now, and the room is closed to the user.
    case ban(UserName)
    case unban(UserName)
    /// The least time between two messages of one user; 0 ends slow mode.
    case slowMode(Milliseconds)
    /// Only moderators send, edit and react.
    case readOnly(ClientFrame.Switch)
    /// Gives the user a role in this room, whatever a token says; `none` takes it back. In a private room it also
    /// invites the user, or ends the membership.
    case appoint(UserName, Role)
    /// Invites the user to a private room: appoints them to `write` there, unless they have that role or a higher one.
    case invite(UserName)
    /// Gives the room a title; `nil` takes it away.
    case title(RoomTitle?)
    /// Sets the topic of the room; `nil` removes it.
    case topic(RoomTopic?)
    /// Gives the room a picture; `nil` takes it away.
    case picture(Picture?)
    /// Pins a message, or moves it among the pinned ones.
    case pin(MessageID, PinPlace)
    case unpin(MessageID)

    /// The user that the action concerns; `nil` for the whole room.
    public var user: UserName? {
        switch self {
        case .mute(let user, _), .unmute(let user), .kick(let user), .ban(let user), .unban(let user),
            .appoint(let user, _), .invite(let user):
            user
        case .slowMode, .readOnly, .title, .topic, .picture, .pin, .unpin: nil
        }
    }

    /// The message that must exist for the action; `nil` for none.
    package var pinned: MessageID? {
        if case .pin(let id, _) = self { id } else { nil }
    }

    /// The longest mute: 366 days.
    public static let longestMute: Milliseconds = 366 * 86_400_000
    /// The longest interval of slow mode: six hours.
    public static let slowestMode: Milliseconds = 6 * 3_600_000
}
