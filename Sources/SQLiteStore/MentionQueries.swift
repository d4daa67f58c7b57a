import ChatRoom
import ChatWire
import RoomStore

/// The statements that read the messages that mention a person.
final class MentionQueries {
    private let room: Statement
    private let before: Statement
    private let command: Statement
    private let sortOfInstant: Statement
    private let standing: Statement

    /// A room, and its last message that is not returned yet.
    private struct Place {
        let id: Int64
        var next: MentionReading
    }

    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        room = try Statement(.room, on: connection)
        before = try Statement(.mentionBefore, on: connection)
        command = try Statement(.command, on: connection)
        sortOfInstant = try Statement(.sortOfInstant, on: connection)
        standing = try Statement(.standing, on: connection)
    }

    /// See ``RoomStore/mentions(of:in:before:limit:)``. It runs within a transaction.
    ///
    /// - Complexity: O(rooms + limit) statements, each of O(log rows); those that find the place in a room, O(log² rows).
    func newest(
        _ limit: Int, of user: UserName, in rooms: [RoomName], before place: MentionSpot?
    ) throws(RoomStoreError) -> [MentionReading] {
        var places: [Place] = []
        for name in rooms {
            guard try mayRead(user, name) else { continue }
            guard let id = try unlessDamaged({ () throws(RoomStoreError) in try room.room(named: name).id }),
                let next = try newest(of: user, in: name, id, before: place)
            else { continue }
            places.append(Place(id: id, next: next))
        }
        var newest: [MentionReading] = []
        while newest.count < limit,
            let index = places.indices.min(by: { places[$0].next.isNewer(than: places[$1].next) })
        {
            let (id, reading) = (places[index].id, places[index].next)
            newest.append(reading)
            if let next = try mention(of: user, in: reading.room, id, before: reading.sort) {
                places[index].next = next
            } else {
                places.remove(at: index)
            }
        }
        return newest.newest(limit)
    }

    /// False for a person who may not read the room of a thread. They may follow the thread all the same.
    private func mayRead(_ user: UserName, _ thread: RoomName) throws(RoomStoreError) -> Bool {
        guard let parent = thread.parent else { return true }
        let found = try unlessDamaged { () throws(RoomStoreError) -> Standing? in
            guard let id = try room.room(named: parent).id else { return nil }
            standing.bind(1, id)
            standing.bind(2, user.description)
            return try standing.first { (row) throws(RoomStoreError) in try row.standing().1 }
        }
        return (found ?? Standing()).mayRead(thread.kind)
    }

    /// `nil` if there is none, or if it is damaged.
    private func newest(
        of user: UserName, in name: RoomName, _ id: Int64, before place: MentionSpot?
    ) throws(RoomStoreError) -> MentionReading? {
        let last = try mention(of: user, in: name, id, before: .max)
        guard let last, let place else { return last }
        let isPlace = name == place.id.room
        if !isPlace, last.instant < place.end(in: name) { return last }
        var end = isPlace ? try sort(of: place.id.message, id) : nil
        if end == nil { end = try sort(of: place.end(in: name), id) }
        guard let end else { return nil }
        return try mention(of: user, in: name, id, before: end)
    }

    /// The sort key of a message, also of a deleted one; `nil` if it is not known any more.
    private func sort(of message: MessageID, _ room: Int64) throws(RoomStoreError) -> UInt64? {
        command.bind(1, room)
        command.bind(2, message)
        return try unlessDamaged { () throws(RoomStoreError) in
            try command.first { (row) throws(RoomStoreError) in try row.revision(0) }
        }
    }

    /// The first sort key from which on messages have an instant or a later one; `nil` if that is damaged.
    private func sort(of instant: Milliseconds, _ room: Int64) throws(RoomStoreError) -> UInt64? {
        sortOfInstant.bind(1, room)
        sortOfInstant.bind(2, instant)
        return try unlessDamaged { () throws(RoomStoreError) in
            try sortOfInstant.first { (row) throws(RoomStoreError) in try row.revision(0) }
        }
    }

    /// The last message before a sort key that is not damaged; `nil` if there is none.
    private func mention(
        of user: UserName, in name: RoomName, _ id: Int64, before sort: UInt64
    ) throws(RoomStoreError) -> MentionReading? {
        var place = sort
        while true {
            before.bind(1, id)
            before.bind(2, user.description)
            before.bind(3, place)
            let found: (sort: UInt64, mention: MentionReading?)? = try before.first { (row) throws(RoomStoreError) in
                let mention = try unlessDamaged { () throws(RoomStoreError) in try row.mention(of: user, in: name) }
                return (UInt64(clamping: row.integer(0)), mention)
            }
            guard let found else { return nil }
            if let mention = found.mention { return mention }
            // The earlier ones are there. A sort key that does not descend is damaged itself.
            guard found.sort < place else { return nil }
            place = found.sort
        }
    }

    /// Returns `nil` for what is damaged: only its room is without it.
    private func unlessDamaged<Found>(
        _ find: () throws(RoomStoreError) -> Found?
    ) throws(RoomStoreError) -> Found? {
        do throws(RoomStoreError) {
            return try find()
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }
}

extension Row {
    fileprivate func mention(of user: UserName, in room: RoomName) throws(RoomStoreError) -> MentionReading {
        let message = try message().0
        guard message.calls(user) else {
            throw RoomStoreError.damaged("a mention without a user in room \(room)")
        }
        return MentionReading(
            message, in: room, at: try instant(5, drift: 15), read: isNull(14) ? nil : try revision(14))
    }
}
