package import ChatWire

/// The stored facts of one person who belongs to a room: a member, or a person who is invited.
package struct RoomMember: Equatable, Sendable {
    package let user: UserName
    package let kind: MembershipKind
    /// The time of the join or invitation.
    package let time: Milliseconds
    /// The person who invited the user, who is only invited; `nil` if unknown.
    package let inviter: UserName?
    /// The read mark.
    package let read: Revision
    /// The role to which the person was appointed in the room.
    package let role: Role

    package init(
        _ user: UserName, _ kind: MembershipKind, at time: Milliseconds, by inviter: UserName? = nil,
        read: Revision = 0, role: Role = .none
    ) {
        self.user = user
        self.kind = kind
        self.time = time
        self.inviter = inviter
        self.read = read
        self.role = role
    }

    /// Returns the member with the role to which they were appointed.
    package func appointed(_ role: Role) -> RoomMember {
        RoomMember(user, kind, at: time, by: inviter, read: read, role: role)
    }
}

/// The numbers of a room's members and of the people who are only invited.
package struct MemberCounts: Equatable, Sendable {
    package var members: Int
    package var invited: Int

    package init(members: Int = 0, invited: Int = 0) { (self.members, self.invited) = (members, invited) }

    package var all: Int { members + invited }

    subscript(kind: MembershipKind) -> Int {
        get {
            switch kind {
            case .member: members
            case .invited: invited
            }
        }
        set {
            switch kind {
            case .member: members = newValue
            case .invited: invited = newValue
            }
        }
    }
}

/// A query for people who belong to a room: some by their names, and the first ones in the order of the names' bytes.
package struct MembersQuery: Equatable, Sendable {
    package let names: [UserName]
    package let first: Int

    package init(names: [UserName], first: Int) { (self.names, self.first) = (names, first) }
}

/// The people who belong to a room, as of one moment.
package struct MembersReading: Equatable, Sendable {
    package let counts: MemberCounts
    /// The requested people who belong to the room, and the first ones of the room.
    package let people: [UserName: RoomMember]

    package init(_ counts: MemberCounts, _ people: [UserName: RoomMember]) {
        self.counts = counts
        self.people = people
    }
}
