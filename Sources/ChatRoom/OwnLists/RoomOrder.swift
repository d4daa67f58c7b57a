import ChatWire

/// The places of all rooms of one person's list, of those without a row, too.
///
/// - Shape: sort keys are unique in the whole list.
/// - Complexity: O(log *n*) to find a room's place; one that comes, goes or moves shifts those behind it. A change of the
///   pinned rooms costs O(*p* log *p*) for *p* of them.
struct RoomOrder: Sendable {
    struct Spot: Equatable, Sendable {
        let section: MyRoom.Section
        let sort: UInt64
        /// The activity that the place shows.
        let number: UInt64
    }

    private struct Key: Sendable {
        let sort: UInt64
        let room: RoomName
    }

    private var spots: [RoomName: Spot] = [:]
    /// The rooms of each section, ascending by sort key.
    private var sections: [[Key]] = MyRoom.Section.allCases.map { _ in [] }
    /// The places that the person has chosen for the rooms of the section `pinned`.
    private var pins: [RoomName: UInt64] = [:]

    var rooms: some Collection<RoomName> { spots.keys }
    var count: Int { spots.count }

    subscript(room: RoomName) -> Spot? { spots[room] }

    /// The number of rooms in each section.
    var counts: [MyRoom.Section: Int] {
        MyRoom.Section.allCases.reduce(into: [:]) { $0[$1] = sections[$1.index].count }
    }

    mutating func reserveCapacity(_ count: Int) {
        spots.reserveCapacity(count)
        sections[MyRoom.Section.rooms.index].reserveCapacity(count)
    }

    /// Gives rooms their places: to pinned ones those that the person has chosen, to others those of their last activity,
    /// but always their section's end when something was said.
    ///
    /// - Parameter places: of one time, the first gets the lowest sort key.
    /// - Returns: the pinned rooms whose places others have taken, or left.
    mutating func put(_ places: [(room: RoomName, place: Inbox.Place)]) -> [RoomName] {
        var isRearranged = false
        for (room, place) in places where pins[room] != place.pin {
            pins[room] = place.pin
            isRearranged = true
        }
        for index in places.indices.sorted(by: { places[$0].place.activity.time < places[$1].place.activity.time }) {
            put(places[index].room, places[index].place)
        }
        return isRearranged ? arrangePins() : []
    }

    private mutating func put(_ room: RoomName, _ place: Inbox.Place) {
        let (old, number) = (spots[room], place.activity.number)
        let start = Inbox.sort(at: place.activity.time)
        guard place.pin == nil else {
            let sort = old?.section == .pinned ? old?.sort ?? 0 : 0
            return move(room, to: Spot(section: .pinned, sort: sort, number: number))
        }
        guard let old, old.section == place.section else {
            return move(room, to: Spot(section: place.section, sort: freeSort(from: start), number: number))
        }
        guard number > old.number || start > old.sort else { return }
        let end = sections[place.section.index].last.map { $0.sort + 1 } ?? 0
        let sort = freeSort(from: number > old.number ? max(start, end) : start)
        move(room, to: Spot(section: place.section, sort: sort, number: max(number, old.number)))
    }

    mutating func remove(_ room: RoomName) -> [RoomName] {
        guard let old = spots.removeValue(forKey: room) else { return [] }
        take(room, old)
        guard pins.removeValue(forKey: room) != nil else { return [] }
        return arrangePins()
    }

    private mutating func move(_ room: RoomName, to spot: Spot) {
        if let old = spots.updateValue(spot, forKey: room) { take(room, old) }
        guard spot.section != .pinned else { return }  // they are arranged together
        let section = spot.section.index
        let key = Key(sort: spot.sort, room: room)
        if let last = sections[section].last, last.sort > spot.sort {
            sections[section].insert(key, at: sections[section].partitioningIndex { $0.sort >= spot.sort })
        } else {
            sections[section].append(key)
        }
    }

    private mutating func take(_ room: RoomName, _ spot: Spot) {
        guard spot.section != .pinned else { return }
        let section = spot.section.index
        sections[section].remove(at: sections[section].partitioningIndex { $0.sort >= spot.sort })
    }

    /// Gives each pinned room its place, or the next free one. Of two rooms for one place, the first by its name's bytes has
    /// it, so that lists on all servers agree.
    ///
    /// - Returns: the rooms that have moved.
    private mutating func arrangePins() -> [RoomName] {
        var (free, moved): (UInt64, [RoomName]) = (0, [])
        var keys: [Key] = []
        for (room, pin) in pins.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            let sort = max(pin, free)
            free = sort + 1
            keys.append(Key(sort: sort, room: room))
            guard let old = spots[room], old.sort != sort else { continue }
            spots[room] = Spot(section: .pinned, sort: sort, number: old.number)
            moved.append(room)
        }
        sections[MyRoom.Section.pinned.index] = keys
        return moved
    }

    /// Returns the lowest sort key, from one on, at which no room stands.
    private func freeSort(from sort: UInt64) -> UInt64 {
        var free = sort
        while true {
            let before = free
            for keys in sections { free = keys.firstGap(from: free, by: \.sort) }
            if free == before { return free }
        }
    }
}

// MARK: - The window

extension RoomOrder {
    /// The sort key of the first room of each section that has a row.
    typealias Edges = [UInt64]

    /// - Parameter limit: the number of rows of the sections that are not shown whole.
    func edges(limit: Int) -> Edges {
        MyRoom.Section.allCases.map { section in
            let keys = sections[section.index]
            return section.isWhole || keys.count <= limit ? 0 : limit == 0 ? .max : keys[keys.count - limit].sort
        }
    }

    func isInside(_ spot: Spot, _ edges: Edges) -> Bool { spot.sort >= edges[spot.section.index] }

    /// The rooms that are inside by one of two edges only.
    func rooms(between one: Edges, _ other: Edges) -> [RoomName] {
        MyRoom.Section.allCases.flatMap { section in
            let (keys, place) = (sections[section.index], section.index)
            let (low, high) = (min(one[place], other[place]), max(one[place], other[place]))
            let start = keys.partitioningIndex { $0.sort >= low }
            return keys[start..<keys.partitioningIndex { $0.sort >= high }].map(\.room)
        }
    }

    /// The rooms that have rows.
    func rooms(inside edges: Edges) -> [RoomName] {
        MyRoom.Section.allCases.flatMap { section in
            let keys = sections[section.index]
            return keys[keys.partitioningIndex { $0.sort >= edges[section.index] }...].map(\.room)
        }
    }
}

extension MyRoom.Section {
    /// The place among all sections.
    fileprivate var index: Int {
        switch self {
        case .invited: 0
        case .pinned: 1
        case .rooms: 2
        case .archived: 3
        }
    }

    /// True when each room of the section has a row.
    fileprivate var isWhole: Bool {
        switch self {
        case .invited, .pinned: true
        case .rooms, .archived: false
        }
    }
}

extension Array {
    /// Returns the lowest number, from one on, that is the key of no element. The keys must ascend.
    ///
    /// - Complexity: O(log *n*).
    fileprivate func firstGap(from number: UInt64, by key: (Element) -> UInt64) -> UInt64 {
        let start = partitioningIndex { key($0) >= number }
        guard start < endIndex, key(self[start]) == number else { return number }
        // As long as there is no gap, the keys grow as the indices do.
        var places = start + 1..<endIndex
        while !places.isEmpty {
            let middle = places.lowerBound + places.count / 2
            let isClosed = key(self[middle]) == number + UInt64(middle - start)
            places = isClosed ? middle + 1..<places.upperBound : places.lowerBound..<middle
        }
        return number + UInt64(places.lowerBound - start)
    }
}
