package import ChatWire

/// The messages that mention one person, `me/mentions`, as a token grants it: a pure value.
///
/// It shows the newest of what the store has read last, with the person's present read marks, and says when the store must
/// be read again. Changes wait for the tick, as those of an ``Inbox`` do.
///
/// A room is shown only while it is in the person's list of rooms, as a member's who may read it.
package struct MentionList: ListState, Sendable {
    /// The most rows of a list.
    package static let most = WireLimits.newestMentions

    package var list: FollowedList<MyMention>
    /// `nil` before the first reading.
    private var readings: [MentionReading]?
    /// The ids of ``readings``.
    private var ids: Set<MyMention.ID> = []
    /// The rooms in which the person is a member who may read, with the number of unread mentions if it was told.
    private var rooms: [RoomName: UInt64?] = [:]
    /// The rooms that came since the store was asked last. Its answer may be about an earlier membership in them.
    private var newcomers: Set<RoomName> = []
    private var isTouched = false
    /// The parts of the store that have not answered about the person. Their messages may be missing.
    package var missing: Set<Int> = [] {
        didSet { if missing != oldValue { isTouched = true } }
    }
    /// True when the store must be read again.
    private var isStale = true
    /// True while the store is read.
    private var isAsked = false
    /// True while readers wait for the first reading, or for the changes since the list had no followers.
    package var isAwaited = false

    /// - Parameters:
    ///   - tick: the least time between two diffs.
    ///   - tag: makes a row's tag.
    package init(
        epoch: Epoch, tick: Duration, tagging tag: @escaping @Sendable (MyMention) -> UniqueID? = { _ in nil }
    ) {
        list = FollowedList(VersionedList(tagging: tag), of: epoch, tick: tick)
    }

    /// True when a reader may be told the list: it was read, and, if it has no followers, nothing came since.
    package var isReady: Bool { readings != nil && (isFollowed || !isStale && !isAsked) }

    /// The time at which something is to be asked or told; `nil` if there is nothing, or no follower.
    package var due: Duration? {
        isFollowed && isTouched || (isFollowed || isAwaited) && isStale && !isAsked ? list.soonest : nil
    }

    /// Applies a room's present section in the person's list of rooms, `nil` if it is not there, and the number of its unread
    /// mentions, `nil` if it is not known.
    ///
    /// - Returns: whether that makes a difference.
    package mutating func update(at room: RoomName, in section: MyRoom.Section?, mentions: UInt64?) -> Bool {
        let isMember = section.map { $0 != .invited } ?? false
        let old = rooms[room]
        guard isMember == (old != nil) else {
            rooms[room] = isMember ? .some(mentions) : nil
            if isMember { newcomers.insert(room) } else { forget(room) }
            isStale = true
            isTouched = true
            return true
        }
        guard let old, let mentions, old != mentions else { return false }
        rooms[room] = .some(mentions)
        // A number that was not known tells nothing new.
        guard old != nil else { return false }
        isStale = true
        isTouched = true
        return true
    }

    /// The person is no member any more, or may not read.
    private mutating func forget(_ room: RoomName) {
        guard let readings, ids.contains(where: { $0.room == room }) else { return }
        keep(readings.filter { $0.room != room })
    }

    private mutating func keep(_ readings: [MentionReading]) {
        self.readings = readings
        ids = Set(readings.map(\.id))
    }

    /// The person's read mark in a room may have moved to a revision.
    ///
    /// - Returns: whether that makes a difference.
    package mutating func mark(_ room: RoomName, _ revision: Revision) -> Bool {
        let isOurs = mayRead(room, upTo: revision)
        if isOurs { isStale = true }
        return isOurs
    }

    /// Returns whether there may be unread messages up to a revision.
    private func mayRead(_ room: RoomName, upTo revision: Revision) -> Bool {
        isAsked || readings?.contains { $0.room == room && $0.sort <= revision && $0.sort > $0.read ?? 0 } ?? false
    }

    /// Applies a change of a room.
    ///
    /// - Returns: whether it makes a difference.
    package mutating func apply(_ change: RowChange, in room: RoomName, for user: UserName) -> Bool {
        let isOurs =
            switch change {
            case .inserted(let row, _, _): row.calls(user) || row.author == user && mayRead(room, upTo: row.sort)
            case .reloaded(let row): row.calls(user) || mayHave(row.id, in: room)
            case .deleted(let id, _): mayHave(id, in: room)
            case .settings(user, _, _?): true  // the read mark has gone back
            case .joined, .affiliated, .created: isBack(user, in: room, by: change)
            case .reconfigured, .ruled, .left, .settings, .nothing: false
            }
        if isOurs { isStale = true }
        return isOurs
    }

    /// Returns whether the person comes to a room in which they are known as a member: with another membership, which has a
    /// read mark of its own.
    private func isBack(_ user: UserName, in room: RoomName, by change: RowChange) -> Bool {
        rooms[room] != nil && change.comers.contains { $0.user == user }
    }

    /// Returns whether a message was read, or is being read.
    private func mayHave(_ id: MessageID, in room: RoomName) -> Bool {
        isAsked || ids.contains(MyMention.ID(room: room, message: id))
    }

    /// The room has changed in an unknown way.
    ///
    /// - Returns: whether that may make a difference.
    package func mayConcern(_ room: RoomName) -> Bool {
        isAsked || ids.contains { $0.room == room }
    }

    /// The store may have something else than was read.
    package mutating func invalidate() {
        isStale = true
    }
}

// MARK: - The store

extension MentionList {
    /// Returns the rooms in which to look for mentions, all after this call; `nil` if nothing is to be asked now.
    package mutating func question(at now: Duration) -> [RoomName]? {
        guard isStale, !isAsked, list.soonest <= now else { return nil }
        (isStale, isAsked) = (false, true)
        newcomers = []
        return rooms.keys.sorted()
    }

    /// The answer to a ``question(at:)``; `nil` if there is none, and then it is asked again after a pause.
    ///
    /// - Parameter isUnread: returns whether a room could not be read. Its messages stay.
    package mutating func apply(
        _ answer: [MentionReading]?, at now: Duration, pause: Duration,
        keepingThoseIn isUnread: (RoomName) -> Bool = { _ in false }
    ) {
        isAsked = false
        guard var answer else {
            isStale = true
            list.pause(until: now + pause)
            return
        }
        let kept = readings?.filter { isUnread($0.room) } ?? []
        if !kept.isEmpty { answer = (answer + kept).newest(Self.most) }
        // A room without a membership is about to leave the list.
        keep(answer.filter { $0.read != nil && !newcomers.contains($0.room) })
        isTouched = true
    }

    /// Applies what was read to the list.
    ///
    /// - Returns: the changes; `nil` if there are none.
    package mutating func commit(at now: Duration) -> ListDiff<MyMention>? {
        guard isTouched, let readings else { return nil }
        isTouched = false
        for row in list.rows.rows where !ids.contains(row.id) || rooms[row.id.room] == nil { list.rows.hide(row.id) }
        for reading in readings where rooms[reading.room] != nil { show(reading) }
        return list.commit(at: now, missing: shownMissing)
    }

    /// The databases whose rows are missing. A part that answers again is missing until the list was read.
    private var shownMissing: [Int] {
        let numbers = missing.map { $0 + 1 }
        return isStale || isAsked ? Set(numbers).union(list.rows.missing).sorted() : numbers.sorted()
    }

    private mutating func show(_ reading: MentionReading) {
        var row = reading.row
        row.sort = list.rows[row.id]?.sort ?? list.rows.freeSort(for: row)
        list.rows.show(row)
    }
}

// MARK: - Older ones

extension MentionList {
    /// The rooms in which to look for older messages than those that are shown.
    package var places: [RoomName] { rooms.keys.sorted() }

    /// Returns a page of what was read in ``places``. It has nothing of rooms that the person has left since.
    ///
    /// - Parameters:
    ///   - readings: in the order of their instants, the newest `limit`, and an older one if there are more.
    package func page(of readings: [MentionReading], limit: Int) -> MentionsPage {
        var page = MentionsPage(rows: [], more: readings.count > limit)
        for reading in readings.suffix(limit) where reading.read != nil && rooms[reading.room] != nil {
            var row = reading.row
            row.sort = max(row.sort, page.rows.last.map { $0.sort + 1 } ?? 0)
            page.rows.append(row)
        }
        return page
    }
}

extension MentionReading {
    /// The row, at the lowest sort key of its instant.
    fileprivate var row: MyMention {
        MyMention(
            id: id, sort: ActivityStamp(of: instant).sort, rev: 0, author: message.author, time: message.time,
            light: MyMention.Light(text: message.text, isRead: sort <= read ?? 0))
    }
}
