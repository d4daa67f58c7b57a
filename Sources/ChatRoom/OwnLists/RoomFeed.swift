package import ChatWire

/// A shard's knowledge of one room, for the people who have it in their lists: the room's end, and each person's place in
/// it. A pure value.
///
/// The room's commits tell it each change. Anything else is read again: the changes between two that it was told,
/// and what only the store can count. So it is never wrong for long, whatever gets lost.
///
/// - Complexity: O(1) for a message, whatever the number of people.
package struct RoomFeed: Sendable {
    let room: RoomName
    /// See ``MembershipReading/ruled``.
    var ruled: Revision = 0
    /// The revision of the room of a thread at which a standing has changed last, as far as the feed was told.
    var lastRuling: Revision = 0
    var title: RoomTitle?
    var picture: Picture?
    /// See ``MembershipReading/people``.
    var companions: [UserName] = []
    /// See ``MembershipReading/root``.
    var root: LastMessage?
    /// The last change that was told without a gap; `nil` before the first reading.
    var head: Revision?
    var log = MessageLog()
    var last = LatestMessage()
    /// See ``RowChange/activity(after:)``.
    var activity = ActivityStamp.none
    /// The last edit that may have changed whom a message mentions.
    var lastNaming: Revision = 0
    /// Changes that came before those below them.
    var early: [(revision: Revision, change: RowChange)] = []
    /// The revision that the store is said to have reached.
    var announced: Revision = 0
    /// `nil` for people whose memberships were not read yet.
    var people: [UserName: Person?] = [:]
    /// The people who wait for ``head`` to reach the revision of their reading.
    var ahead: Set<UserName> = []
    /// The people with blocks. The feed does not know whom, so what mentions them is counted by the store.
    var selective: Set<UserName> = []
    var touched: Set<UserName> = []
    var isTouched = false
    /// The people who are not in the room any more, and were not told so yet.
    private var lost: Set<UserName> = []
    var stale = StaleMemberships()
    private var occupancy: Occupancy

    private static let mostEarly = 1_024

    package init(of room: RoomName, with occupancy: Occupancy = .empty) {
        self.room = room
        self.occupancy = occupancy
    }

    package var names: [UserName] { people.keys.sorted() }
    /// True when the feed has no people, and all who left were notified.
    package var isEmpty: Bool { people.isEmpty && lost.isEmpty }

    package func has(_ user: UserName) -> Bool { people[user] != nil }

    /// Returns whether the person's membership was read.
    package func knows(_ user: UserName) -> Bool { people[user].flatMap(\.self) != nil }

    /// Adds a person who is said to be a member.
    package mutating func add(_ user: UserName) {
        guard people[user] == nil else { return }
        people[user] = .some(nil)
        stale.disregardAnswer(about: user)
    }

    /// Returns whether something may have changed for a person that was not taken from here yet.
    package func owes(_ user: UserName) -> Bool {
        guard let person = people[user] else { return lost.contains(user) }
        return person == nil || touched.contains(user) || !early.isEmpty || stale.contains(user)
            || stale.isAwaited(user)
    }

    /// Forgets a person who may still be a member.
    package mutating func dismiss(_ user: UserName) {
        people[user] = nil
        ahead.remove(user)
        selective.remove(user)
        touched.remove(user)
    }

    /// Handles a reading by which the person is not in the room. A person whose membership is stale may have come since.
    package mutating func miss(_ user: UserName) {
        if !stale.contains(user) { remove(user) }
    }

    private mutating func remove(_ user: UserName) {
        guard people.removeValue(forKey: user) != nil else { return }
        ahead.remove(user)
        selective.remove(user)
        touched.insert(user)
        lost.insert(user)
    }

    /// Returns the room's entry in the list of a person whose token grants a role; `nil` if there is none, or not yet.
    package func entry(of user: UserName, granted role: Role) -> Inbox.Entry? {
        guard let person = people[user] ?? nil, person.standing.role(granted: role, in: room.kind) >= .read
        else { return nil }
        let unread =
            switch person.unread {
            case .since(let seen): log.count - seen
            case .ahead(let unread, _): unread
            }
        return Inbox.Entry(
            place: Inbox.Place(
                section: person.section, pinned: person.settings.pinned,
                activity: Inbox.Activity(joined: person.time, said: activity)),
            people: companions.filter { $0 != user },
            light: MyRoom.Light(
                unread: UInt64(max(0, unread)), mentions: UInt64(max(0, person.mentions + log.callsToEveryone)),
                read: person.read, inviter: person.inviter, title: title, picture: picture,
                isMuted: person.settings.isMuted,
                isMarked: person.settings.marked > person.read, last: last.message,
                root: root, isTyping: person.kind == .member && occupancy.typing.hasOthers(than: user),
                isHere: person.kind == .member && !room.isThread && occupancy.here.hasOthers(than: user)))
    }

    /// Returns the people for whom something has changed since the last call, in any order.
    package mutating func drainTouched() -> [UserName] {
        let names = isTouched ? people.keys + touched.filter { people[$0] == nil } : Array(touched)
        (touched, isTouched) = ([], false)
        return names
    }

    /// The person came to the room again.
    package mutating func find(_ user: UserName) {
        lost.remove(user)
    }

    /// Returns whether the person is not in the room any more, which ``drainLost()`` has not told yet.
    package func hasLost(_ user: UserName) -> Bool { lost.contains(user) }

    /// Returns those who are not in the room any more.
    package mutating func drainLost() -> Set<UserName> {
        defer { lost = [] }
        return lost
    }

    /// The store has another epoch: all is to be read again.
    package mutating func renew() {
        let names = people.keys
        self = RoomFeed(of: room, with: occupancy)
        for name in names { add(name) }
    }
}

// MARK: - What the room tells

extension RoomFeed {
    package mutating func handle(_ change: RowChange, at revision: Revision) {
        if let leaver = change.leaver, revision > head ?? 0 { remove(leaver) }
        follow(change, at: revision)
    }

    mutating func follow(_ change: RowChange, at revision: Revision) {
        guard let head, revision <= head + 1 else { return keep(change, at: revision) }
        if revision > head { apply(change, at: revision) }
    }

    /// Keeps a change for when those before it are known. After a gap they must be read.
    private mutating func keep(_ change: RowChange, at revision: Revision) {
        announced = max(announced, revision)
        early.append((revision, change))
        if early.count > Self.mostEarly { early = [] }
        if head != nil { stale.insertAll() }
    }

    package mutating func announce(_ revision: Revision) {
        announced = max(announced, revision)
    }

    private mutating func apply(_ change: RowChange, at revision: Revision) {
        head = revision
        activity = change.activity(after: activity)
        switch change {
        case .inserted(let row, _, _):
            log.insert(row)
            count(row)
            last.insert(row)
            if let mark = change.mark { read(mark.user, upTo: mark.revision) }
            isTouched = true
        case .reloaded(let row):
            last.reload(row, at: revision)
            recount(row)
            isTouched = true
        case .deleted(let id, _):
            log.forget(upTo: revision)
            last.delete(id)
            stale.insertAll()
        case .ruled(.title(let title)), .created(_, let title):
            self.title = title
            isTouched = true
        case .ruled(.picture(let picture)):
            self.picture = picture
            isTouched = true
        case .settings(let user, let settings, let unreadFrom):
            apply(settings, of: user, unreadFrom: unreadFrom, at: revision)
        case .affiliated, .joined, .left, .reconfigured, .ruled(.standing), .ruled(.slowMode), .ruled(.readOnly),
            .ruled(.topic), .ruled(.pins), .nothing:
            break
        }
        for (user, standing) in change.standings { update(user, at: revision) { $0.standing = standing } }
        for (user, _) in change.comers where people[user] != nil { invalidate(user) }
        resolveAhead()
    }

    /// Handles a change of the room of a thread.
    ///
    /// - Returns: whether it makes a difference.
    package mutating func handleRoomChange(_ change: RowChange, at revision: Revision) -> Bool {
        for (user, standing) in change.standings { rule(user, standing, at: revision) }
        switch change {
        case .ruled(.title(let title)): self.title = title
        case .ruled(.picture(let picture)): self.picture = picture
        case .reloaded(let row): if row.id == room.root { root = LastMessage(row) } else { return false }
        case .deleted(let id, _): if id == room.root { root = nil } else { return false }
        case .ruled, .affiliated, .created, .inserted, .reconfigured, .joined, .left, .settings, .nothing:
            return !change.standings.isEmpty
        }
        ruled = max(ruled, revision)
        isTouched = true
        return true
    }

    private mutating func rule(_ user: UserName, _ standing: Standing, at revision: Revision) {
        lastRuling = max(lastRuling, revision)
        guard let person = people[user] ?? nil else { return invalidateIfListed(user) }
        guard person.ruled < revision else { return }
        people[user]??.standing = standing
        people[user]??.ruled = revision
        touched.insert(user)
    }

    /// The room of a thread has changed in an unknown way.
    package mutating func invalidateAll() {
        stale.insertAll()
    }

    private mutating func apply(_ settings: RoomSettings, of user: UserName, unreadFrom: UInt64?, at revision: Revision)
    {
        if unreadFrom == nil { update(user, at: revision) { $0.settings = settings } }
        // Only the store knows how much is unread then, and which read marks were too late.
        if settings.marked == revision { invalidateIfListed(user) }
    }

    /// Applies a change of a person. A reading from before it is out of date then.
    private mutating func update(_ user: UserName, at revision: Revision, _ change: (inout Person) -> Void) {
        guard var person = people[user] ?? nil else { return invalidateIfListed(user) }
        guard revision > person.revision else { return }
        person.revision = revision
        change(&person)
        people[user] = person
        touched.insert(user)
    }

    /// Its author has read up to a message, if they are a member. A reading that is ahead has that already.
    private mutating func read(_ author: UserName, upTo revision: Revision) {
        let (count, callsToEveryone) = (log.count, log.callsToEveryone)
        update(author, at: revision) { person in
            guard person.kind == .member, revision > person.read else { return }
            (person.read, person.unread) = (revision, .since(count))
            person.mentions = -callsToEveryone
        }
    }

    /// Counts a message for the people whom it mentions. A reading that is ahead has it already.
    private mutating func count(_ row: Message) {
        guard row.mentions.everyone else {
            for user in row.mentions.people where row.calls(user) {
                if selective.contains(user) { invalidate(user) } else { count(1, for: user) }
            }
            return
        }
        count(-1, for: row.author)
        for user in ahead { people[user]??.mentions -= 1 }
        for user in selective where user != row.author {
            count(-1, for: user)
            invalidate(user)
        }
    }

    private mutating func count(_ more: Int, for user: UserName) {
        if case .since? = (people[user] ?? nil)?.unread { people[user]??.mentions += more }
    }

    /// An edit may have taken mentions from those who have some, and given some to those it names.
    private mutating func recount(_ row: Message) {
        guard log.reload(row) else { return }
        lastNaming = row.rev
        for (user, person) in people {
            guard let person, person.read < row.sort else { continue }
            if person.mentions + log.callsToEveryone > 0 || row.calls(user) { invalidate(user) }
        }
    }

    private mutating func resolveAhead() {
        for user in ahead {
            guard let head, case .ahead(let unread, let revision) = people[user]??.unread, revision <= head else {
                continue
            }
            ahead.remove(user)
            if revision == head { people[user]??.unread = .since(log.count - unread) } else { invalidate(user) }
        }
    }

    /// Reads a person's membership again if an answer is awaited: it may be from before what is known now, such as a block that
    /// has ended since.
    ///
    /// - Returns: whether it is read again.
    package mutating func reconsider(_ user: UserName) -> Bool {
        guard stale.isAwaited(user) else { return false }
        invalidate(user)
        return true
    }

    /// The person's membership must be read again.
    package mutating func invalidate(_ user: UserName) {
        stale.insert(user)
    }

    mutating func invalidateIfListed(_ user: UserName) {
        if people[user] != nil { invalidate(user) }
    }
}

// MARK: - Who is there

extension RoomFeed {
    package mutating func apply(_ occupancy: Occupancy) {
        touch(from: self.occupancy.here, to: occupancy.here)
        touch(from: self.occupancy.typing, to: occupancy.typing)
        self.occupancy = occupancy
    }

    /// Touches the people to whom it makes a difference: all of them, when the first comes or the last goes.
    private mutating func touch(from old: Occupancy.People, to new: Occupancy.People) {
        guard old != new else { return }
        if old == .nobody || new == .nobody { isTouched = true }
        for case .one(let user) in [old, new] where people[user] != nil { touched.insert(user) }
    }
}
