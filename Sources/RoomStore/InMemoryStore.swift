package import ChatRoom
package import ChatWire
import Locking

/// The rooms in memory: for tests, and for trying things out. It forgets everything with the process, so each has an
/// epoch of its own.
///
/// - Complexity: a read costs O(tail + operations since the revision asked for), a page O(log rows + limit).
package final class InMemoryStore: RoomStore {
    package let epoch: Epoch
    private let limits: WireLimits
    private let rooms = Guarded<[RoomName: InMemoryRoom]>([:])

    /// - Parameter limits: what the fold holds operations to.
    package init(limits: WireLimits = WireLimits()) {
        guard let epoch = Epoch(UniqueID.random().description) else { preconditionFailure("an id is an epoch") }
        self.epoch = epoch
        self.limits = limits
    }

    package func commit(_ batch: [RoomOperation]) throws(RoomStoreError) -> [CommitOutcome] {
        rooms.withLock { rooms in
            batch.map { rooms[$0.room, default: InMemoryRoom()].apply($0.operation, limits: limits) }
        }
    }

    package func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int
    ) throws(RoomStoreError) -> RoomReading {
        let room = find(room)
        return RoomReading(
            revision: room.revision, count: room.rows.count, tail: room.rows.suffix(tail).map(\.row),
            changes: room.changes(since: since, atMost: atMost), rules: room.rules)
    }

    package func page(_ room: RoomName, before: UInt64, limit: Int) throws(RoomStoreError) -> ListPage<Message> {
        let room = find(room)
        let end = room.place(of: before)
        let rows = room.rows[..<end].suffix(limit).map(\.row)
        return ListPage(revision: room.revision, rows: rows, more: rows.count < end)
    }

    package func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        Array(find(room).operations.drop { $0.revision <= since }.prefix(limit))
    }

    package func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        let entries = find(room).audit.prefix { $0.revision < before }
        return AuditPage(entries: entries.suffix(limit), more: entries.count > limit)
    }

    private func find(_ room: RoomName) -> InMemoryRoom {
        rooms.withLock { $0[room] ?? InMemoryRoom() }
    }
}
