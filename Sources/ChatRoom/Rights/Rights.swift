import ChatWire

// The rights of each role. `docs/security.md` has them as a table.

extension Operation {
    /// Checks that the room's rules allow the author to do this.
    ///
    /// - Parameter rules: the rules with the standings of the author and of the affected user, and the author's last
    ///   send.
    func requireRight(under rules: RoomRules) throws(Refusal) {
        switch action {
        case .send(_, _, let mentions):
            try rules.requireVoice(of: author, as: role(under: rules), at: time)
            if mentions.everyone { try requireRightToCallEveryone(under: rules) }
            try requirePatience(under: rules)
        case .edit, .react:
            try rules.requireVoice(of: author, as: role(under: rules), at: time)
        case .delete:
            try require(.write, under: rules)
        case .moderate(let moderation):
            try requireRight(to: moderation, under: rules)
        case .join:
            // Nobody is banned and a member, not even an owner of the room.
            guard !rules.standing(of: author).isBanned else {
                throw asker == .service ? .banned(author) : .notGranted(.read, .none)
            }
            try require(.read, under: rules)
        case .leave, .settings:
            try require(.read, under: rules)
        case .create(.open):
            try require(.write, under: rules)
        case .create(.private), .create(.direct):
            // Nobody is appointed before the room is there.
            guard asker == .service || role >= .write else { throw .notGranted(.write, role) }
        }
    }

    /// Returns the role in which the author acts.
    func role(under rules: RoomRules) -> Role {
        switch asker {
        case .user: rules.role(of: author, granted: role)
        case .service: .own
        }
    }

    func require(_ least: Role, under rules: RoomRules) throws(Refusal) {
        let role = role(under: rules)
        guard role >= least else { throw .notGranted(least, role) }
    }

    func requireRightToCallEveryone(under rules: RoomRules) throws(Refusal) {
        let role = role(under: rules)
        guard role.mayCallEveryone(in: rules.kind) else { throw .noCallToEveryone(role) }
    }

    private func requirePatience(under rules: RoomRules) throws(Refusal) {
        guard rules.slowMode > 0, role(under: rules) < .moderate, let last = rules.lastSends[author] else { return }
        // A store may hold any value for either.
        let next = last.addingReportingOverflow(rules.slowMode)
        guard !next.overflow else { return }
        // After the clock was set back, nobody waits for longer than the interval of slow mode.
        guard next.partialValue <= time || last > time else { throw .tooSoon(wait: next.partialValue - time) }
    }

    private func requireRight(to moderation: Moderation, under rules: RoomRules) throws(Refusal) {
        try require(moderation.least, under: rules)
        switch moderation {
        case .invite where rules.kind == .open: throw .open
        case .appoint, .invite, .title, .topic, .picture: guard rules.kind != .direct else { throw .direct }
        case .mute, .unmute, .kick, .ban, .unban, .slowMode, .readOnly: break
        }
        guard let user = moderation.user else { return }
        guard user != author else { throw .yourself }
        switch moderation {
        case .mute, .kick, .ban:
            let standing = rules.standing(of: user)
            guard standing.role < role(under: rules) else { throw .notBelow(user, standing.role) }
        case .invite:
            guard !rules.standing(of: user).isBanned else { throw .banned(user) }
        case .unmute, .unban, .appoint, .slowMode, .readOnly, .title, .topic, .picture: break
        }
    }
}

extension Moderation {
    /// The lowest role that may do this.
    fileprivate var least: Role {
        switch self {
        case .appoint, .invite: .own
        case .mute, .unmute, .kick, .ban, .unban, .slowMode, .readOnly, .title, .topic, .picture: .moderate
        }
    }
}

extension RoomRules {
    /// Checks that a user may write in the room.
    func requireVoice(of user: UserName, as role: Role, at time: Milliseconds) throws(Refusal) {
        let standing = standing(of: user)
        guard role >= .write else { throw .notGranted(.write, role) }
        guard standing.mutedUntil <= time || role == .own else { throw .muted(for: standing.mutedUntil.since(time)) }
        guard !isReadOnly || role >= .moderate else { throw .readOnly }
    }
}

extension Milliseconds {
    /// Returns the time that has passed since an earlier one. A store may hold any time, and a clock may show any.
    fileprivate func since(_ time: Milliseconds) -> Milliseconds {
        let span = subtractingReportingOverflow(time)
        return span.overflow ? .max : span.partialValue
    }
}
