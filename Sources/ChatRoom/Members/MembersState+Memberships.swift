import ChatWire

/// The people who belong to the room, as far as the list has them: those who are there or were there lately, and the
/// first ones by name.
///
/// A change of memberships only names people. The list reads them again on its next tick, so it does not matter which
/// server made the change, or in which order the news arrives.
struct RoomRoll: Sendable {
    /// The numbers of all who belong to the room; `nil` before the first reading.
    var counts: MemberCounts?
    /// True when the numbers are others than in the last revision.
    var hasNewCounts = false
    /// The numbers of those among the people whom the room knows.
    var known = MemberCounts()
    /// The people whose memberships may have changed.
    var stale: Set<UserName> = []
    /// True when all that is known may have changed.
    var isStale = true
    /// True when a reader waits for the first reading.
    var isRequested = false
    /// The number of the query under way; `nil` if there is none.
    var query: UInt64?
    /// The people whom that query names, and whether it also reads the first people of the room.
    var asked: [UserName] = []
    var readsFirst = false
    var lastQuery: UInt64 = 0
    /// The earliest time of the next query, and the time at which all is read again.
    var soonest = Duration.zero
    var renewal: Duration?

    /// True when all who belong to the room are known.
    var isWhole: Bool { counts == known }
}

extension MembersState {
    /// True when the list has the people who belong to the room. A reader waits for that.
    package var hasMemberships: Bool { roll.counts != nil }

    /// True if changes of memberships matter to the list.
    package var followsMemberships: Bool { hasMemberships || roll.query != nil }

    /// Notes that the memberships of people may have changed.
    mutating func invalidateMemberships(of names: [UserName]) {
        guard followsMemberships else { return }
        if isFollowed || roll.isRequested { roll.stale.formUnion(names) } else { forgetMemberships() }
    }

    /// Notes that all memberships may have changed.
    mutating func invalidateMemberships() {
        if isFollowed || roll.isRequested { roll.isStale = true } else { forgetMemberships() }
    }

    /// The next reader waits until the memberships were read again.
    private mutating func forgetMemberships() {
        (roll.counts, roll.stale, roll.isStale) = (nil, [], true)
    }

    /// Queries the store for what may have changed, at most once in a tick.
    mutating func loadMemberships(at now: Duration) -> [Effect] {
        if isFollowed, let renewal = roll.renewal {
            if renewal <= now { roll.isStale = true } else { expect(renewal) }
        }
        let isWanted = roll.isRequested || isFollowed && hasMemberships
        guard isWanted, roll.query == nil, roll.isStale || !roll.stale.isEmpty else { return [] }
        guard roll.soonest <= now else {
            expect(roll.soonest)
            return []
        }
        roll.asked = roll.isStale ? people.keys.sorted() : roll.stale.sorted()
        roll.readsFirst = roll.isStale
        (roll.stale, roll.isStale) = ([], false)
        roll.lastQuery += 1
        roll.query = roll.lastQuery
        let query = MembersQuery(names: roll.asked, first: roll.readsFirst ? policy.listed : 0)
        return [.load(query, number: roll.lastQuery)]
    }

    mutating func apply(_ reading: MembersReading, toQuery number: UInt64, at now: Duration) {
        guard roll.query == number else { return }
        roll.query = nil
        roll.isRequested = false
        roll.soonest = now + policy.tick
        let listed = listed(by: reading)
        for name in Set(roll.asked).union(reading.people.keys).sorted() {
            setMembership(reading.people[name], of: name, isListed: listed.contains(name))
        }
        if roll.counts != reading.counts { roll.hasNewCounts = true }
        roll.counts = reading.counts
        // Some have left, so that all can be listed again.
        if !roll.readsFirst, !roll.isWhole, reading.counts.all <= policy.listed { roll.isStale = true }
        if roll.readsFirst { roll.renewal = policy.reload.map { now + $0 } }
    }

    /// A person came whom the room did not know, and who may belong to it.
    mutating func lookUp(_ name: UserName) {
        if roll.query != nil || hasMemberships && !roll.isWhole { invalidateMemberships(of: [name]) }
    }

    /// Returns the people whose rows stay while they are away.
    private func listed(by reading: MembersReading) -> Set<UserName> {
        if roll.readsFirst { return Set(reading.people.keys.sorted().prefix(policy.listed)) }
        // A new member of a room whose members are all listed.
        let all = Set(reading.people.keys)
        return roll.isWhole && reading.counts.all <= policy.listed ? all : all.filter { people[$0]?.isListed == true }
    }

    private mutating func setMembership(_ membership: RoomMember?, of name: UserName, isListed: Bool) {
        guard membership != nil || people[name] != nil else { return }
        var person = people[name] ?? Person()
        if let old = person.membership { roll.known[old.kind] -= 1 }
        if let membership { roll.known[membership.kind] += 1 }
        person.membership = membership
        person.isListed = isListed
        var light = membership.map { Member.Light($0) } ?? Member.Light()
        light.isTyping = person.light.isTyping
        light.read = max(light.read, person.light.read)
        person.light = light
        people[name] = person
        touch(name)
    }

    /// - Parameter error: `nil` for a reading of another history, which is tried again.
    mutating func failLoading(_ error: WireError?, _ number: UInt64, at now: Duration) -> [Effect] {
        guard roll.query == number else { return [] }
        (roll.query, roll.isStale) = (nil, true)
        roll.soonest = now + (error == nil ? policy.tick : policy.retry)
        guard let error, roll.isRequested else { return [] }
        roll.isRequested = false
        return [.membershipsUnavailable(error)]
    }

    /// The number of people in each section, with those who have no row.
    var countsWithUnlisted: [Member.Section: Int] {
        var counts = counts
        guard let all = roll.counts else { return counts }
        counts[.offline, default: 0] += max(0, all.members - roll.known.members)
        counts[.invited, default: 0] += max(0, all.invited - roll.known.invited)
        return counts
    }
}
