import ChatWire

// The rights of each role. `docs/security.md` has them as a table.

extension Operation {
    /// Checks that the room's rules allow the author to do this.
    func requireRight(under base: FoldBase) throws(Refusal) {
        switch action {
        case .moderate where base.isThread, .create where base.isThread:
            try require(.read, under: base)
            throw .thread
        case .moderate, .join, .leave, .settings, .create:
            try requireRightAmongPeople(under: base)
        case .send(let content):
            try requireVoice(under: base)
            if content.mentions.everyone { try requireRightToCallEveryone(under: base) }
            try requirePatience(under: base)
        case .edit, .grow(_, .append), .react:
            try requireVoice(under: base)
        case .delete, .grow(_, .close):
            try require(.write, under: base)
        case .summarize:
            precondition(requester == .service, "only the server summarizes threads")
        }
    }

    private func requireRightAmongPeople(under base: FoldBase) throws(Refusal) {
        switch action {
        case .send, .edit, .grow, .delete, .react, .summarize: break
        case .moderate(let moderation):
            try requireRight(to: moderation, under: base)
        case .join:
            // No user is banned and a member, not even an owner of the room.
            guard !base.standing(of: author).isBanned else {
                throw requester == .service
                    ? .banned(author) : .lacking(.read, .none, base.standing(of: author), in: base.kind)
            }
            try require(.read, under: base)
        case .leave, .settings:
            try require(.read, under: base)
        case .create(.open):
            try require(.write, under: base)
        case .create(.private), .create(.direct):
            // A missing room has no appointments.
            guard requester == .service || role >= .write else { throw .notGranted(.write, role) }
        }
    }

    /// Returns the role in which the author acts.
    func role(under base: FoldBase) -> Role {
        switch requester {
        case .user: base.standing(of: author).role(granted: role, in: base.kind)
        case .service: .own
        }
    }

    private func requireVoice(under base: FoldBase) throws(Refusal) {
        try base.configuration.requireVoice(as: role(under: base), with: base.standing(of: author), at: instant)
    }

    func require(_ least: Role, under base: FoldBase) throws(Refusal) {
        let role = role(under: base)
        guard role >= least else { throw .lacking(least, role, base.standing(of: author), in: base.kind) }
    }

    func requireRightToCallEveryone(under base: FoldBase) throws(Refusal) {
        let role = role(under: base)
        guard role.mayCallEveryone(in: base.kind) else { throw .noCallToEveryone(role) }
    }

    private func requirePatience(under base: FoldBase) throws(Refusal) {
        let slowMode = base.configuration.slowMode
        guard slowMode > 0, role(under: base) < .moderate, let last = base.lastSend(of: author) else { return }
        // A store may hold any value for either.
        let next = last.addingReportingOverflow(slowMode)
        guard !next.overflow else { return }
        // The servers of one store may differ by a little: no author waits for longer than the interval of slow mode.
        guard next.partialValue <= instant || last > instant else {
            throw .tooSoon(wait: next.partialValue - instant)
        }
    }

    private func requireRight(to moderation: Moderation, under base: FoldBase) throws(Refusal) {
        try require(moderation.least(in: base.kind), under: base)
        switch moderation {
        case .invite where base.kind == .open: throw .open
        case .appoint, .invite, .title, .topic, .picture: guard base.kind != .direct else { throw .direct }
        case .mute, .unmute, .kick, .ban, .unban, .slowMode, .readOnly, .pin, .unpin: break
        }
        guard let user = moderation.user else { return }
        guard user != author else { throw .yourself }
        switch moderation {
        case .mute, .kick, .ban:
            let standing = base.standing(of: user)
            guard standing.role < role(under: base) else { throw .notBelow(user, standing.role) }
        case .invite:
            guard !base.standing(of: user).isBanned else { throw .banned(user) }
        case .unmute, .unban, .appoint, .slowMode, .readOnly, .title, .topic, .picture, .pin, .unpin: break
        }
    }
}

extension Moderation {
    /// The lowest role that may do this. A direct room has no moderators: its people pin its messages.
    fileprivate func least(in kind: RoomName.Kind) -> Role {
        switch self {
        case .pin, .unpin: kind == .direct ? .write : .moderate
        case .appoint, .invite: .own
        case .mute, .unmute, .kick, .ban, .unban, .slowMode, .readOnly, .title, .topic, .picture: .moderate
        }
    }
}

extension RoomConfiguration {
    /// Checks that a user may write in the room at an instant of the store's time.
    func requireVoice(as role: Role, with standing: Standing, at instant: Milliseconds) throws(Refusal) {
        guard role >= .write else { throw .lacking(.write, role, standing, in: kind) }
        guard standing.mutedUntil <= instant || role == .own else {
            throw .muted(for: standing.mutedUntil.since(instant))
        }
        guard !isReadOnly || role >= .moderate else { throw .readOnly }
    }
}

extension Refusal {
    /// Returns the refusal of a user with this standing who lacks the role.
    ///
    /// A private or direct room does not tell a ban, because that would tell a stranger of the room.
    static func lacking(_ least: Role, _ role: Role, _ standing: Standing, in kind: RoomName.Kind) -> Refusal {
        kind == .open && standing.isBanned && role == .none ? .shutOut(least) : .notGranted(least, role)
    }
}

extension Milliseconds {
    /// Returns the time that has passed since an earlier one. A store may hold any time, and a clock may show any.
    func since(_ time: Milliseconds) -> Milliseconds {
        let span = subtractingReportingOverflow(time)
        return span.overflow ? .max : span.partialValue
    }
}
