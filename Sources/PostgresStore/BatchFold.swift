import ChatRoom
import ChatWire
import RoomStore

/// A batch, folded onto the rows of its rooms in the database: the outcome of each operation, and the rows to write.
struct BatchFold {
    struct Key: Hashable {
        let room: RoomName
        let id: UniqueID
    }

    /// A room's locked row in the table of rooms.
    struct Room {
        let id: Int64
        var revision: Revision
        /// The number of rows in its list.
        var count: Int
        /// The rules, with the standings and last sends of everybody whom the batch concerns.
        var rules: RoomRules
        /// Slow mode has ended, so the times of earlier sends are to be forgotten.
        var forgetsSends = false
        var isChanged = false
    }

    struct Person: Hashable {
        let room: RoomName
        let user: UserName
    }

    struct Entry {
        var row: Message
        var reloaded: Revision
        /// True when the database has a row with this key, whatever its content.
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
    /// The format in force.
    let format: Int

    private(set) var outcomes: [CommitOutcome] = []
    private(set) var operations: [(room: Int64, operation: CommittedOperation, columns: OperationColumns)] = []
    private(set) var tombstones: [Tombstone] = []
    private var written: Set<Key> = []
    private(set) var changedStandings: Set<Person> = []
    private(set) var senders: Set<Person> = []

    init(
        rooms: [RoomName: Room], commands: [Key: CommittedOperation], rows: [Key: Entry], limits: WireLimits,
        format: Int
    ) {
        self.rooms = rooms
        self.commands = commands
        self.rows = rows
        self.limits = limits
        self.format = format
    }

    /// The rows to write, with their rooms.
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
        let key = Key(room: name, id: operation.message ?? operation.command)
        let row = rows[key]?.row
        let next = room.revision + 1
        let change: RowChange
        do throws(Refusal) {
            guard OperationColumns(operation, about: row).kind.format <= format else { throw .notYet }
            change = try operation.fold(onto: row, under: room.rules, at: next, limits: limits)
        } catch {
            return .refused(error)
        }
        room.revision = next
        room.isChanged = true
        room.count += take(change, at: next, key, room.id)
        take(change, to: &room, named: name)
        rooms[name] = room
        let committed = CommittedOperation(revision: next, operation: operation)
        commands[Key(room: name, id: operation.command)] = committed
        operations.append((room.id, committed, OperationColumns(operation, about: row)))
        return .committed(next, change)
    }

    private mutating func take(_ change: RowChange, to room: inout Room, named name: RoomName) {
        room.rules.apply(change)
        switch change {
        case .inserted(let row): if room.rules.slowMode > 0 { senders.insert(Person(room: name, user: row.author)) }
        case .ruled(.standing(let user, _)): changedStandings.insert(Person(room: name, user: user))
        case .ruled(.slowMode(0)): room.forgetsSends = true
        case .ruled(.slowMode), .ruled(.readOnly), .reloaded, .reconfigured, .deleted, .nothing: break
        }
    }

    /// Takes over a change, and returns the number of rows that the list gains.
    private mutating func take(_ change: RowChange, at revision: Revision, _ key: Key, _ room: Int64) -> Int {
        switch change {
        case .inserted(let row):
            rows[key] = Entry(row: row, reloaded: revision, isStored: false)
        case .reloaded(let row):
            rows[key]?.row = row
            rows[key]?.reloaded = revision
        case .reconfigured(let row):
            rows[key]?.row = row
        case .deleted(let id, _):
            guard let old = rows.removeValue(forKey: key) else { preconditionFailure("deleted \(id), not there") }
            written.remove(key)
            tombstones.append(Tombstone(room: room, row: old.row, changed: revision, isStored: old.isStored))
            return -1
        case .ruled, .nothing:
            return 0
        }
        written.insert(key)
        if case .inserted = change { return 1 }
        return 0
    }
}
