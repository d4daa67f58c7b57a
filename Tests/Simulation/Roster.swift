import ChatRoom
import ChatWire

/// The people of one room, as plainly as they can be kept: who is a member or invited, and was when.
///
/// All are known by the bytes of their names, whatever else these are equal to.
struct Roster {
    struct Person: Equatable {
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

    /// Who is there, and as what.
    fileprivate struct Places: Equatable {
        var people: [[UInt8]: Person] = [:]
        /// Those that differ from the default.
        var standings: [[UInt8]: Standing] = [:]
    }

    private var places = Places()
    private var turns: [[UInt8]: [Turn]] = [:]
    /// Every read mark that people had.
    private var marks: [[UInt8]: Set<Revision>] = [:]
    /// The revisions at which members last marked the room as unread.
    private var lastMarked: [[UInt8]: Revision] = [:]

    /// The person, if they are a member or invited.
    subscript(user: UserName) -> Person? { places.people[user.bytes] }

    func standing(of user: UserName) -> Standing { places.standings[user.bytes] ?? Standing() }

    /// In no other room are there as many as would make a difference.
    func membership(of user: UserName) -> Membership {
        guard let person = self[user] else { return .guest(.none) }
        return person.kind == .invited ? .invited(.none) : .member(person.settings)
    }

    /// The number of people who are members or invited.
    var count: Int { places.people.count }

    var standingCount: Int { places.standings.count }

    mutating func forgetStanding(of user: UserName) { places.standings[user.bytes] = nil }

    // MARK: - Changes

    /// Does what an operation says that was carried out, in other words than the fold.
    ///
    /// - Parameter change: its effect, as the fold has it.
    /// - Returns: whether that is what was done.
    mutating func follow(
        _ operation: Operation, in kind: RoomName.Kind, at revision: Revision, told change: RowChange
    ) -> Bool {
        var told = places
        told.apply(change, of: operation, at: revision)
        let (before, author) = (places, operation.author)
        switch operation.action {
        case .send: if self[author]?.kind == .member { places.people[author.bytes]?.read = revision }
        case .edit, .grow, .delete, .react, .summarize: break
        case .join:
            if self[author]?.kind != .member { places.enter(author, as: .member, by: operation, at: revision) }
        case .leave:
            places.people[author.bytes] = nil
            if kind != .open { places.change(author) { $0.role = .none } }
        case .settings(let change): set(change, of: author, at: revision)
        case .create(let new):
            places.change(author) { $0.role = kind == .direct ? .write : .own }
            places.enter(author, as: .member, by: operation, at: revision)
            for user in new.people { places.admit(user, to: .write, in: kind, by: operation, at: revision) }
        case .moderate(let moderation): places.follow(moderation, in: kind, by: operation, at: revision)
        }
        note(since: before, at: revision)
        return places == told
    }

    private mutating func set(_ change: SettingsChange, of user: UserName, at revision: Revision) {
        guard var person = self[user] else { return }
        switch change.pinned {
        case .at(let place): person.settings.pinned = place
        case .off: person.settings.pinned = nil
        case nil: break
        }
        if let isMuted = change.isMuted { person.settings.isMuted = isMuted }
        if let isArchived = change.isArchived { person.settings.isArchived = isArchived }
        if let isMarked = change.isMarked { person.settings.marked = isMarked ? revision : 0 }
        if let unreadFrom = change.unreadFrom, person.read >= unreadFrom {
            person.read = max(unreadFrom - 1, person.joined)
        }
        if person.settings.marked == revision { lastMarked[user.bytes] = revision }
        places.people[user.bytes] = person
    }

    /// Notes who came and went, and what they have read.
    private mutating func note(since before: Places, at revision: Revision) {
        for user in Set(before.people.keys).union(places.people.keys) {
            let (old, new) = (before.people[user], places.people[user])
            if old?.joined != new?.joined || old?.time != new?.time {
                turns[user, default: []].append(Turn(revision: revision, kind: new?.kind))
            }
            if let new, old?.read != new.read || old?.time != new.time { marks[user, default: []].insert(new.read) }
        }
    }

    /// The people who came or were invited since, by the bytes of their names.
    func arrivals(since before: Roster) -> [[UInt8]] {
        places.people.filter { name, person in
            let old = before.places.people[name]
            return old?.joined != person.joined || old?.time != person.time
        }.map(\.key)
    }

    /// Somebody has read so far: a member's mark only grows, and not while a mark as unread is later. Nobody else has one.
    mutating func mark(_ user: UserName, upTo revision: Revision) {
        let person = self[user]
        let (read, marked) = (person?.read ?? 0, person?.settings.marked ?? 0)
        let isTooEarly = marked > read && revision < marked
        let mark = isTooEarly ? read : max(read, revision)
        if person?.kind == .member { places.people[user.bytes]?.read = mark }
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

extension Roster.Places {
    fileprivate mutating func change(_ user: UserName, _ body: (inout Standing) -> Void) {
        var standing = standings[user.bytes] ?? Standing()
        body(&standing)
        standings[user.bytes] = standing == Standing() ? nil : standing
    }

    fileprivate mutating func enter(
        _ user: UserName, as kind: MembershipKind, by operation: Operation, at revision: Revision
    ) {
        let joined = kind == .member ? revision : 0
        people[user.bytes] = Roster.Person(
            joined: joined, time: operation.instant, inviter: kind == .member ? nil : operation.author, read: joined)
    }

    /// Appoints somebody, and lets them in unless they are there or banned.
    fileprivate mutating func admit(
        _ user: UserName, to role: Role, in kind: RoomName.Kind, by operation: Operation, at revision: Revision
    ) {
        change(user) { $0.role = role }
        guard kind != .open, people[user.bytes] == nil, standings[user.bytes]?.isBanned != true else { return }
        enter(user, as: kind == .direct ? .member : .invited, by: operation, at: revision)
    }

    /// Only bans and appointments, and what ends them, let people in or put them out.
    fileprivate mutating func follow(
        _ moderation: Moderation, in kind: RoomName.Kind, by operation: Operation, at revision: Revision
    ) {
        switch moderation {
        case .mute(let user, let span): change(user) { $0.mutedUntil = operation.instant + span }
        case .unmute(let user): change(user) { $0.mutedUntil = 0 }
        case .kick(let user): change(user) { $0.kicked = revision }
        case .ban(let user):
            change(user) { $0.isBanned = true }
            people[user.bytes] = nil
        case .unban(let user):
            change(user) { $0.isBanned = false }
            let role = standings[user.bytes]?.role ?? .none
            if role != .none { admit(user, to: role, in: kind, by: operation, at: revision) }
        case .appoint(let user, .none):
            change(user) { $0.role = .none }
            if kind != .open { people[user.bytes] = nil }
        case .appoint(let user, let role): admit(user, to: role, in: kind, by: operation, at: revision)
        case .invite(let user):
            let role = standings[user.bytes]?.role ?? .none
            admit(user, to: role < .write ? .write : role, in: kind, by: operation, at: revision)
        case .slowMode, .readOnly, .title, .topic, .picture, .pin, .unpin: break
        }
    }

    /// Applies the effect that the fold gave an operation.
    fileprivate mutating func apply(_ change: RowChange, of operation: Operation, at revision: Revision) {
        for (user, standing) in change.standings { self.change(user) { $0 = standing } }
        if let leaver = change.leaver { people[leaver.bytes] = nil }
        for (user, kind) in change.comers { enter(user, as: kind, by: operation, at: revision) }
        if let (user, read) = change.mark, people[user.bytes]?.kind == .member { people[user.bytes]?.read = read }
        guard case .settings(let user, let settings, let unreadFrom) = change, var person = people[user.bytes] else {
            return
        }
        person.settings = settings
        if let unreadFrom { person.read = max(person.joined, min(person.read, max(unreadFrom, 1) - 1)) }
        people[user.bytes] = person
    }
}

extension UserName {
    var bytes: [UInt8] { Array(description.utf8) }
}
