import ChatRoom
import ChatWire
import RoomStore

/// A batch, folded onto what the database holds of its rooms: what becomes of each operation, and what is to be written.
struct BatchFold {
    struct Key: Hashable {
        let room: RoomName
        let id: UniqueID
    }

    /// A room's line in the table of rooms, locked.
    struct Room {
        let id: Int64
        var revision: Revision
        /// How many rows its list has.
        var count: Int
        var isChanged = false
    }

    struct Entry {
        var row: Message
        var reloaded: Revision
        /// Whether the database has it, whatever is in it there.
        let isStored: Bool
    }

    struct Tombstone {
        let room: Int64
        let row: Message
        let changed: Revision
        let isStored: Bool
    }

    private(set) var rooms: [RoomName: Room]
    private var commands: [Key: CommittedOperation]
    private var rows: [Key: Entry]
    private let limits: WireLimits

    private(set) var outcomes: [CommitOutcome] = []
    private(set) var operations: [(room: Int64, operation: CommittedOperation)] = []
    private(set) var tombstones: [Tombstone] = []
    private var written: Set<Key> = []

    init(
        rooms: [RoomName: Room], commands: [Key: CommittedOperation], rows: [Key: Entry], limits: WireLimits
    ) {
        self.rooms = rooms
        self.commands = commands
        self.rows = rows
        self.limits = limits
    }

    /// The rows to be written, with their rooms.
    var entries: [(room: Int64, entry: Entry)] {
        written.compactMap { key in
            guard let room = rooms[key.room], let entry = rows[key] else { return nil }
            return (room.id, entry)
        }
    }

    mutating func apply(_ batch: [RoomOperation]) {
        outcomes.reserveCapacity(batch.count)
        for entry in batch { outcomes.append(apply(entry.operation, in: entry.room)) }
    }

    private mutating func apply(_ operation: Operation, in name: RoomName) -> CommitOutcome {
        if let before = commands[Key(room: name, id: operation.command)] {
            return operation.repeats(before.operation) ? .repeated(before.revision) : .conflict
        }
        guard var room = rooms[name] else { preconditionFailure("room \(name) was not locked") }
        let key = Key(room: name, id: operation.message)
        let next = room.revision + 1
        let change: RowChange
        do throws(Refusal) {
            change = try operation.fold(onto: rows[key]?.row, at: next, limits: limits)
        } catch {
            return .refused(error)
        }
        room.revision = next
        room.isChanged = true
        room.count += take(change, at: next, key, room.id)
        rooms[name] = room
        let committed = CommittedOperation(revision: next, operation: operation)
        commands[Key(room: name, id: operation.command)] = committed
        operations.append((room.id, committed))
        return .committed(next, change)
    }

    /// Returns how many rows the list gains.
    private mutating func take(_ change: RowChange, at revision: Revision, _ key: Key, _ room: Int64) -> Int {
        switch change {
        case .inserted(let row):
            rows[key] = Entry(row: row, reloaded: revision, isStored: false)
        case .reloaded(let row):
            rows[key]?.row = row
            rows[key]?.reloaded = revision
        case .reconfigured(let row):
            rows[key]?.row = row
        case .deleted(let id):
            guard let old = rows.removeValue(forKey: key) else { preconditionFailure("deleted \(id), not there") }
            written.remove(key)
            tombstones.append(Tombstone(room: room, row: old.row, changed: revision, isStored: old.isStored))
            return -1
        case .nothing:
            return 0
        }
        written.insert(key)
        if case .inserted = change { return 1 }
        return 0
    }
}
