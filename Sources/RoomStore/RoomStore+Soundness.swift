package import ChatRoom
package import ChatWire

/// The checks on what is read of a room.
///
/// In a file that another program wrote to, valid rows may contradict each other. A room with such rows would fail
/// later, and elsewhere.
extension RoomStore {
    /// Reads as ``read(_:tail:since:atMost:standings:)`` does.
    ///
    /// - Errors: `damagedRoom` also for contents that no operations can cause.
    package func soundReading(
        of room: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope = .all
    ) throws(RoomStoreError) -> RoomReading {
        let reading = try read(room, tail: tail, since: since, atMost: atMost, standings: standings)
        if let contradiction = reading.contradiction(tail: tail, since: since) {
            throw .damagedRoom(room, contradiction)
        }
        return reading
    }

    /// Returns the result of `body` with the epoch in which it was read.
    ///
    /// - Errors: `unavailable` when another epoch began meanwhile.
    package func ofOneEpoch<Reading>(
        _ body: () throws(RoomStoreError) -> Reading
    ) throws(RoomStoreError) -> (Reading, Epoch) {
        let epoch = epoch
        let reading = try body()
        guard epoch == self.epoch else { throw .unavailable("another history began while this one was read") }
        return (reading, epoch)
    }
}

extension RoomReading {
    /// Describes a contradiction that no operations can cause; `nil` if there is none.
    ///
    /// - Complexity: O(tail + changes + standings).
    package func contradiction(tail asked: Int, since: Revision?) -> String? {
        guard revision < WireInteger.limit else { return "revision \(revision) is beyond the largest" }
        guard start <= revision else { return "begins at \(start), after revision \(revision)" }
        guard tail.count == min(asked, count) else { return "\(tail.count) rows of \(count), asked for \(asked)" }
        if let first = tail.first, first.sort < start { return "a row at \(first.sort), and it begins at \(start)" }
        return tail.contradiction(at: revision) ?? changes.contradiction(since: since, at: revision)
            ?? rules.contradiction(at: ruled)
    }
}

extension ListPage<Message> {
    /// See ``RoomReading/contradiction(tail:since:)``.
    package func contradiction(limit: Int) -> String? {
        guard revision < WireInteger.limit else { return "revision \(revision) is beyond the largest" }
        guard rows.count <= limit else { return "\(rows.count) rows, asked for \(limit)" }
        if let row = rows.first(where: { $0.sort < from || $0.sort > to }) {
            return "a row at \(row.sort), not from \(from) to \(to)"
        }
        return rows.contradiction(at: revision)
    }
}

extension HeldReading {
    /// See ``RoomReading/contradiction(tail:since:)``.
    package func contradiction(to query: HeldQuery) -> String? {
        guard revision < WireInteger.limit else { return "revision \(revision) is beyond the largest" }
        var last: UInt64?
        for row in rows {
            if let last, row.sort <= last { return "row \(row.id) at \(row.sort) stands after \(last)" }
            guard row.sort <= row.rev, row.rev <= revision else {
                return "row \(row.id) at \(row.sort) has revision \(row.rev), and the room \(revision)"
            }
            last = row.sort
        }
        return RoomReading.Changes.all(changes.sorted { $0.rev < $1.rev })
            .contradiction(since: query.since, at: revision)
    }
}

extension MembershipReading {
    /// See ``RoomReading/contradiction(tail:since:)``.
    ///
    /// - Parameter count: the number of rows in the room's list.
    package func contradiction(count: Int) -> String? {
        guard revision < WireInteger.limit else { return "revision \(revision) is beyond the largest" }
        if room.kind != .open, !room.isThread, !standing.isAdmitted {
            return "\(user) is a member or invited, and appointed to nothing"
        }
        guard kind == .member || room.kind == .private && read == 0 else { return "\(user) is invited, and has read" }
        // A follower of a thread may have come with a message that they have not read.
        guard joined <= (room.isThread ? read + 1 : read), read <= revision else {
            return "\(user) joined at \(joined) and has read \(read), and the revision is \(revision)"
        }
        if let contradiction = settings.contradiction(at: revision) { return "\(user) \(contradiction)" }
        guard kind == .member || settings == RoomSettings() else { return "\(user) is invited, and has settings" }
        guard kind == .invited || inviter == nil else { return "\(user) is a member, and invited" }
        guard time.isOnTheWire else { return "\(user) joined at no time" }
        guard room.isThread || !standing.isBanned else { return "\(user) is a member, and banned" }
        let hasUnread = last.map { $0.sort > read } ?? false
        guard (0...max(0, count)).contains(unread), (unread > 0) == hasUnread else {
            return "\(user) has read \(read), and \(unread) of \(count) rows are unread"
        }
        guard (0...unread).contains(mentions) else { return "\(mentions) of \(unread) rows mention \(user)" }
        return RoomRules(of: room.kind, standings: [user: standing]).contradiction(at: ruled)
            ?? root?.contradiction(at: ruled)
            ?? last?.contradiction(at: revision)
    }
}

extension RoomSettings {
    /// - Parameter revision: the room's.
    package func contradiction(at revision: Revision) -> String? {
        if let pinned, !SettingsChange.places.contains(pinned) { return "has pinned the room to \(pinned)" }
        return marked <= revision ? nil : "has marked the room at \(marked), and the revision is \(revision)"
    }
}

extension [Message] {
    fileprivate func contradiction(at revision: Revision) -> String? {
        var ids: Set<MessageID> = []
        var last: UInt64?
        for row in self {
            if let contradiction = row.contradiction(at: revision) { return contradiction }
            if let last, row.sort <= last { return "row \(row.id) at \(row.sort) stands after \(last)" }
            guard ids.insert(row.id).inserted else { return "row \(row.id) stands twice" }
            last = row.sort
        }
        return nil
    }
}

extension Message {
    /// See ``RoomReading/contradiction(tail:since:)``.
    package func contradiction(at revision: Revision) -> String? {
        guard (sort...Swift.max(sort, revision)).contains(rev), rev <= revision else {
            return "row \(id) was touched at \(rev), sent at \(sort), and the revision is \(revision)"
        }
        guard time.isOnTheWire, edited?.isOnTheWire ?? true else { return "row \(id) is of no time" }
        return nil
    }
}

extension RoomReading.Changes {
    fileprivate func contradiction(since: Revision?, at revision: Revision) -> String? {
        guard case .all(let changes) = self else { return nil }
        var last = since ?? 0
        for change in changes {
            // Two rows are never touched in one revision.
            guard change.rev > last, change.rev <= revision else {
                return "row \(change.id) was touched at \(change.rev), after \(last), and the revision is \(revision)"
            }
            last = change.rev
            switch change {
            case .row(let row, let reloaded):
                if let contradiction = row.contradiction(at: revision) { return contradiction }
                guard (row.sort...row.rev).contains(reloaded) else {
                    return "row \(row.id) was replaced at \(reloaded), sent at \(row.sort)"
                }
            case .tombstone(let id, let sort, let rev):
                guard sort < rev else { return "row \(id) was deleted at \(rev), sent at \(sort)" }
            }
        }
        return nil
    }
}

extension RoomRules {
    fileprivate func contradiction(at revision: Revision) -> String? {
        guard (0...Moderation.slowestMode).contains(slowMode) else { return "slow mode of \(slowMode) ms" }
        for (user, standing) in standings {
            guard standing.mutedUntil.isOnTheWire else { return "\(user) is muted until \(standing.mutedUntil)" }
            guard standing.kicked <= revision else {
                return "\(user) was put out at \(standing.kicked), and the revision is \(revision)"
            }
        }
        return nil
    }
}

extension Milliseconds {
    package var isOnTheWire: Bool { (0..<Milliseconds(WireInteger.limit)).contains(self) }
}
