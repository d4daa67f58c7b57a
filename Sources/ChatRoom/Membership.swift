/// What a person is to a room, as far as joining and leaving depend on it.
public enum Membership: Equatable, Sendable {
    case member
    /// Not a member, but one of so many other rooms.
    case guest(memberships: Int)
}
