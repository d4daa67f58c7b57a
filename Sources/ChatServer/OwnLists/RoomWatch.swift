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

    /// - Parameter number: the number of the message that asks for the room's changes, if they are not asked for yet.
    /// - Returns: whether no person had the room before.
    mutating func add(_ user: UserName, to room: RoomName, number: UInt64) -> Bool {
        rooms[room, default: Room(number: number)].add(user)
    }

    /// - Returns: whether no person has the room any more.
    mutating func remove(_ user: UserName, from room: RoomName) -> Bool {
        rooms[room]?.names.remove(user)
        dismiss(user, from: room)
        return rooms[room]?.names.isEmpty == true
    }

    mutating func forget(_ room: RoomName) {
        rooms[room] = nil
        feeds[room] = nil
        changed.remove(room)
        typingEnded[room] = nil
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
        return changed.filter { feeds[$0].map { $0.soonest <= now } ?? true }.sorted()
    }

    /// The times at which changes are due.
    var dueTimes: [Duration] { changed.map { feeds[$0]?.soonest ?? .zero } + typingEnded.values }

    // MARK: - Feeds

    mutating func track(_ room: RoomName, for user: UserName, at clock: UInt64) {
        if feeds[room] == nil {
            let feed = RoomFeed(of: room.kind, with: rooms[room]?.occupancy ?? .empty)
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

extension RoomWatch.Room {
    /// - Returns: whether no person had the room before.
    fileprivate mutating func add(_ user: UserName) -> Bool {
        defer { names.insert(user) }
        return names.isEmpty
    }
}
