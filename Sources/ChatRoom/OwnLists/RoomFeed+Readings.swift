package import ChatWire

// MARK: - What people have read

extension RoomFeed {
    /// The person's read mark is on disk, if they are a member.
    package mutating func mark(_ user: UserName, _ revision: Revision) {
        guard let head, let person = people[user] ?? nil else { return invalidateIfListed(user) }
        if stale.isAwaited(user) { invalidate(user) }  // the answer may be from before the mark
        guard person.kind == .member, revision > person.read else { return }
        // The store may know other settings, which are told later.
        guard person.settings.allowMark(revision, after: person.read) else { return invalidate(user) }
        if revision > head {
            people[user]??.unread = .ahead(0, at: revision)
            people[user]??.mentions = -log.callsToEveryone
            ahead.insert(user)
        } else if let above = log.count(above: revision), case .since = person.unread {
            people[user]??.unread = .since(log.count - above)
            let called = log.mentions(of: user, above: revision)
            if called > 0, person.hasBlocks { return invalidate(user) }
            people[user]??.mentions = called - log.callsToEveryone
        } else {
            return invalidate(user)
        }
        people[user]??.read = revision
        touched.insert(user)
    }

    /// Returns whether a person's read mark or settings, or a join or invitation of theirs, are not known here, or may be others
    /// by what they have blocked.
    package func isBehind(_ reading: MembershipReading) -> Bool {
        guard let person = people[reading.user] ?? nil else { return true }
        return reading.read > person.read || reading.isMarked && reading.read != person.read
            || reading.time != person.time || reading.kind != person.kind
            || reading.inviter != person.inviter || reading.settings != person.settings
            || reading.hasBlocks || person.hasBlocks
            || room.isThread && reading.standing != person.standing
    }
}

// MARK: - What the store holds

extension RoomFeed {
    /// Begins a query for stale memberships, all as of one moment after this call.
    ///
    /// - Returns: the people; `nil` if there are none, or while another query is under way.
    package mutating func question() -> [UserName]? {
        guard !stale.isQueried else { return nil }
        if let head, announced > head { stale.insertAll() }
        return stale.beginQuery(among: people.keys, announced: announced)
    }

    /// Handles the answer to a ``question()``.
    ///
    /// - Parameter readings: `nil` if the query failed.
    package mutating func apply(_ readings: [UserName: MembershipReading]?, of users: [UserName]) {
        let query = stale.endQuery()
        guard let readings else {
            for user in users { invalidate(user) }
            return
        }
        for user in users where readings[user] == nil && query.people.contains(user) { miss(user) }
        guard let revision = readings.values.first?.revision else { return }
        if let head, revision > head, people.allSatisfy({ isPlaced($1, by: readings[$0]) }),
            let reading = readings.values.first
        {
            rebase(reading)
        }
        for reading in readings.values { place(reading) }
        // Another server may say anything; what it said later still stands.
        if announced == query.announced { announced = max(revision, head ?? 0) }
        replay()
    }

    /// Returns whether a reading has a person's present counts. One from before a known read mark has not.
    private func isPlaced(_ person: Person?, by reading: MembershipReading?) -> Bool {
        guard let person else { return true }
        return reading.map { !isOutdated($0, by: person) } ?? false
    }

    /// Applies one person's membership, read after the room began to tell its changes.
    package mutating func apply(_ reading: MembershipReading) {
        place(reading)
        replay()
    }

    private mutating func place(_ reading: MembershipReading) {
        guard let known = people[reading.user] else { return }
        if head == nil { rebase(reading) }
        applyRules(of: reading)
        guard let unread = unread(of: reading), !isOutdated(reading, by: known), reading.revision >= lastNaming,
            knowsLast(with: reading), reading.ruled >= lastRuling
        else { return invalidate(reading.user) }
        people[reading.user] = Person(
            kind: reading.kind, revision: reading.revision, standing: reading.standing,
            ruled: reading.ruled, time: reading.time,
            inviter: reading.inviter, read: reading.read, unread: unread,
            mentions: reading.mentions + countedCalls(since: reading) - log.callsToEveryone,
            hasBlocks: reading.hasBlocks, settings: reading.settings)
        if reading.hasBlocks { selective.insert(reading.user) } else { selective.remove(reading.user) }
        if case .ahead = unread { ahead.insert(reading.user) } else { ahead.remove(reading.user) }
        touched.insert(reading.user)
    }

    /// Returns the number of messages since a reading that mention its user. For a user with blocks it is read again.
    private mutating func countedCalls(since reading: MembershipReading) -> Int {
        let calls = log.mentions(of: reading.user, above: reading.revision)
        guard calls > 0, reading.hasBlocks else { return calls }
        invalidate(reading.user)
        return 0
    }

    /// Returns whether the feed knows more of a person than a reading.
    ///
    /// A read mark may be on disk since; then the membership is stale. But a new invitation begins without a read mark,
    /// and marking the room as unread may lower it.
    private func isOutdated(_ reading: MembershipReading, by known: Person?) -> Bool {
        guard let known else { return false }
        return reading.revision < known.revision || room.isThread && reading.ruled < known.ruled
            || stale.contains(reading.user) && reading.kind == known.kind && reading.read < known.read
                && reading.settings.marked <= known.read
    }

    /// Goes on from a reading.
    private mutating func rebase(_ reading: MembershipReading) {
        (head, activity) = (reading.revision, reading.activity)
        if !room.isThread { (title, picture, companions) = (reading.title, reading.picture, reading.people) }
        log.forget(upTo: reading.revision)
        last.apply(reading)
        isTouched = true
    }

    /// Applies what a thread has from its room, unless the feed knows more of that.
    private mutating func applyRules(of reading: MembershipReading) {
        guard room.isThread, reading.ruled >= ruled else { return }
        let root = reading.root.map { LastMessage($0) }
        if (title, picture, self.root) != (reading.title, reading.picture, root) { isTouched = true }
        (ruled, title, picture, companions, self.root) = (
            reading.ruled, reading.title, reading.picture, reading.people, root
        )
    }

    /// Returns the count of a reading, beside what was told; `nil` if it is too old for that.
    private func unread(of reading: MembershipReading) -> Unread? {
        guard let head, reading.revision <= head else { return .ahead(reading.unread, at: reading.revision) }
        return log.count(above: reading.revision).map { .since(log.count - $0 - reading.unread) }
    }

    /// Learns the last message from a reading if it was deleted, and returns whether it is known.
    private mutating func knowsLast(with reading: MembershipReading) -> Bool {
        if last.isKnown { return true }
        guard let head, last.update(from: reading, upTo: head) else { return false }
        isTouched = true
        return true
    }

    /// Drops a reading from before the person left, because they may be back with another membership.
    private mutating func forgetReading(of user: UserName, before revision: Revision) {
        guard let person = people[user] ?? nil, person.revision < revision else { return }
        people[user] = .some(nil)
        ahead.remove(user)
        touched.insert(user)
        invalidate(user)
    }

    /// Applies what came early.
    private mutating func replay() {
        let changes = early
        early = []
        for (revision, change) in changes {
            if let leaver = change.leaver { forgetReading(of: leaver, before: revision) }
            follow(change, at: revision)
        }
    }
}
