package import ChatWire

/// A person's membership of a room, as far as an operation depends on it.
public enum Membership: Equatable, Sendable {
    case member(RoomSettings)
    /// Invited, and neither accepted nor declined.
    case invited
    /// Neither, but a member of so many other rooms, or invited to them.
    case guest(memberships: Int)
}

/// The two kinds of membership.
public enum MembershipKind: Sendable {
    /// The person is invited, and has neither accepted nor declined.
    case invited
    case member
}

extension Operation {
    /// The person who invites those who get such a membership by the operation; `nil` if they are not only invited.
    package func inviter(to kind: MembershipKind) -> UserName? {
        switch kind {
        case .invited: author
        case .member: nil
        }
    }
}
