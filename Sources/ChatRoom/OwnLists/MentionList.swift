package import ChatWire

/// The messages that mention one person, `me/mentions`, as a token grants it: a pure value.
///
/// It shows the newest of what the store has read last, with the person's present read marks, and says when the store must
/// be read again. Changes wait for the tick, as those of an ``Inbox`` do.
///
/// A room is shown only while its ``Inbox/Entry`` says that the person is a member who may read it.
package struct MentionList: Sendable {
    /// The most rows of a list.
    package static let most = 100

    /// The part of a room's entry that the list depends on.
    private struct Place: Equatable, Sendable {
        let read: Revision
        let mentions: UInt64
    }

    package let epoch: Epoch
    private let tick: Duration
    private var rows: VersionedList<MyMention>
    private var followers: ListFollowers
    /// `nil` before the first reading.
    private var readings: [MentionReading]?
    /// The ids of ``readings``.
    private var ids: Set<MyMention.ID> = []
    /// Of the rooms in which the person is a member who may read.
    private var places: [RoomName: Place] = [:]
    private var isTouched = false
    /// True when the store must be read again.
    private var isDoubted = true
    /// True while the store is read.
    private var isAsked = false
    /// The earliest time of the next question or revision.
    private var soonest = Duration.zero
    /// True while readers wait for the first reading, or for what came while nobody followed the list.
    package var isAwaited = false

    /// - Parameters:
    ///   - tick: the least time between two diffs.
    ///   - tag: makes a row's tag.
    package init(
        epoch: Epoch, tick: Duration, tagging tag: @escaping @Sendable (MyMention) -> UniqueID? = { _ in nil }
    ) {
        rows = VersionedList(tagging: tag)
        self.epoch = epoch
        self.tick = tick
        followers = ListFollowers(of: epoch)
    }

    package var isFollowed: Bool { !followers.isEmpty }
    package var readers: [Reader] { followers.readers }
    /// The number of rows.
    package var count: Int { rows.rows.count }

    /// True when a reader may be told the list: it was read, and, if nobody follows it, nothing came since.
    package var isReady: Bool { readings != nil && (isFollowed || !isDoubted && !isAsked) }

    /// The time at which something is to be asked or told; `nil` if there is nothing, or nobody to tell.
    package var due: Duration? {
        isFollowed && isTouched || (isFollowed || isAwaited) && isDoubted && !isAsked ? soonest : nil
    }

    /// Takes what a room is to the person now; `nil` if it is not in their list of rooms.
    ///
    /// - Returns: whether that makes a difference.
    package mutating func look(at room: RoomName, _ entry: Inbox.Entry?) -> Bool {
        let place = entry.flatMap { entry in
            entry.section == .invited ? nil : Place(read: entry.light.read, mentions: entry.light.mentions)
        }
        let old = places[room]
        guard place != old else { return false }
        places[room] = place
        if place?.mentions != old?.mentions { isDoubted = true }
        isTouched = true
        return true
    }

    /// Takes a change of a room.
    ///
    /// - Returns: whether it makes a difference.
    package mutating func take(_ change: RowChange, in room: RoomName, for user: UserName) -> Bool {
        let isOurs =
            switch change {
            case .inserted(let row): row.calls(user)
            case .reloaded(let row): row.calls(user) || mayHave(row.id, in: room)
            case .deleted(let id, _): mayHave(id, in: room)
            case .reconfigured, .ruled, .joined, .left, .settings, .affiliated, .created, .nothing: false
            }
        if isOurs { isDoubted = true }
        return isOurs
    }

    /// Returns whether a message was read, or is being read.
    private func mayHave(_ id: MessageID, in room: RoomName) -> Bool {
        isAsked || ids.contains(MyMention.ID(room: room, message: id))
    }

    /// The room has changed in a way that nobody told.
    ///
    /// - Returns: whether that may make a difference.
    package mutating func lose(_ room: RoomName) -> Bool {
        let isOurs = isAsked || ids.contains { $0.room == room }
        if isOurs { isDoubted = true }
        return isOurs
    }

    /// The store may have something else than was read.
    package mutating func doubt() {
        isDoubted = true
    }
}

// MARK: - The store

extension MentionList {
    /// Returns the rooms in which to look for mentions, all after this call; `nil` if nothing is to be asked now.
    package mutating func question(at now: Duration) -> [RoomName]? {
        guard isDoubted, !isAsked, soonest <= now else { return nil }
        (isDoubted, isAsked) = (false, true)
        return places.keys.sorted()
    }

    /// The answer to a ``question(at:)``; `nil` if there is none, and then it is asked again after a pause.
    package mutating func take(_ answer: [MentionReading]?, at now: Duration, pause: Duration) {
        isAsked = false
        guard let answer else {
            isDoubted = true
            soonest = max(soonest, now + pause)
            return
        }
        readings = answer
        ids = Set(answer.map(\.id))
        isTouched = true
    }

    /// Takes what was read into the list.
    ///
    /// - Returns: the changes; `nil` if there are none.
    package mutating func commit(at now: Duration) -> ListDiff<MyMention>? {
        guard isTouched, let readings else { return nil }
        isTouched = false
        let shown = readings.filter { places[$0.room] != nil }
        for row in rows.rows where !ids.contains(row.id) || places[row.id.room] == nil { rows.hide(row.id) }
        for reading in shown { show(reading) }
        guard let diff = rows.commit() else { return nil }
        soonest = now + tick
        return diff
    }

    private mutating func show(_ reading: MentionReading) {
        let (id, message) = (reading.id, reading.message)
        let light = MyMention.Light(text: message.text, isRead: reading.sort <= places[reading.room]?.read ?? 0)
        var row = MyMention(
            id: id, sort: Inbox.sort(at: message.time), rev: 0, author: message.author, time: message.time, light: light
        )
        row.sort = rows[id]?.sort ?? rows.freeSort(for: row)
        rows.show(row)
    }
}

// MARK: - Readers

extension MentionList {
    /// - Parameter resume: the reader's position; `nil` if it holds nothing.
    package mutating func subscribe(_ reader: Reader, _ resume: Resume?) -> ListDelivery<MyMention> {
        followers.subscribe(reader, resume, to: rows)
    }

    package mutating func unsubscribe(_ reader: Reader) {
        followers.unsubscribe(reader)
    }

    /// See ``Inbox/fellBehind(_:at:)``.
    package mutating func fellBehind(_ reader: Reader, at revision: Revision) -> ListDelivery<MyMention>? {
        followers.fellBehind(reader, at: revision, in: rows)
    }
}
