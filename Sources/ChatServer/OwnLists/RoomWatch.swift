import ChatRoom
import ChatWire

/// The rooms in the lists of one shard's people, and what the shard knows of them.
///
/// Each room's ``RoomFeed`` is shared by all people in whose lists the room has a row. A room that has no row in any list has
/// no feed: it is read when it gets one.
struct RoomWatch {
    /// A room in the list of a person here, with or without a row.
    struct Room {
        /// The number of the message that asked for its changes.
        let number: UInt64
        /// The `clock` at which its shard said that it sends each change; `nil` before that.
        var since: UInt64?
        var names: Set<UserName> = []
        /// Its threads that are in the list of a person here. They have its rules.
        var threads: Set<RoomName> = []
        /// The people of ``names`` for whom something has changed, and who are not in the room's feed.
        var touched: Set<UserName> = []
        /// True when something has changed for all who are not in the room's feed.
        var isTouched = false
        var occupancy = Occupancy.empty
    }

    /// A room that has a row in a list.
    struct Tracked {
        var feed: RoomFeed
        /// The `clock` at which the feed began. Answers to earlier queries are none of its readings.
        let number: UInt64
        /// The earliest time of the next update of its people's lists.
        var soonest = Duration.zero
        /// The `clock` at which people came to the feed who are not known yet.
        var entered: [UserName: UInt64] = [:]
    }

    var rooms: [RoomName: Room] = [:]
    var feeds: [RoomName: Tracked] = [:]
    var changed: Set<RoomName> = []
    /// The rooms in which typing has ended, and the time at which readers are notified, unless they have other news before.
    var typingEnded: [RoomName: Duration] = [:]
    /// The threads whose rooms have changed in an unknown way, and the time at which they are read again.
    var announced: [RoomName: Duration] = [:]

    /// - Parameter number: the number of the message that asks for the rooms' changes.
    /// - Returns: the rooms whose changes must be asked for: this one, and the room of a thread, unless they were.
    mutating func add(_ user: UserName, to room: RoomName, number: UInt64) -> [RoomName] {
        var new: [RoomName] = []
        for watched in [room.parent, room].compactMap(\.self) where rooms[watched] == nil {
            rooms[watched] = Room(number: number)
            new.append(watched)
        }
        rooms[room]?.names.insert(user)
        if let parent = room.parent { rooms[parent]?.threads.insert(room) }
        return new
    }

    /// - Returns: whether no person has the room any more.
    mutating func remove(_ user: UserName, from room: RoomName) -> Bool {
        rooms[room]?.names.remove(user)
        dismiss(user, from: room)
        return rooms[room]?.names.isEmpty == true
    }

    /// Forgets a room that no person has any more.
    ///
    /// - Returns: the rooms whose changes do not matter any more: this one, unless a thread has its rules, and the room of a
    ///   thread that was its last.
    mutating func forget(_ room: RoomName) -> [RoomName] {
        feeds[room] = nil
        changed.remove(room)
        typingEnded[room] = nil
        announced[room] = nil
        guard rooms[room]?.threads.isEmpty != false else { return [] }
        rooms[room] = nil
        guard let parent = room.parent, rooms[parent]?.threads.remove(room) != nil,
            rooms[parent]?.threads.isEmpty == true, rooms[parent]?.names.isEmpty == true
        else { return [room] }
        return [room] + forget(parent)
    }

    // MARK: - Changes

    /// Notes a change for a person who is not in the room's feed.
    ///
    /// - Returns: whether the person has the room, and is not in its feed.
    @discardableResult
    mutating func invalidateOutside(_ room: RoomName, _ user: UserName) -> Bool {
        guard rooms[room]?.names.contains(user) == true, feeds[room]?.feed.has(user) != true else { return false }
        rooms[room]?.touched.insert(user)
        return true
    }

    /// Returns the people for whom something has changed, and who are not in the room's feed.
    mutating func drainTouched(outside room: RoomName) -> [UserName] {
        guard let seen = rooms[room], seen.isTouched || !seen.touched.isEmpty else { return [] }
        rooms[room]?.touched = []
        rooms[room]?.isTouched = false
        return seen.touched + (seen.isTouched ? seen.names.filter { feeds[room]?.feed.has($0) != true } : [])
    }

    /// Returns the rooms whose changes are due.
    mutating func drainDue(_ now: Duration) -> [RoomName] {
        for room in typingEnded.filter({ $0.value <= now }).keys {
            typingEnded[room] = nil
            changed.insert(room)
        }
        for thread in announced.filter({ $0.value <= now }).keys {
            announced[thread] = nil
            feeds[thread]?.feed.invalidateAll()
            changed.insert(thread)
        }
        return changed.filter { feeds[$0].map { $0.soonest <= now } ?? true }.sorted()
    }

    /// The times at which changes are due.
    var dueTimes: [Duration] { changed.map { feeds[$0]?.soonest ?? .zero } + typingEnded.values + announced.values }

    // MARK: - Feeds

    mutating func track(_ room: RoomName, for user: UserName, at clock: UInt64) {
        if feeds[room] == nil {
            let feed = RoomFeed(of: room, with: rooms[room]?.occupancy ?? .empty)
            feeds[room] = Tracked(feed: feed, number: clock)
        }
        feeds[room]?.feed.add(user)
        feeds[room]?.entered[user] = clock
    }

    /// Removes a person from a room's feed. Changes that it owes them are read again for their other lists.
    mutating func dismiss(_ user: UserName, from room: RoomName) {
        let owes = feeds[room]?.feed.owes(user) == true
        feeds[room]?.feed.dismiss(user)
        feeds[room]?.entered[user] = nil
        if feeds[room]?.feed.isEmpty == true { feeds[room] = nil }
        if owes, invalidateOutside(room, user) { changed.insert(room) }
    }
}
