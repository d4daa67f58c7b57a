/// What a moderator does to a room, or to somebody in it.
public enum Moderation: Equatable, Sendable {
    /// The user sends, edits and reacts to nothing for that long.
    case mute(UserName, for: Milliseconds)
    case unmute(UserName)
    /// The user's subscriptions end now. Nothing keeps the user from coming back.
    case kick(UserName)
    /// The user's subscriptions end now, and the room is closed to the user.
    case ban(UserName)
    case unban(UserName)
    /// The least time between two messages of one user; 0 ends it.
    case slowMode(Milliseconds)
    /// Nobody but moderators sends, edits and reacts.
    case readOnly(ClientFrame.Switch)
    /// Gives the user a role in this room, whatever a token says; `none` takes it back.
    case appoint(UserName, Role)

    /// Whom it is done to; `nil` for the whole room.
    public var user: UserName? {
        switch self {
        case .mute(let user, _), .unmute(let user), .kick(let user), .ban(let user), .unban(let user),
            .appoint(let user, _):
            user
        case .slowMode, .readOnly: nil
        }
    }

    /// The longest mute: a year, and a day if it is a long one.
    public static let longestMute: Milliseconds = 366 * 86_400_000
    /// The slowest slow mode: six hours.
    public static let slowestMode: Milliseconds = 6 * 3_600_000
}
