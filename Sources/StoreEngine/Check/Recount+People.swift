import ChatRoom
import ChatWire
import RoomStore

// Standings and memberships, compared with what the operations say.

extension Recount {
    mutating func comparePeople() {
        let all = Set(people.keys).union(storedStandings.keys).union(storedMemberships.keys)
        for user in all.sorted() {
            var person = people[user] ?? PersonRecount(inThread: room.isThread)
            person.forget(upTo: gap, in: membershipKind)
            let stored = StoredPerson(
                standing: storedStandings[user, default: Standing()], membership: storedMemberships[user] ?? nil,
                instant: instant,
                isUnreadable: storedMemberships[user] == .some(nil), revision: max(self.stored.revision, last))
            if let finding = stored.finding(of: user, person, in: membershipKind) { findings.append(finding) }
        }
    }
}

/// A store's rows of one person in a room.
private struct StoredPerson {
    /// `nil` for a row that cannot be read.
    let standing: Standing?
    let membership: StoredMembership?
    /// The store's time.
    let instant: Milliseconds
    let isUnreadable: Bool
    /// The room's.
    let revision: Revision

    func finding(of user: UserName, _ person: PersonRecount, in kind: RoomName.Kind) -> Finding? {
        guard !person.states.contains(where: { isSound($0.standing) && isSound($0.place) }) else { return nil }
        let right = nearest(of: person)
        var (texts, repairs, caveats): ([String], [Repair], [String]) = ([], [], [])
        if !isSound(right.standing) {
            texts.append(
                "\(user) is stored as \(standing?.text ?? "a standing that cannot be read"), and is \(right.standing.text)"
            )
            repairs.append(.standing(user, right.standing))
        }
        if !isSound(right.place) {
            let membership = membership(right.place, person)
            texts.append(text(of: user, membership, person))
            repairs.append(.membership(user, membership))
            if let membership, membership.joined > 0 { caveats.append(mark(membership, person)) }
        }
        if person.states.count > 1 {
            caveats.append(
                "operations are forgotten, which may have changed the membership: the nearest possible one is taken")
        }
        return Finding(
            texts.joined(separator: "; "), repairs, caveat: caveats.isEmpty ? nil : caveats.joined(separator: "; "))
    }

    private func text(of user: UserName, _ right: StoredMembership?, _ person: PersonRecount) -> String {
        let stored = isUnreadable ? "a membership that cannot be read" : membership.text
        return "\(user) is stored as \(stored), and is \(right.text)\(cause(person))"
    }

    /// Names the moderation that has left this membership: in a private room an invitation of its author and time, in a
    /// direct room a join at its revision.
    private func cause(_ person: PersonRecount) -> String {
        guard let membership, let by = person.moderated else { return "" }
        let isInvitation = membership.joined == 0 && membership.inviter == by.author && membership.time == by.time
        guard isInvitation || membership.joined == by.revision else { return "" }
        return " (the \(by.name) of revision \(by.revision) had changed the membership)"
    }

    /// Returns whether the stored standing is this one. One that is over may have been removed.
    private func isSound(_ right: Standing) -> Bool {
        standing == right || standing == Standing() && right.isOver(at: instant)
    }

    /// Returns whether the stored membership is this one.
    private func isSound(_ place: PersonState.Place) -> Bool {
        guard !isUnreadable else { return false }
        switch (place, membership) {
        case (.none, nil): return true
        case (.invited(let author, let time), let stored?):
            return stored.joined == 0 && stored.read == 0 && stored.time == time && stored.settings == RoomSettings()
                && (stored.inviter == nil || stored.inviter == author)
        case (.member(let join, let settings), let stored?):
            return join.revisions.contains(stored.joined) && join.time.map { $0 == stored.time } ?? true
                && stored.inviter == nil
                && (join.read(from: stored.joined)...max(stored.joined, revision)).contains(stored.read)
                && settings.filled(from: stored.settings) == stored.settings
                && stored.settings.contradiction(at: revision) == nil
        case (.none, _?), (.invited, nil), (.member, nil): return false
        }
    }

    /// The possible state that is nearest to what is stored. Among those, a person who has written is a member.
    private func nearest(of person: PersonRecount) -> PersonState {
        func distance(_ state: PersonState) -> Int {
            var distance = isSound(state.standing) ? 0 : 4
            if !isSound(state.place) { distance += 4 }
            if person.lastSend > 0, !state.isMember { distance += 2 }
            if case .none = state.place, membership != nil { distance += 1 }
            if person.lastSend == 0, state.isMember, membership?.joined == 0 { distance += 1 }
            return distance
        }
        return person.states.min { distance($0) < distance($1) } ?? PersonState()
    }

    private func membership(_ place: PersonState.Place, _ person: PersonRecount) -> StoredMembership? {
        switch place {
        case .none: return nil
        case .invited(let author, let time): return StoredMembership(joined: 0, time: time, read: 0, inviter: author)
        case .member(let join, let known):
            let isJoin = membership.map { join.revisions.contains($0.joined) } ?? false
            let joined = isJoin ? membership?.joined ?? 0 : join.revisions.lowerBound
            var settings = known.filled(from: isJoin ? membership?.settings ?? RoomSettings() : RoomSettings())
            if settings.marked > revision { settings.marked = 0 }
            if let pinned = settings.pinned, !SettingsChange.places.contains(pinned) { settings.pinned = nil }
            return StoredMembership(
                joined: joined, time: join.time ?? membership?.time ?? person.time,
                read: read(from: joined, join, person),
                settings: settings)
        }
    }

    /// The read mark, which is in no operation: the stored one if it is the person's own, and otherwise their last message
    /// or their join, whichever is later.
    private func read(from joined: Revision, _ join: KnownJoin, _ person: PersonRecount) -> Revision {
        let (start, end) = (join.read(from: joined), max(joined, revision))
        if let membership, isOwnMark(joined), (start...end).contains(membership.read) { return membership.read }
        return min(max(start, person.lastSend), end)
    }

    /// Returns whether the person has set the stored read mark. A join sets it, too.
    private func isOwnMark(_ joined: Revision) -> Bool {
        guard let membership, membership.joined > 0 else { return false }
        return membership.joined == joined || membership.read > membership.joined
    }

    private func mark(_ right: StoredMembership, _ person: PersonRecount) -> String {
        if let membership, isOwnMark(right.joined), right.read == membership.read {
            return "the read mark stays at \(right.read)"
        }
        let what = right.read == person.lastSend && right.read > right.joined ? "their last message" : "their join"
        return
            "no operation has the read mark: it becomes \(right.read), \(what), so that nothing unread counts as read"
    }
}

extension StoredMembership? {
    fileprivate var text: String {
        guard let self else { return "no member" }
        var text = self.joined > 0 ? "a member since revision \(self.joined)" : "only invited"
        if self.joined > 0 || self.read > 0 { text += ", read up to \(self.read)" }
        if let pinned = self.settings.pinned { text += ", pinned at \(pinned)" }
        if self.settings.isMuted { text += ", muted" }
        if self.settings.isArchived { text += ", archived" }
        if self.settings.marked > 0 { text += ", marked at \(self.settings.marked)" }
        return self.inviter.map { "\(text), invited by \($0)" } ?? text
    }
}

extension Standing {
    fileprivate var text: String {
        var parts = ["\(role)"]
        if mutedUntil > 0 { parts.append("muted until \(mutedUntil)") }
        if isBanned { parts.append("banned") }
        if kicked > 0 { parts.append("kicked at \(kicked)") }
        return parts.joined(separator: ", ")
    }
}
