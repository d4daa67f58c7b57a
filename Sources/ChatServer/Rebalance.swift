import ChatWire
import WebSocketTransport

/// Sends connections to the servers that a proxy chooses for their rooms now: a pure value.
///
/// Only the proxy knows its hash, so one connection of each room is closed first, and its client comes back through the
/// proxy. If a connection of the room arrives here in time, the room's server is this one, and its other connections stay.
/// Otherwise they are closed, too.
struct Rebalance: Sendable {
    /// The time for which a room's first client may take to come back.
    static let patience = Duration.seconds(5)

    private struct Room {
        let name: String
        let first: ConnectionID
        let others: ArraySlice<ConnectionID>
        /// The time at which the first connection is closed.
        let time: ContinuousClock.Instant
    }

    private let rooms: [Room]
    /// The pause between two of the other connections.
    private let pause: Duration
    /// The number of ``rooms`` whose first connections were closed, and of those that were judged.
    private var asked = 0
    private var judged = 0
    /// The rooms that were asked and not judged yet, and whether a connection has arrived.
    private var isHere: [String: Bool] = [:]
    private var waiting: ArraySlice<ConnectionID> = []
    private var nextClose: ContinuousClock.Instant
    private(set) var closed = 0
    /// The connections that stay, because their rooms' server is this one.
    private(set) var stayed = 0
    private let count: Int

    /// - Parameter time: what it takes, and ``patience`` more.
    init(
        _ connections: [(connection: ConnectionID, room: String)], over time: Duration,
        from start: ContinuousClock.Instant
    ) {
        let all = Dictionary(grouping: connections, by: \.room).sorted { $0.key < $1.key }
        rooms = all.enumerated().compactMap { place, entry in
            let connections = entry.value.map(\.connection).sorted { $0.rawValue < $1.rawValue }
            return connections.first.map {
                Room(
                    name: entry.key, first: $0, others: connections.dropFirst(),
                    time: start + time / 2 * place / all.count)
            }
        }
        count = connections.count
        pause = time / 2 / max(1, count)
        nextClose = start
    }

    /// The time of the next step; `nil` at the end.
    var next: ContinuousClock.Instant? {
        let ask = asked < rooms.count ? rooms[asked].time : nil
        let judge = judged < rooms.count ? rooms[judged].time + Self.patience : nil
        return [ask, judge, waiting.isEmpty ? nil : nextClose].compactMap(\.self).min()
    }

    /// The number of connections that were neither closed nor left here.
    var left: Int { count - closed - stayed }

    /// A connection has come for a room.
    mutating func arrived(_ room: String) {
        if isHere[room] != nil { isHere[room] = true }
    }

    /// Makes the steps that are due.
    ///
    /// - Returns: the connections to close.
    mutating func step(at now: ContinuousClock.Instant) -> [ConnectionID] {
        var due: [ConnectionID] = []
        while asked < rooms.count, rooms[asked].time <= now {
            isHere[rooms[asked].name] = false
            due.append(rooms[asked].first)
            asked += 1
        }
        while judged < asked, rooms[judged].time + Self.patience <= now {
            judge(rooms[judged], at: now)
            judged += 1
        }
        while nextClose <= now, let connection = waiting.popFirst() {
            due.append(connection)
            nextClose += pause
        }
        closed += due.count
        return due
    }

    private mutating func judge(_ room: Room, at now: ContinuousClock.Instant) {
        if isHere.removeValue(forKey: room.name) == true {
            stayed += room.others.count
            return
        }
        if waiting.isEmpty { nextClose = now }
        waiting += room.others
    }
}
