/// A person's membership of a room, as far as a join or leave depends on it.
public enum Membership: Equatable, Sendable {
    case member
    /// Not a member, but one of so many other rooms.
    case guest(memberships: Int)
}
