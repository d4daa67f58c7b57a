package import ChatWire

// The effect of an operation on memberships.

extension Operation {
    func joined(_ base: FoldBase, _ limits: WireLimits) throws(Refusal) -> RowChange {
        guard base.isRooted else { throw .noRoot }
        switch base.membership(of: author) {
        case .member: return .nothing
        case .invited(let counts):
            try requireSpace(counts, limits)
            return .joined(author)
        case .guest(let counts):
            // Only a service may do more in a room than its author.
            let needsPlace = base.kind == .private || base.isThread && base.kind == .direct
            guard !needsPlace || base.standing(of: author).isAdmitted else { throw .notInvited(author) }
            guard base.isThread || base.kind != .direct else { throw .direct }
            try requireSpace(counts, limits)
            return .joined(author)
        }
    }

    func left(_ base: FoldBase) throws(Refusal) -> RowChange {
        switch base.isThread ? .open : base.kind {
        case .open: if case .member = base.membership(of: author) { return .left(author) } else { return .nothing }
        case .private:
            var standing = base.standing(of: author)
            guard standing.role >= .read else { return .nothing }
            standing.role = .none
            return .affiliated(Affiliation(author, standing, nil))
        case .direct: throw .direct
        }
    }

    /// Returns those who begin to follow the thread by this reply: its author and the people whom it names, if they may read it,
    /// and with the first reply those of the root. A room that is no thread has no followers, and a user follows only so many
    /// threads.
    func newFollowers(naming named: [UserName], under base: FoldBase, _ limits: WireLimits) -> [UserName] {
        guard base.isThread else { return [] }
        var followers: [UserName] = []
        let readers = ([author] + named).filter { base.standing(of: $0).mayRead(base.kind) }
        var places = limits.members - base.sizes(of: .members).members
        for user in readers + (base.firstFollowers ?? []) where places > 0 && !followers.contains(user) {
            guard case .guest(let counts) = base.membership(of: user), counts.all < limits.memberships else { continue }
            followers.append(user)
            places -= 1
        }
        return followers
    }

    /// A mark as unread is always a new one: a read mark that is on its way may end the one before.
    func set(_ change: SettingsChange, _ base: FoldBase, at revision: Revision) throws(Refusal) -> RowChange {
        switch base.membership(of: author) {
        case .member(let settings):
            let changed = settings.changed(by: change, at: revision)
            return changed == settings ? .nothing : .settings(author, changed, unreadFrom: change.unreadFrom)
        case .invited: throw .onlyInvited
        case .guest: throw .notMember
        }
    }

    /// Makes the room, or finds the direct room that is there already.
    func created(
        _ new: NewRoom, _ base: FoldBase, at revision: Revision, limits: WireLimits
    ) throws(Refusal) -> RowChange {
        precondition(new.kind == base.kind, "\(new) was asked of a room that is \(base.kind)")
        guard !new.people.contains(author) else { throw .yourselfAmongPeople }
        guard revision == 1 else {
            guard new.kind == .direct else { throw .roomTaken }
            try require(.read, under: base)
            return .nothing
        }
        if case .guest(let counts) = base.membership(of: author) { try requireSpace(counts, limits) }
        for user in new.people { try requireSpace(of: user, base, limits) }
        switch new {
        case .open(_, let title):
            return .created([Affiliation(author, Standing(role: .own), .member)], title: title)
        case .private(let people, let title):
            let invited = people.map { Affiliation($0, Standing(role: .write), .invited) }
            return .created([Affiliation(author, Standing(role: .own), .member)] + invited, title: title)
        case .direct(let people):
            return .created(([author] + people).map { Affiliation($0, Standing(role: .write), .member) }, title: nil)
        }
    }

    /// Returns the effect of a moderation, and in a private or direct room that of an appointment or a ban on the
    /// user's membership.
    func moderated(
        _ moderation: Moderation, _ base: FoldBase, at revision: Revision, _ limits: WireLimits
    ) throws(Refusal) -> RowChange {
        if case .pin(let id, let place) = moderation { return try pinned(id, place, base, limits) }
        guard let change = base.change(moderation, at: instant, revision) else { return .nothing }
        guard base.kind != .open, case .standing(let user, let standing) = change else { return .ruled(change) }
        switch moderation {
        case .appoint, .invite, .ban, .unban: return try affiliated(user, standing, base, limits)
        case .mute, .unmute, .kick, .slowMode, .readOnly, .title, .topic, .picture, .pin, .unpin: return .ruled(change)
        }
    }

    private func pinned(
        _ id: MessageID, _ place: PinPlace, _ base: FoldBase, _ limits: WireLimits
    ) throws(Refusal) -> RowChange {
        guard let row = base.row(id), !row.isDamaged else { throw .notFound(id) }
        var pins = base.configuration.pins
        try pins.put(id, at: row.sort, place, most: limits.pins)
        return pins == base.configuration.pins ? .nothing : .ruled(.pins(pins))
    }

    private func affiliated(
        _ user: UserName, _ standing: Standing, _ base: FoldBase, _ limits: WireLimits
    ) throws(Refusal) -> RowChange {
        let isMember =
            switch base.membership(of: user) {
            case .member, .invited: true
            case .guest: false
            }
        guard isMember != standing.isAdmitted else { return .ruled(.standing(user, standing)) }
        guard standing.isAdmitted else { return .affiliated(Affiliation(user, standing, nil)) }
        try requireSpace(of: user, base, limits)
        return .affiliated(Affiliation(user, standing, base.kind == .direct ? .member : .invited))
    }

    /// Only the author's own rooms count, whatever others gave them.
    private func requireSpace(_ counts: RoomCounts, _ limits: WireLimits) throws(Refusal) {
        guard counts.own < limits.memberships else { throw .tooManyMemberships(most: limits.memberships) }
    }

    /// The refusal names no user, because the number of a person's rooms is private.
    private func requireSpace(of user: UserName, _ base: FoldBase, _ limits: WireLimits) throws(Refusal) {
        if case .guest(let counts) = base.membership(of: user), !counts.mayBeGiven(limits) { throw .tooManyGiven }
    }
}

extension Standing {
    /// Returns whether a user of this standing may read a room, if their token does not forbid it.
    package func mayRead(_ kind: RoomName.Kind) -> Bool { kind == .open ? !isBanned : isAdmitted }
}
