package import ChatWire

/// A person's membership of a room, as far as an operation depends on it.
public enum Membership: Equatable, Sendable {
    case member(RoomSettings)
    /// Invited, and neither accepted nor declined.
    case invited(RoomCounts)
    /// Neither, but in so many other rooms.
    case guest(RoomCounts)
}

/// The numbers of rooms in which a person is a member or invited. Each has a limit of its own, so that no user spends
/// what belongs to another.
///
/// A count below its limit may be too high, if it is below the limit still: a store counts a person with few rooms in one.
public struct RoomCounts: Equatable, Sendable {
    /// The rooms that the person has joined or created.
    public var own: Int
    /// The rooms that others gave the person, and that they have not put away: invitations without an answer, and direct
    /// rooms that another user created.
    public var given: Int
    /// All, also the direct rooms that another user created and that the person has archived.
    public var all: Int

    public init(own: Int, given: Int, all: Int) {
        (self.own, self.given, self.all) = (own, given, all)
    }

    /// A person with so few rooms that it makes no difference which they are.
    package init(atMost count: Int) {
        self.init(own: count, given: count, all: count)
    }

    public static let none = RoomCounts(own: 0, given: 0, all: 0)

    /// True if another user may give the person a room. With those that the person has put
    /// away there are at most twice as many.
    func mayBeGiven(_ limits: WireLimits) -> Bool {
        given < limits.memberships && all - own < 2 * limits.memberships
    }
}

/// Against which limit a membership counts.
package enum RoomShare: Sendable {
    case own, given, hidden

    /// - Parameter isOwn: whether the person has joined or created the room.
    package init(isOwn: Bool, isArchived: Bool) {
        self = isOwn ? .own : isArchived ? .hidden : .given
    }
}

extension RoomCounts {
    package static func += (counts: inout RoomCounts, share: RoomShare) { counts.change(share, by: 1) }
    package static func -= (counts: inout RoomCounts, share: RoomShare) { counts.change(share, by: -1) }

    private mutating func change(_ share: RoomShare, by number: Int) {
        all += number
        switch share {
        case .own: own += number
        case .given: given += number
        case .hidden: break
        }
    }
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
