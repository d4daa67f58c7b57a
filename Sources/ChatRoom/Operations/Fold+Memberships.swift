import ChatWire

// The effect of an operation on memberships.

extension Operation {
    func joined(
        _ membership: Membership, under rules: RoomRules, _ limits: WireLimits
    ) throws(Refusal) -> RowChange {
        switch membership {
        case .member: return .nothing
        case .invited: return .joined(author)
        case .guest(let memberships):
            // Only a service may do more in a room than its author.
            guard rules.kind != .private || rules.standing(of: author).isAdmitted else { throw .notInvited(author) }
            guard rules.kind != .direct else { throw .direct }
            guard memberships < limits.memberships else { throw .tooManyMemberships(most: limits.memberships) }
            return .joined(author)
        }
    }

    func left(_ membership: Membership, under rules: RoomRules) throws(Refusal) -> RowChange {
        switch rules.kind {
        case .open: if case .member = membership { return .left(author) } else { return .nothing }
        case .private:
            var standing = rules.standing(of: author)
            guard standing.role >= .read else { return .nothing }
            standing.role = .none
            return .affiliated(Affiliation(author, standing, nil))
        case .direct: throw .direct
        }
    }

    /// A mark as unread is always a new one: a read mark that is on its way may end the one before.
    func set(
        _ change: SettingsChange, _ membership: Membership, at revision: Revision
    ) throws(Refusal) -> RowChange {
        switch membership {
        case .member(let settings):
            let changed = settings.changed(by: change, at: revision)
            return changed == settings ? .nothing : .settings(author, changed, unreadFrom: change.unreadFrom)
        case .invited: throw .onlyInvited
        case .guest: throw .notMember
        }
    }

    /// Makes the room, or finds the direct room that is there already.
    func created(
        _ new: NewRoom, _ membership: Membership, _ others: [UserName: Membership], under rules: RoomRules,
        at revision: Revision, limits: WireLimits
    ) throws(Refusal) -> RowChange {
        precondition(new.kind == rules.kind, "\(new) was asked of a room that is \(rules.kind)")
        guard !new.people.contains(author) else { throw .yourselfAmongPeople }
        guard revision == 1 else {
            guard new.kind == .direct else { throw .roomTaken }
            try require(.read, under: rules)
            return .nothing
        }
        if case .guest(let memberships) = membership, memberships >= limits.memberships {
            throw .tooManyMemberships(most: limits.memberships)
        }
        for user in new.people { try requireSpace(of: user, others, limits) }
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

    /// Returns the effect of a change of the rules, and in a private or direct room that of a standing on the user's
    /// membership.
    func ruled(
        _ change: RuleChange, _ memberships: [UserName: Membership], _ kind: RoomName.Kind, _ limits: WireLimits
    ) throws(Refusal) -> RowChange {
        guard kind != .open, case .standing(let user, let standing) = change else { return .ruled(change) }
        let isMember =
            switch memberships[user] {
            case .member, .invited: true
            case .guest, nil: false
            }
        guard isMember != standing.isAdmitted else { return .ruled(change) }
        guard standing.isAdmitted else { return .affiliated(Affiliation(user, standing, nil)) }
        try requireSpace(of: user, memberships, limits)
        return .affiliated(Affiliation(user, standing, kind == .direct ? .member : .invited))
    }

    private func requireSpace(
        of user: UserName, _ memberships: [UserName: Membership], _ limits: WireLimits
    ) throws(Refusal) {
        if case .guest(let count) = memberships[user], count >= limits.memberships {
            throw .tooManyMembershipsOf(user, most: limits.memberships)
        }
    }
}
