package import ChatRoom
package import ChatWire

// The comparison of a store's rows with the effects of its operations.

extension Recount {
    /// Compares the next message.
    package mutating func compare(_ message: StoredMessage) {
        placed.append((message.sort, message.ordinal))
        rows[message.sort]?.forget(upTo: gap)
        guard let row = rows[message.sort] else {
            let mentions = message.message?.mentionRows ?? []
            if !mentions.isEmpty { self.mentions[message.sort] = mentions }
            findings.append(Finding("row \(message.sort) is there, and no operation has sent it"))
            return
        }
        compared.insert(message.sort)
        let message = message.isSound || row.gap == 0 ? message : message.withoutContent
        let right = row.right(for: message)
        let rightMentions = row.mentionRows(of: right, stored: message.message)
        if !rightMentions.isEmpty { mentions[message.sort] = rightMentions }
        let differences = row.differences(of: message, from: right)
        guard !differences.isEmpty else { return }
        let isLost = right.content == nil || row.content == nil && message.message == nil
        findings.append(
            Finding(
                "row \(message.sort) (\(row.id)): \(differences.joined(separator: ", "))", [.message(right)],
                caveat: isLost || row.gap > 0 && message.message == nil ? Self.oldEdits(row) : nil))
    }

    private static func oldEdits(_ row: RowRecount) -> String {
        "operations up to revision \(row.gap) are forgotten: an edit or a reaction of before is not known"
    }

    /// - Parameter standing: `nil` for a row that cannot be read.
    package mutating func compare(_ standing: Standing?, of user: UserName) {
        storedStandings[user] = .some(standing)
    }

    /// - Parameter membership: `nil` for a row that cannot be read.
    package mutating func compare(_ membership: StoredMembership?, of user: UserName) {
        storedMemberships[user] = .some(membership)
    }

    package mutating func compare(_ tombstone: StoredTombstone, at revision: Revision) {
        storedTombstones[revision] = tombstone
    }

    /// - Parameter sort: the sort key of a message that was deleted, and whose tombstone is forgotten.
    package mutating func compare(deleted sort: UInt64) { deleted.append(sort) }

    package mutating func compare(_ mention: MentionRow) { storedMentions[mention.sort, default: []].append(mention) }

    package mutating func compare(lastSend time: Milliseconds, of user: UserName) { storedLastSends[user] = time }

    /// Returns the differences, in a fixed order.
    package mutating func finish() -> [Finding] {
        compareMissingRows()
        compareTombstones()
        compareMentions()
        comparePeople()
        compareLastSends()
        let inserted = comparePlaces()
        compareColumns(inserted: inserted)
        return findings
    }

    private mutating func compareMissingRows() {
        for sort in rows.keys.sorted() where !compared.contains(sort) {
            rows[sort]?.forget(upTo: gap)
            guard let row = rows[sort] else { continue }
            var right = row.right(for: nil)
            right.ordinal = ordinal(at: sort)
            let calls = row.mentionRows(of: right, stored: nil)
            if !calls.isEmpty { mentions[sort] = calls }
            placed.append((sort, right.ordinal))
            let text = "row \(sort) (\(row.id)) is missing: \(row.author) sent it, and it was not deleted"
            findings.append(Finding(text, [.message(right)], caveat: row.gap > 0 ? Self.oldEdits(row) : nil))
        }
        placed.sort { $0.sort < $1.sort }
    }

    /// The ordinal of a missing row, from the nearest row before it or after it.
    private func ordinal(at sort: UInt64) -> Int {
        let gone = deletedSorts
        if let before = placed.last(where: { $0.sort < sort && $0.ordinal > 0 }) {
            return before.ordinal + 1 + gone.count { before.sort < $0 && $0 < sort }
        }
        guard let after = placed.first(where: { $0.sort > sort && $0.ordinal > 0 }) else {
            return max(0, stored.inserted - gone.count { $0 > sort })
        }
        return max(0, after.ordinal - 1 - gone.count { sort < $0 && $0 < after.sort })
    }

    private var deletedSorts: [UInt64] {
        (storedTombstones.values.map(\.sort) + deleted).filter { rows[$0] == nil }
    }

    private mutating func compareTombstones() {
        for revision in Set(tombstones.keys).union(storedTombstones.keys).sorted() {
            let found = storedTombstones[revision]
            guard let right = tombstones[revision] else {
                let text = "the deletion at revision \(revision) is there, and no operation made it"
                findings.append(Finding(text, [.tombstone(revision, nil)]))
                continue
            }
            if let found, found.id == right.id, right.sort.map({ $0 == found.sort }) ?? (found.sort < revision) {
                continue
            }
            let what = found == nil ? "missing" : "of another message than its operation says"
            let sort = right.sort ?? found?.sort
            let repair = sort.map { Repair.tombstone(revision, StoredTombstone(id: right.id, sort: $0)) }
            findings.append(Finding("the deletion at revision \(revision) is \(what)", repair.map { [$0] } ?? []))
            if let sort { storedTombstones[revision] = StoredTombstone(id: right.id, sort: sort) }
        }
        for sort in deleted where rows[sort] != nil || sort > gap {
            findings.append(
                Finding(
                    "row \(sort) is kept as deleted, and no forgotten operation did that", [.notDeleted(sort: sort)]))
        }
        deleted.removeAll { rows[$0] != nil || $0 > gap }
        for revision in storedTombstones.keys where tombstones[revision] == nil { storedTombstones[revision] = nil }
    }

    private mutating func compareMentions() {
        for sort in Set(mentions.keys).union(storedMentions.keys).sorted() {
            let (right, found) = (Set(mentions[sort] ?? []), Set(storedMentions[sort] ?? []))
            guard right != found else { continue }
            let users = right.symmetricDifference(found).map { $0.user.isEmpty ? "everyone" : $0.user }
            let names = Set(users).sorted().joined(separator: ", ")
            findings.append(
                Finding(
                    "row \(sort) and the table of mentions differ about \(names)",
                    [.mentions(sort: sort, mentions[sort] ?? [])]))
        }
    }

    private mutating func compareLastSends() {
        for user in Set(lastSends.keys).union(storedLastSends.keys).sorted() {
            let found = storedLastSends[user]
            if let right = lastSends[user] {
                if found == right.time || found != nil && right.revision <= gap { continue }
                if found == nil, isOver(lastSend: right.time) { continue }
                let text =
                    "\(user) wrote last in slow mode at \(right.time), and stored is \(found.map(String.init) ?? "nothing")"
                findings.append(Finding(text, [.lastSend(user, right.time)]))
            } else if configuration.slowMode == 0 || slowSince > gap {
                let text = "\(user) has written nothing in slow mode, and stored is \(found ?? 0)"
                findings.append(Finding(text, [.lastSend(user, nil)]))
            }
        }
    }

    /// Returns whether slow mode no longer counts a message of that time, so that it may have been removed.
    private func isOver(lastSend time: Milliseconds) -> Bool {
        let end = time.addingReportingOverflow(configuration.slowMode)
        return !end.overflow && end.partialValue <= instant
    }

    /// Compares the numbers of the messages, and returns the right number of all that ever came.
    ///
    /// Between two messages as many numbers are missing as were deleted there. A file of before ordinals began to count in
    /// the middle, so the number that most of the rows agree on is the right one.
    private mutating func comparePlaces() -> Int {
        let start = firstOrdinal
        let numbered = placed.filter { $0.sort >= start }.drop { $0.ordinal == 0 }
        guard let first = numbered.first else {
            return placed.isEmpty && knowsAll ? deletedSorts.count : stored.inserted
        }
        let gone = deletedSorts.filter { $0 > first.sort }.sorted()
        var (before, offsets): (Int, [Int]) = (0, [])
        for (index, place) in numbered.enumerated() {
            while before < gone.count, gone[before] < place.sort { before += 1 }
            offsets.append(place.ordinal - index - before)
        }
        let end = numbered.count - 1 + gone.count
        let offset = commonest(offsets, or: stored.inserted - end, before: first.sort)
        for (place, found) in zip(numbered, offsets) where found != offset {
            let right = place.ordinal - found + offset
            let text = "row \(place.sort) is number \(place.ordinal), and \(right) by the rows and deletions around it"
            findings.append(Finding(text, [.ordinal(sort: place.sort, right)]))
        }
        return end + offset
    }

    /// True when no operation is forgotten, and every message has an ordinal.
    private var knowsAll: Bool { stored.start == 0 && gap == 0 && ordinals == .all }

    /// The sort key of the first message whose ordinal counts.
    private var firstOrdinal: UInt64 {
        switch ordinals {
        case .all: 0
        case .sinceTheFirstJoin: people.values.compactMap(\.firstJoin).min() ?? .max
        }
    }

    /// Returns the offset that most of the rows have. The room's own row has one voice, and a row that of two.
    private func commonest(_ offsets: [Int], or own: Int, before first: UInt64) -> Int {
        var votes: [Int: Int] = [own: 1]
        for offset in offsets { votes[offset, default: 0] += 2 }
        if knowsAll {
            // No more messages can have come before than were deleted there.
            let most = 1 + deletedSorts.count { $0 < first }
            let possible = votes.filter { $0.key <= most }
            if !possible.isEmpty { votes = possible } else { return most }
        }
        return votes.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 1
    }

    private mutating func compareColumns(inserted: Int) {
        var right = stored
        right.revision = max(stored.revision, last)
        right.count = placed.count
        right.inserted = inserted
        right.configuration = configuration
        right.configuration.pins = pins.right(for: stored.configuration.pins, from: stored.start)
        right.damage = []
        if let stamp = stored.activity, !isPossible(stamp) { right.activity = activity }
        if stored.isRuled == false, !storedStandings.isEmpty || people.values.contains(where: \.hasStanding) {
            right.isRuled = true
        }
        let differences = stored.differences(from: right)
        guard !differences.isEmpty else { return }
        findings.append(Finding(differences.joined(separator: "; "), [.columns(right)]))
    }

    private func isPossible(_ stamp: ActivityStamp) -> Bool {
        possibleActivities.contains(stamp) || gap > 0 && stamp >= possibleActivities.min() ?? .none
    }
}

extension PersonRecount {
    /// The latest revision at which the person may have joined; `nil` for no member.
    fileprivate var firstJoin: Revision? {
        states.compactMap { if case .member(let join, _) = $0.place { join.revisions.upperBound } else { nil } }.max()
    }

    fileprivate var hasStanding: Bool { states.count == 1 && states[0].standing != Standing() }
}

extension RoomColumns {
    fileprivate func differences(from right: RoomColumns) -> [String] {
        var found = damage
        func compare<Value: Equatable>(_ name: String, _ stored: Value, _ right: Value) {
            if stored != right { found.append("its \(name) is \(stored), and should be \(right)") }
        }
        compare("revision", revision, right.revision)
        compare("number of rows", count, right.count)
        compare("number of messages ever", inserted, right.inserted)
        compare("slow mode", configuration.slowMode, right.configuration.slowMode)
        compare("read-only mode", configuration.isReadOnly, right.configuration.isReadOnly)
        let rightPicture = right.configuration.picture?.description ?? "none"
        compare("title", configuration.title?.description ?? "none", right.configuration.title?.description ?? "none")
        compare("topic", configuration.topic?.description ?? "none", right.configuration.topic?.description ?? "none")
        compare("picture", configuration.picture?.description ?? "none", rightPicture)
        compare("pinned messages", configuration.pins.text, right.configuration.pins.text)
        compare("activity", activity?.rawValue ?? 0, right.activity?.rawValue ?? 0)
        if isRuled != right.isRuled { found.append("it is stored as a room without standings, and has some") }
        return found
    }
}
