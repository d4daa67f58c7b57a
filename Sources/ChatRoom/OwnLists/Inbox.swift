package import ChatWire

/// One person's list of rooms, `me/rooms`, as a token grants it: a pure value. Changed rooms come in, deliveries come out.
///
/// It knows no socket, queue, clock or store, and nothing of the rooms: it learns the time and the rows when it tells the
/// changes. They wait for the tick, so however much happens, there is one net diff in that time; the first change after a
/// quiet time waits for nothing.
package struct Inbox: Sendable {
    /// A room's state as the person's list shows it.
    package struct Entry: Equatable, Sendable {
        package let section: MyRoom.Section
        /// The place that the person has chosen; `nil` for none.
        package let pinned: UInt64?
        package let people: [UserName]
        package let light: MyRoom.Light
        package let activity: Activity
    }

    /// When something last happened in a room.
    package struct Activity: Equatable, Sendable {
        /// The time of the last message, or of the person's join or invitation if that is later.
        package let time: Milliseconds
        /// Grows with each message.
        package let number: UInt64
    }

    package let epoch: Epoch
    private let tick: Duration
    private var rows: VersionedList<MyRoom>
    /// The activity that each row's place shows.
    private var shown: [RoomName: UInt64] = [:]
    /// The places that the person has chosen for the rooms of the section `pinned`.
    private var pins: [RoomName: UInt64] = [:]
    /// Their sort keys.
    private var places: [RoomName: UInt64] = [:]
    private var followers: ListFollowers
    private var touched: Set<RoomName> = []
    /// The earliest time of the next revision.
    private var soonest = Duration.zero

    /// - Parameters:
    ///   - tick: the least time between two diffs.
    ///   - tag: makes a row's tag.
    package init(
        epoch: Epoch, tick: Duration, tagging tag: @escaping @Sendable (MyRoom) -> UniqueID? = { _ in nil }
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

    /// The time at which changes are to be told; `nil` if there are none, or nobody to tell.
    package var due: Duration? { touched.isEmpty || followers.isEmpty ? nil : soonest }

    /// The room may have changed for the person, or come or gone.
    package mutating func touch(_ room: RoomName) {
        touched.insert(room)
    }

    /// Takes the touched rooms' present state into the list.
    ///
    /// - Parameter entry: what a room is to the person; `nil` if it is not in the list.
    /// - Returns: the changes; `nil` if there are none.
    /// - Complexity: O(*t* log *t*) for *t* touched rooms, one of which shifts the rows behind it if it moves; a change of
    ///   the pinned rooms costs O(*p* log *p*) for *p* of them.
    package mutating func commit(at now: Duration, _ entry: (RoomName) -> Entry?) -> ListDiff<MyRoom>? {
        var entries: [(room: RoomName, entry: Entry)] = []
        let before = pins
        for room in touched.sorted() {
            if let entry = entry(room) { entries.append((room, entry)) } else { hide(room) }
        }
        touched = []
        entries.sort { $0.entry.activity.time < $1.entry.activity.time }
        for (room, entry) in entries { pins[room] = entry.section == .pinned ? entry.pinned : nil }
        if pins != before { arrangePins() }
        for (room, entry) in entries { show(room, entry) }
        if pins != before { movePins() }
        guard let diff = rows.commit() else { return nil }
        soonest = now + tick
        return diff
    }

    private mutating func hide(_ room: RoomName) {
        rows.hide(room)
        shown[room] = nil
        pins[room] = nil
    }

    /// Later than this a clock is wrong. Sort keys must stay below 2⁵³.
    private static let lastTime: Milliseconds = 1 << 42 - 1

    /// The first sort key of a time.
    static func sort(at time: Milliseconds) -> UInt64 {
        UInt64(min(max(time, 0), lastTime)) << 11 + 1
    }

    /// Gives each pinned room its place, or the next free one. Of two rooms for one place, the first by its name's bytes has
    /// it, so that lists on all servers agree.
    private mutating func arrangePins() {
        places = [:]
        var free: UInt64 = 0
        for (room, pin) in pins.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            places[room] = max(pin, free)
            free = max(pin, free) + 1
        }
    }

    /// Moves the pinned rooms whose places others have taken, or left.
    private mutating func movePins() {
        for room in places.keys.sorted() {
            guard var row = rows[room], let place = places[room], row.sort != place else { continue }
            row.sort = place
            rows.show(row)
        }
    }

    /// Shows a pinned room in its place, and another one by the time of its last activity, but always at its section's end
    /// when something was said.
    private mutating func show(_ room: RoomName, _ entry: Entry) {
        var row = MyRoom(
            id: room, section: entry.section, sort: Self.sort(at: entry.activity.time), rev: 0, people: entry.people,
            light: entry.light)
        if let place = places[room], row.section == .pinned {
            row.sort = place
        } else if let old = rows[room], old.section == row.section {
            if entry.activity.number == shown[room] {
                row.sort = old.sort
            } else {
                row.sort = max(row.sort, rows.end(of: row.section))
                row.sort = rows.freeSort(for: row)
            }
        } else {
            row.sort = rows.freeSort(for: row)
        }
        rows.show(row)
        shown[room] = entry.activity.number
    }
}

// MARK: - Readers

extension Inbox {
    /// - Parameter resume: the reader's position; `nil` if it holds nothing.
    package mutating func subscribe(_ reader: Reader, _ resume: Resume?) -> ListDelivery<MyRoom> {
        followers.subscribe(reader, resume, to: rows)
    }

    package mutating func unsubscribe(_ reader: Reader) {
        followers.unsubscribe(reader)
    }

    /// The reader fell off the outgoing log, and holds this revision.
    ///
    /// - Returns: `nil` for an old report: a reader that has received a later revision fell off before that.
    package mutating func fellBehind(_ reader: Reader, at revision: Revision) -> ListDelivery<MyRoom>? {
        followers.fellBehind(reader, at: revision, in: rows)
    }
}
