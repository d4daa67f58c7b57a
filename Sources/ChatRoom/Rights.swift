import ChatWire

// Who may do what. `docs/security.md` has it as a table.

extension Operation {
    /// Whether the room's rules let its author do it.
    ///
    /// - Parameter rules: with the standings of its author and of whom it is done to, and when the author sent last.
    func requireRight(under rules: RoomRules) throws(Refusal) {
        switch action {
        case .send:
            try rules.requireVoice(of: author, granted: role, at: time)
            try requirePatience(under: rules)
        case .edit, .react:
            try rules.requireVoice(of: author, granted: role, at: time)
        case .delete:
            try require(.write, under: rules)
        case .moderate(let moderation):
            try requireRight(to: moderation, under: rules)
        }
    }

    /// As what its author acts.
    func role(under rules: RoomRules) -> Role {
        rules.standing(of: author).role(granted: role)
    }

    private func require(_ least: Role, under rules: RoomRules) throws(Refusal) {
        let role = role(under: rules)
        guard role >= least else { throw .notGranted(least, role) }
    }

    private func requirePatience(under rules: RoomRules) throws(Refusal) {
        guard rules.slowMode > 0, role(under: rules) < .moderate, let last = rules.lastSends[author] else { return }
        // What a store says of either may be anything.
        let next = last.addingReportingOverflow(rules.slowMode)
        guard !next.overflow else { return }
        // A clock that was set back lets nobody wait for longer than slow mode says.
        guard next.partialValue <= time || last > time else { throw .tooSoon(wait: next.partialValue - time) }
    }

    private func requireRight(to moderation: Moderation, under rules: RoomRules) throws(Refusal) {
        let least: Role = if case .appoint = moderation { .own } else { .moderate }
        try require(least, under: rules)
        guard let user = moderation.user else { return }
        guard user != author else { throw .yourself }
        switch moderation {
        case .mute, .kick, .ban:
            let standing = rules.standing(of: user)
            guard standing.role < role(under: rules) else { throw .notBelow(user, standing.role) }
        case .unmute, .unban, .appoint, .slowMode, .readOnly: break
        }
    }
}

extension RoomRules {
    /// Whether somebody may put anything into the room.
    func requireVoice(of user: UserName, granted: Role, at time: Milliseconds) throws(Refusal) {
        let standing = standing(of: user)
        let role = standing.role(granted: granted)
        guard role >= .write else { throw .notGranted(.write, role) }
        guard standing.mutedUntil <= time || role == .own else { throw .muted(for: standing.mutedUntil - time) }
        guard !isReadOnly || role >= .moderate else { throw .readOnly }
    }
}
