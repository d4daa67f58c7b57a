import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// The statements that trim rooms.
struct TrimStatements: ~Copyable {
    private let firstMessages: Statement
    private let removeFirstMessages: Statement
    private let removeFirstMentions: Statement
    private let removeDeleted: Statement
    private let shorten: Statement
    private let firstOperations: Statement
    private let removeOperation: Statement
    private let removeCommand: Statement
    private let firstTombstones: Statement
    private let keepDeleted: Statement
    private let removeTombstones: Statement
    private let setFloor: Statement
}

extension TrimStatements {
    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        self.init(
            firstMessages: try Statement(.firstMessages, on: connection),
            removeFirstMessages: try Statement(.removeFirstMessages, on: connection),
            removeFirstMentions: try Statement(.removeFirstMentions, on: connection),
            removeDeleted: try Statement(.removeDeleted, on: connection),
            shorten: try Statement(.shorten, on: connection),
            firstOperations: try Statement(.firstOperations, on: connection),
            removeOperation: try Statement(.removeOperation, on: connection),
            removeCommand: try Statement(.removeCommand, on: connection),
            firstTombstones: try Statement(.firstTombstones, on: connection),
            keepDeleted: try Statement(.keepDeleted, on: connection),
            removeTombstones: try Statement(.removeTombstones, on: connection),
            setFloor: try Statement(.setFloor, on: connection)
        )
    }

    /// See ``RoomStore/trim(_:part:after:at:)``. It runs within a transaction.
    borrowing func trim(
        _ room: StoredRoom, _ id: Int64, _ rule: Retention.Rule, _ retention: Retention, at now: StoreMoment
    ) throws(RoomStoreError) -> Trimming.Trimmed {
        let rows = try shorten(room, id, rule, at: now)
        let looked = try forget(room, id, retention, at: now)
        return Trimming.Trimmed(revision: rows > 0 ? room.revision + 1 : nil, rows: rows, operations: looked)
    }

    /// Removes the oldest rows, and returns their number.
    private borrowing func shorten(
        _ room: StoredRoom, _ id: Int64, _ rule: Retention.Rule, at now: StoreMoment
    ) throws(RoomStoreError) -> Int {
        guard rule != .everything else { return 0 }
        firstMessages.bind(1, id)
        firstMessages.bind(2, Int64(Trimming.entries))
        let first = try firstMessages.all { (row) throws(RoomStoreError) in
            (sort: try row.revision(0), instant: now.instant(of: try row.time(1), drift: row.integer(2)))
        }
        let excess = rule.excess(count: room.count, times: first.map(\.instant), at: now.instant)
        guard excess > 0 else { return 0 }
        let start = first[excess - 1].sort + 1
        removeFirstMessages.bind(1, id)
        removeFirstMessages.bind(2, start)
        try removeFirstMessages.run()
        removeFirstMentions.bind(1, id)
        removeFirstMentions.bind(2, start)
        try removeFirstMentions.run()
        for (sort, _) in first.prefix(excess) where sort <= room.floor { try forget(operation: sort, in: id) }
        removeDeleted.bind(1, id)
        removeDeleted.bind(2, start)
        removeDeleted.bind(3, Int64(Trimming.entries))
        try removeDeleted.run()
        shorten.bind(1, id)
        shorten.bind(2, Int64(excess))
        shorten.bind(3, start)
        try shorten.run()
        return excess
    }

    /// Forgets old operations, and returns the number of those examined.
    private borrowing func forget(
        _ room: StoredRoom, _ id: Int64, _ retention: Retention, at now: StoreMoment
    ) throws(RoomStoreError) -> Int {
        firstOperations.bind(1, id)
        firstOperations.bind(2, room.floor)
        firstOperations.bind(3, Int64(Trimming.entries))
        let old = try firstOperations.all { (row) throws(RoomStoreError) in
            (
                revision: try row.revision(0), instant: now.instant(of: try row.time(1), drift: row.integer(4)),
                goes: row.integer(2) <= OperationKind.lastUnaudited.rawValue && row.isNull(3)
            )
        }.prefix { $0.instant < now.instant - retention.resumeTime }
        guard let last = old.last else { return 0 }
        for operation in old where operation.goes { try forget(operation: operation.revision, in: id) }
        try forgetTombstones(upTo: last.revision, in: id)
        setFloor.bind(1, id)
        setFloor.bind(2, last.revision)
        try setFloor.run()
        return old.count
    }

    /// Removes tombstones, and with them the sends, which stay as long as their messages.
    private borrowing func forgetTombstones(upTo revision: Revision, in room: Int64) throws(RoomStoreError) {
        firstTombstones.bind(1, room)
        firstTombstones.bind(2, revision)
        for sort in try firstTombstones.all({ (row) throws(RoomStoreError) in try row.revision(0) }) {
            try forget(operation: sort, in: room)
        }
        keepDeleted.bind(1, room)
        keepDeleted.bind(2, revision)
        try keepDeleted.run()
        removeTombstones.bind(1, room)
        removeTombstones.bind(2, revision)
        try removeTombstones.run()
    }

    private borrowing func forget(operation revision: Revision, in room: Int64) throws(RoomStoreError) {
        removeCommand.bind(1, room)
        removeCommand.bind(2, revision)
        try removeCommand.run()
        removeOperation.bind(1, room)
        removeOperation.bind(2, revision)
        try removeOperation.run()
    }
}

// MARK: - The file's size

extension Connection {
    /// The number of free pages of 4 KiB that are returned at once.
    private static let stride = 64
    /// The share of the file that may be free: one part in this number. The next messages will use it.
    private static let spare: Int64 = 8

    /// Lets the file track free pages, so that it can shrink. It must run before the first table is created.
    borrowing func keepTrackOfFreePages() throws(RoomStoreError) {
        try execute("PRAGMA auto_vacuum = INCREMENTAL")
    }

    /// Returns a few free pages to the disk if an eighth of the file is free, and returns their size in bytes.
    ///
    /// A file from before retention keeps its free pages for later messages.
    borrowing func releaseFreePages() throws(RoomStoreError) -> Int {
        let pages = try number("PRAGMA page_count")
        let free = try number("PRAGMA freelist_count")
        guard free > max(Int64(Self.stride), pages / Self.spare) else { return 0 }
        try execute("PRAGMA incremental_vacuum(\(Self.stride))")
        return Int(try pages - number("PRAGMA page_count")) * Int(try number("PRAGMA page_size"))
    }
}
