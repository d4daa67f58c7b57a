import ChatWire
import WebSocketTransport

/// The connections of one event loop whose tokens end, by the time at which there is something to be done.
struct ExpiryQueue: Sendable {
    private struct Entry: Comparable {
        let time: Milliseconds
        let connection: ConnectionID

        static func < (one: Entry, other: Entry) -> Bool {
            (one.time, one.connection.rawValue) < (other.time, other.connection.rawValue)
        }
    }

    /// In order.
    private var entries: [Entry] = []

    /// Gives a connection another time.
    ///
    /// - Parameters:
    ///   - old: the time that it has; `nil` for none.
    ///   - new: `nil` for none.
    /// - Complexity: O(log *n*), and the move of those behind. O(1) if the times are the same.
    mutating func move(_ connection: ConnectionID, from old: Milliseconds?, to new: Milliseconds?) {
        guard old != new else { return }
        if let old { remove(Entry(time: old, connection: connection)) }
        if let new {
            let entry = Entry(time: new, connection: connection)
            entries.insert(entry, at: entries.partitioningIndex { $0 > entry })
        }
    }

    private mutating func remove(_ entry: Entry) {
        let place = entries.partitioningIndex { $0 >= entry }
        if place < entries.endIndex, entries[place] == entry { entries.remove(at: place) }
    }

    /// Returns the connections whose time has come. They stay until they are moved.
    ///
    /// - Complexity: O(those returned).
    func due(by time: Milliseconds) -> [ConnectionID] {
        entries.prefix { $0.time <= time }.map(\.connection)
    }
}
