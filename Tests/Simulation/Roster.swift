import ChatRoom
import ChatWire

/// The people of one room, as plainly as they can be kept: who is a member or invited, and was when.
///
/// All are known by the bytes of their names, whatever else these are equal to.
struct Roster {
    struct Person {
        /// 0 for somebody who is only invited.
        let joined: Revision
        let time: Milliseconds
        let inviter: UserName?
        var read: Revision
        var settings = RoomSettings()

        var kind: MembershipKind { joined == 0 ? .invited : .member }
    }

    /// Since when somebody is a member, invited, or neither.
    private struct Turn {
        let revision: Revision
        let kind: MembershipKind?
    }

    private var people: [[UInt8]: Person] = [:]
    private var standings: [[UInt8]: Standing] = [:]
    private var turns: [[UInt8]: [Turn]] = [:]
    /// Every read mark that people had.
    private var marks: [[UInt8]: Set<Revision>] = [:]
    /// The revisions at which members last marked the room as unread.
    private var lastMarked: [[UInt8]: Revision] = [:]

    /// The person, if they are a member or invited.
    subscript(user: UserName) -> Person? { people[user.bytes] }

    func standing(of user: UserName) -> Standing { standings[user.bytes] ?? Standing() }

    /// In no other room are there as many as would make a difference.
    func membership(of user: UserName) -> Membership {
        guard let person = self[user] else { return .guest(memberships: 0) }
        return person.kind == .invited ? .invited : .member(person.settings)
    }

    // MARK: - Changes

    mutating func apply(_ change: RowChange, of operation: Operation, at revision: Revision) {
        for (user, standing) in change.standings { standings[user.bytes] = standing }
        if let leaver = change.leaver, people.removeValue(forKey: leaver.bytes) != nil {
            turns[leaver.bytes, default: []].append(Turn(revision: revision, kind: nil))
        }
        for (user, kind) in change.comers {
            let joined = kind == .member ? revision : 0
            people[user.bytes] = Person(
                joined: joined, time: operation.time, inviter: operation.inviter(to: kind), read: joined)
            turns[user.bytes, default: []].append(Turn(revision: revision, kind: kind))
            marks[user.bytes, default: []].insert(joined)
        }
        if case .settings(let user, let settings, let unreadFrom) = change {
            set(settings, of: user, unreadFrom: unreadFrom, at: revision)
        }
    }

    private mutating func set(
        _ settings: RoomSettings, of user: UserName, unreadFrom: UInt64?, at revision: Revision
    ) {
        people[user.bytes]?.settings = settings
        if settings.marked == revision { lastMarked[user.bytes] = settings.marked }
        guard let unreadFrom, let person = self[user], person.read >= unreadFrom else { return }
        let read = max(unreadFrom - 1, person.joined)
        people[user.bytes]?.read = read
        marks[user.bytes, default: []].insert(read)
    }

    /// Somebody has read so far: a member's mark only grows, and not while a mark as unread is later. Nobody else has one.
    mutating func mark(_ user: UserName, upTo revision: Revision) {
        let person = self[user]
        let (read, marked) = (person?.read ?? 0, person?.settings.marked ?? 0)
        let isTooEarly = marked > read && revision < marked
        let mark = isTooEarly ? read : max(read, revision)
        if person?.kind == .member { people[user.bytes]?.read = mark }
        // Whoever left through another server is told of it all the same, until the row goes; as is whoever had read
        // further through another one.
        marks[user.bytes, default: []].formUnion([mark, revision])
    }

    // MARK: - The past

    /// `nil` for somebody who was neither a member nor invited then.
    func kind(of user: UserName, at revision: Revision) -> MembershipKind? {
        turns[user.bytes]?.last { $0.revision <= revision }?.kind
    }

    /// The number of times that somebody came, was invited or went.
    func turns(of user: UserName) -> Int { turns[user.bytes]?.count ?? 0 }

    /// True if somebody was a member at a revision or later.
    func wasMember(_ user: UserName, since revision: Revision) -> Bool {
        kind(of: user, at: revision) == .member
            || turns[user.bytes]?.contains { $0.kind == .member && $0.revision >= revision } ?? false
    }

    func marks(of user: UserName) -> Set<Revision> { marks[user.bytes] ?? [] }

    /// True if a person has not marked the room as unread since a revision.
    func isUnmarked(by user: UserName, since revision: Revision) -> Bool { lastMarked[user.bytes] ?? 0 <= revision }
}

extension UserName {
    var bytes: [UInt8] { Array(description.utf8) }
}
