package import ChatWire

/// One person's list of rooms, `me/rooms`, as a token grants it: a pure value. Changed rooms come in, deliveries come out.
///
/// It knows no socket, queue, clock or store, and nothing of the rooms: it learns the time and the rows when it tells the
/// changes. They wait for the tick, so however much happens, there is one net diff in that time; the first change after a
/// quiet time waits for nothing.
///
/// In the sections that grow long only the newest rooms have rows. The list knows the places of the others, and needs
/// no more of them before they get rows.
package struct Inbox: ListState, Sendable {
    /// A room's state as the person's list shows it.
    package struct Entry: Equatable, Sendable {
        package let place: Place
        package let people: [UserName]
        package let light: MyRoom.Light
    }

    /// The part of a room's state that decides its place.
    package struct Place: Equatable, Sendable {
        package let section: MyRoom.Section
        /// The place that the person has chosen; `nil` for none.
        package let pinned: UInt64?
        package let activity: Activity

        package init(section: MyRoom.Section, pinned: UInt64?, activity: Activity) {
            self.section = section
            self.pinned = pinned
            self.activity = activity
        }

        package init(_ place: MembershipPlace) {
            let section: MyRoom.Section =
                place.kind == .invited
                ? .invited : place.isArchived ? .archived : place.pinned == nil ? .rooms : .pinned
            self.init(
                section: section, pinned: place.pinned, activity: Activity(joined: place.time, said: place.activity))
        }

        /// The chosen place, if it counts.
        var pin: UInt64? { section == .pinned ? pinned : nil }
    }

    /// The time of the last event in a room, as all servers see it.
    package struct Activity: Equatable, Sendable {
        /// The time of the person's join or invitation.
        package let joined: Milliseconds
        /// The room's. See ``RowChange/activity(after:)``.
        package let said: ActivityStamp

        /// The later of the two.
        var last: ActivityStamp { max(ActivityStamp(of: joined), said) }

        /// Returns whether a client with the other one lacks this one: a newer message came, or the membership is
        /// another one.
        func isNews(to other: Activity) -> Bool { joined != other.joined || said > other.said }
    }

    /// The knowledge of a room: its entry, that it must be read, or that it is gone.
    package enum Visibility: Sendable {
        case entry(Entry)
        /// The room is in the list, and must be read.
        case unknown
        /// The room is not in the list.
        case gone
    }

    package var list: FollowedList<MyRoom>
    private var order = RoomOrder()
    private var edges: RoomOrder.Edges
    /// The number of rows of the sections `rooms` and `archived`, each. The others are whole.
    package var limit: Int
    /// The parts of the store that have not answered about the person. Their rooms may be missing.
    package var missing: Set<Int> = []
    private var touched: Set<RoomName> = []
    /// Rooms that must be read before their change can be shown. Until then they stand as they stood.
    private var awaited: Set<RoomName> = []

    /// - Parameters:
    ///   - tick: the least time between two diffs.
    ///   - rooms: the person's rooms, as they stand.
    ///   - tag: makes a row's tag.
    package init(
        epoch: Epoch, tick: Duration, limit: Int = 0, rooms: [(room: RoomName, place: Place)] = [],
        tagging tag: @escaping @Sendable (MyRoom) -> UniqueID? = { _ in nil }
    ) {
        list = FollowedList(VersionedList(counts: RoomOrder().counts, tagging: tag), of: epoch, tick: tick)
        self.limit = limit
        order.reserveCapacity(rooms.count)
        order.put(rooms)
        _ = order.drainMoved()
        edges = order.edges(limit: limit)
        touched = Set(order.rooms(inside: edges))
    }

    /// The rooms of the list, in any order, with and without rows.
    package var rooms: some Collection<RoomName> { order.rooms }

    /// True when each room that is to have a row has it, as of the last ``commit(at:_:)``.
    package var isReady: Bool {
        awaited.allSatisfy { room in list.rows[room] != nil || order[room].map { !order.isInside($0, edges) } ?? true }
    }

    /// True when nothing is to be read for the list, as of the last ``commit(at:_:)``.
    package var isSettled: Bool { awaited.isEmpty }

    /// The time at which changes are to be told; `nil` if there are none.
    package var due: Duration? { touched.isEmpty && list.rows.missing == shownMissing ? nil : list.soonest }

    /// The databases whose rows are missing. A part that answers again is missing until its rooms were read.
    private var shownMissing: [Int] {
        let numbers = missing.map { $0 + 1 }
        return awaited.isEmpty ? numbers.sorted() : Set(numbers).union(list.rows.missing).sorted()
    }

    /// The section of a room; `nil` if it is not in the list.
    package func section(of room: RoomName) -> MyRoom.Section? { order[room]?.section }

    /// Returns whether a room has a row, or is to get one.
    package func needs(_ room: RoomName) -> Bool {
        awaited.contains(room) || touched.contains(room) || order[room].map { order.isInside($0, edges) } ?? false
    }

    /// The rooms that have rows, or are to get them.
    package var needed: Set<RoomName> { awaited.union(touched).union(order.rooms(inside: edges)) }

    /// Returns whether a room is placed otherwise, or its news are not known.
    package func isBehind(_ room: RoomName, _ place: Place?) -> Bool {
        guard let spot = order[room] else { return place != nil }
        guard let place, place.section == spot.section else { return true }
        return place.activity.isNews(to: spot.activity)
    }

    /// The room may have changed for the person, or come or gone.
    package mutating func touch(_ room: RoomName) {
        touched.insert(room)
    }

    /// The room must not be shown, whatever is read of it now.
    package mutating func hide(_ room: RoomName) {
        touched.insert(room)
        list.rows.hide(room)
        order.remove(room)
    }
}

// MARK: - Changes

extension Inbox {
    /// The diff that changes lead to, and the rooms that are left to do.
    package struct Outcome: Sendable {
        /// `nil` if the list has not changed.
        package let diff: ListDiff<MyRoom>?
        /// The rooms that were touched.
        package let touched: [RoomName]
        /// The rooms that must be read, to be touched then.
        package let unread: [RoomName]
        /// The rooms that were touched or had rows, and have none.
        package let spare: [RoomName]
    }

    /// Applies the touched rooms' present state to the list, and that of rooms that get a row now. Others stand as they
    /// stood, though they may have made room.
    ///
    /// - Complexity: O(*t* log *t*) for *t* rooms that are touched or get or lose rows. Each that moves shifts the
    ///   rooms behind it. A change of the pinned rooms costs O(*p* log *p*) for *p* of them.
    package mutating func commit(at now: Duration, _ visibility: (RoomName) -> Visibility) -> Outcome {
        let (touched, before) = (touched.sorted(), edges)
        self.touched = []
        var (changed, entries) = (Set(touched), [RoomName: Entry]())
        var next = touched
        repeat {
            update(at: next, visibility, &entries)
            edges = order.edges(limit: limit)
            let moved = order.drainMoved()
            move(moved.filter { entries[$0] == nil })
            let shifted = Set(moved).union(order.rooms(between: before, edges))
            changed.formUnion(shifted)
            next = shifted.filter { isMissing($0) && entries[$0] == nil }.sorted()
        } while !next.isEmpty
        let shown = changed.sorted()
        for room in shown { show(room, entries[room]) }
        let diff = list.commit(at: now, counts: order.counts, missing: shownMissing)
        return Outcome(
            diff: diff, touched: touched, unread: awaited.sorted(), spare: shown.filter { !needs($0) })
    }

    private mutating func update(
        at rooms: [RoomName], _ visibility: (RoomName) -> Visibility, _ entries: inout [RoomName: Entry]
    ) {
        var places: [(room: RoomName, place: Place)] = []
        for room in rooms {
            awaited.remove(room)
            switch visibility(room) {
            case .entry(let entry):
                entries[room] = entry
                places.append((room, entry.place))
            case .unknown: awaited.insert(room)
            case .gone: order.remove(room)
            }
        }
        order.put(places)
    }

    /// Returns whether a room is to have a row, and neither has one nor waits to be read.
    private func isMissing(_ room: RoomName) -> Bool {
        guard let spot = order[room], order.isInside(spot, edges) else { return false }
        return list.rows[room] == nil && !awaited.contains(room)
    }

    private mutating func show(_ room: RoomName, _ entry: Entry?) {
        guard let spot = order[room], order.isInside(spot, edges) else { return list.rows.hide(room) }
        guard let entry else { return }
        list.rows.show(
            MyRoom(
                id: room, section: spot.section, sort: spot.sort, rev: 0, people: entry.people, light: entry.light))
    }

    /// Moves the rows of rooms that have made room for others, or taken it, and are not shown anew.
    private mutating func move(_ rooms: [RoomName]) {
        for room in rooms {
            guard var row = list.rows[room], let spot = order[room] else { continue }
            row.section = spot.section
            row.sort = spot.sort
            list.rows.show(row)
        }
    }
}

extension ActivityStamp {
    /// Later than this a clock is wrong. Sort keys must stay below 2⁵³.
    private static let last = ActivityStamp(of: 1 << 42 - 1)

    /// The first sort key of a row of this time.
    var sort: UInt64 { UInt64(min(self, .last).rawValue) << 2 + 1 }
}
