/// What a client is told of what its user may do in a room. The defaults are what it takes for granted.
public struct RoomStanding: Equatable, Sendable {
    public var role: Role
    /// No writing before this time; 0 or a time that has passed says nothing.
    public var mutedUntil: Milliseconds
    /// The least time between two messages of one user, unless they moderate; 0 for none.
    public var slowMode: Milliseconds
    /// Only moderators write.
    public var isReadOnly: Bool

    public init(
        role: Role = .write, mutedUntil: Milliseconds = 0, slowMode: Milliseconds = 0, isReadOnly: Bool = false
    ) {
        self.role = role
        self.mutedUntil = mutedUntil
        self.slowMode = slowMode
        self.isReadOnly = isReadOnly
    }
}
