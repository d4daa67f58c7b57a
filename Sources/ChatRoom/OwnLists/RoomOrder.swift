import ChatWire

/// The places of all rooms of one person's list, of those without a row, too.
///
/// They depend on the rooms' activities alone, not on the order in which these became known: lists on all servers agree, old
/// ones and new ones.
///
/// - Shape: sort keys are unique among the rooms that are not pinned, and among those that are.
/// - Complexity: O(log *n*) to find a room's place; one that comes, goes or moves shifts those behind it. A change of the
///   pinned rooms costs O(*p* log *p*) for *p* of them.
struct RoomOrder: Sendable {
    struct Spot: Equatable, Sendable {
        let section: MyRoom.Section
        fileprivate(set) var sort: UInt64
        /// The activity that the place shows.
        let activity: Inbox.Activity
    }

    /// A room's place in its section: the first free sort key from ``start`` on, after those of the rooms before it.
    private struct Key: Comparable, Sendable {
        let start: UInt64
        let room: RoomName
        var sort: UInt64

        init(_ room: RoomName, pinnedTo sort: UInt64) {
            (self.room, start, self.sort) = (room, sort, sort)
        }

        init(_ room: RoomName, _ activity: Inbox.Activity, in section: MyRoom.Section) {
            (self.room, start, sort) = (room, activity.last.sort + UInt64(section.order), 0)
        }

        /// Rooms of one stamp stand in the order of their names' bytes.
        static func < (left: Self, right: Self) -> Bool { (left.start, left.room) < (right.start, right.room) }
    }

    private var spots: [RoomName: Spot] = [:]
    /// The rooms of each section, ascending by sort key.
    private var sections: [[Key]] = MyRoom.Section.allCases.map { _ in [] }
    /// The number of rooms in each section.
    private(set) var counts = Dictionary(uniqueKeysWithValues: MyRoom.Section.allCases.map { ($0, 0) })
    /// The places that the person has chosen for the rooms of the section `pinned`.
    private var pins: [RoomName: UInt64] = [:]
    /// The rooms whose sort keys were changed since ``drainMoved()``.
    private var moved: Set<RoomName> = []

    var rooms: some Collection<RoomName> { spots.keys }
    var count: Int { spots.count }

    subscript(room: RoomName) -> Spot? { spots[room] }

    mutating func reserveCapacity(_ count: Int) {
        spots.reserveCapacity(count)
        sections[MyRoom.Section.rooms.order].reserveCapacity(count)
    }

    /// Returns the rooms that have got another sort key since the last call, in the order of their names.
    mutating func drainMoved() -> [RoomName] {
        defer { moved = [] }
        return moved.sorted()
    }

    /// Gives rooms their places: to pinned ones those that the person has chosen, to others those of their last activity.
    mutating func put(_ places: [(room: RoomName, place: Inbox.Place)]) {
        var isRearranged = false
        for (room, place) in places where pins[room] != place.pin {
            pins[room] = place.pin
            isRearranged = true
        }
        // Ascending, so that each place of a new list is at the end.
        let keys = places.map { Key($0.room, $0.place.activity, in: $0.place.section) }
        for index in keys.indices.sorted(by: { keys[$0] < keys[$1] }) { put(keys[index], places[index].place) }
        if isRearranged { arrangePins() }
    }

    private mutating func put(_ key: Key, _ place: Inbox.Place) {
        let (old, section) = (spots[key.room], place.section)
        if let old, old.section == section, !place.activity.isNews(to: old.activity) { return }
        if let old { removeRoom(key.room, old) }
        let sort = section == .pinned && old?.section == .pinned ? old?.sort ?? 0 : 0
        spots[key.room] = Spot(section: section, sort: sort, activity: place.activity)
        guard section != .pinned else { return }  // they are arranged together
        let index = sections[section.order].partitioningIndex { $0 >= key }
        sections[section.order].insert(key, at: index)
        count(section)
        number(section, from: index)
    }

    mutating func remove(_ room: RoomName) {
        guard let old = spots.removeValue(forKey: room) else { return }
        removeRoom(room, old)
        moved.remove(room)
        if pins.removeValue(forKey: room) != nil { arrangePins() }
    }

    private mutating func removeRoom(_ room: RoomName, _ spot: Spot) {
        guard spot.section != .pinned else { return }
        let key = Key(room, spot.activity, in: spot.section)
        let index = sections[spot.section.order].partitioningIndex { $0 >= key }
        sections[spot.section.order].remove(at: index)
        count(spot.section)
        number(spot.section, from: index)
    }

    /// Gives the rooms from one on their sort keys, up to the first that has its own already.
    private mutating func number(_ section: MyRoom.Section, from start: Int) {
        for index in start..<sections[section.order].count {
            let key = sections[section.order][index]
            let free = index == 0 ? 0 : sections[section.order][index - 1].sort + Self.step
            let sort = max(key.start, free)
            guard key.sort != sort else { return }
            sections[section.order][index].sort = sort
            spots[key.room]?.sort = sort
            moved.insert(key.room)
        }
    }

    /// The distance of two rooms' sort keys at least, so that each section has keys of its own.
    private static let step: UInt64 = 4

    /// Gives each pinned room its place, or the next free one. Of two rooms for one place, the first by its name's bytes has
    /// it, so that lists on all servers agree.
    private mutating func arrangePins() {
        var free: UInt64 = 0
        var keys: [Key] = []
        for (room, pin) in pins.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            let sort = max(pin, free)
            free = sort + 1
            keys.append(Key(room, pinnedTo: sort))
            guard let old = spots[room], old.sort != sort else { continue }
            spots[room]?.sort = sort
            moved.insert(room)
        }
        sections[MyRoom.Section.pinned.order] = keys
        count(.pinned)
    }

    private mutating func count(_ section: MyRoom.Section) {
        counts[section] = sections[section.order].count
    }
}

// MARK: - The window

extension RoomOrder {
    /// The sort key of the first room of each section that has a row.
    typealias Edges = [UInt64]

    /// - Parameter limit: the number of rows of the sections that are not shown whole.
    func edges(limit: Int) -> Edges {
        MyRoom.Section.allCases.map { section in
            let keys = sections[section.order]
            return section.isWhole || keys.count <= limit ? 0 : limit == 0 ? .max : keys[keys.count - limit].sort
        }
    }

    func isInside(_ spot: Spot, _ edges: Edges) -> Bool { spot.sort >= edges[spot.section.order] }

    /// The rooms that are inside by one of two edges only.
    func rooms(between one: Edges, _ other: Edges) -> [RoomName] {
        MyRoom.Section.allCases.flatMap { section in
            let (keys, place) = (sections[section.order], section.order)
            let (low, high) = (min(one[place], other[place]), max(one[place], other[place]))
            let start = keys.partitioningIndex { $0.sort >= low }
            return keys[start..<keys.partitioningIndex { $0.sort >= high }].map(\.room)
        }
    }

    /// The rooms that have rows.
    func rooms(inside edges: Edges) -> [RoomName] {
        MyRoom.Section.allCases.flatMap { section in
            let keys = sections[section.order]
            return keys[keys.partitioningIndex { $0.sort >= edges[section.order] }...].map(\.room)
        }
    }
}

extension MyRoom.Section {
    /// True when each room of the section has a row.
    fileprivate var isWhole: Bool {
        switch self {
        case .invited, .pinned: true
        case .rooms, .archived: false
        }
    }
}
