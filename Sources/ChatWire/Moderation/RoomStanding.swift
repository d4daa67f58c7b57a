/// The rights of a client's user in a room, and the room's title, topic and picture. A client takes the defaults for granted.
public struct RoomStanding: Equatable, Sendable {
    public var role: Role
    /// The rest of the user's mute when this was sent, which says the same whatever the clocks show; 0 for no mute.
    public var mutedFor: Milliseconds
    /// The least time between two messages of one user who is not a moderator; 0 for none.
    public var slowMode: Milliseconds
    /// Only moderators write.
    public var isReadOnly: Bool
    /// The room's title; `nil` for none.
    public var title: RoomTitle?
    /// The room's topic; `nil` if it has none.
    public var topic: RoomTopic?
    /// The room's picture; `nil` for none.
    public var picture: Picture?

    public init(
        role: Role = .write, mutedFor: Milliseconds = 0, slowMode: Milliseconds = 0, isReadOnly: Bool = false,
        title: RoomTitle? = nil, topic: RoomTopic? = nil, picture: Picture? = nil
    ) {
        self.role = role
        self.mutedFor = mutedFor
        self.slowMode = slowMode
        self.isReadOnly = isReadOnly
        self.title = title
        self.topic = topic
        self.picture = picture
    }
}
