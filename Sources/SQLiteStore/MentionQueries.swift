import ChatRoom
import ChatWire
import RoomStore

/// The statements that read the messages that mention somebody.
final class MentionQueries {
    private let room: Statement
    private let before: Statement

    /// A room, and its last message that is not returned yet.
    private struct Place {
        let id: Int64
        var next: MentionReading
    }

    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        room = try Statement(.room, on: connection)
        before = try Statement(.mentionBefore, on: connection)
    }

    /// See ``RoomStore/mentions(of:in:limit:)``. It runs within a transaction.
    ///
    /// - Complexity: O(rooms + limit) statements, each of O(log rows).
    func newest(_ limit: Int, of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MentionReading] {
        var places: [Place] = []
        for name in rooms {
            guard let id = try unlessDamaged({ () throws(RoomStoreError) in try room.room(named: name).id }),
                let next = try mention(of: user, in: name, id, before: .max)
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

    /// `nil` if there is none, or if it is damaged.
    private func mention(
        of user: UserName, in name: RoomName, _ id: Int64, before sort: UInt64
    ) throws(RoomStoreError) -> MentionReading? {
        before.bind(1, id)
        before.bind(2, user.description)
        before.bind(3, sort)
        return try unlessDamaged { () throws(RoomStoreError) in
            try before.first { (row) throws(RoomStoreError) in
                MentionReading(try row.message().0, in: name, read: row.isNull(11) ? nil : try row.revision(11))
            }
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
