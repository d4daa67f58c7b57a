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
    /// The people whose memberships the operation depends on or changes, in a room of some kind.
    package func members(in kind: RoomName.Kind) -> [UserName] {
        switch action {
        case .join, .leave, .settings: [author]
        case .create(let new): [author] + new.people
        case .moderate(.ban(let user)): [user]
        case .moderate(.appoint(let user, _)), .moderate(.invite(let user)), .moderate(.unban(let user)):
            kind == .open ? [] : [user]
        case .moderate, .send, .edit, .delete, .react: []
        }
    }

    /// The person who invites those who get such a membership by the operation; `nil` if they are not only invited.
    package func inviter(to kind: MembershipKind) -> UserName? {
        switch kind {
        case .invited: author
        case .member: nil
        }
    }

    /// Returns the people of ``members(in:)`` who may become a member or be invited.
    package func newcomers(in kind: RoomName.Kind) -> [UserName] {
        switch action {
        case .leave, .settings, .moderate(.ban): []
        case .join, .create, .moderate, .send, .edit, .delete, .react: members(in: kind)
        }
    }
}
