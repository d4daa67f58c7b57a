import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// A commit's statements for rooms, commands and operations.
struct RoomStatements: ~Copyable {
    private let find: Statement
    private let add: Statement
    private let set: Statement
    private let command: Statement
    private let addCommand: Statement
    private let operation: Statement
    private let addOperation: Statement
}

extension RoomStatements {
    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        self.init(
            find: try Statement(.room, on: connection),
            add: try Statement(.addRoom, on: connection),
            set: try Statement(.setRoom, on: connection),
            command: try Statement(.command, on: connection),
            addCommand: try Statement(.addCommand, on: connection),
            operation: try Statement(.operation, on: connection),
            addOperation: try Statement(.addOperation, on: connection)
        )
    }

    borrowing func find(_ name: RoomName) throws(RoomStoreError) -> StoredRoom {
        try find.room(named: name)
    }

    /// Adds a room, and returns its id in the file.
    borrowing func add(_ name: RoomName) throws(RoomStoreError) -> Int64 {
        add.bind(1, name.description)
        guard let id = try add.first({ (row) throws(RoomStoreError) in row.integer(0) }) else {
            throw .unavailable("the database gave room \(name) no id")
        }
        return id
    }

    borrowing func update(_ room: StoredRoom) throws(RoomStoreError) {
        guard let id = room.id else { return }
        set.bind(1, id)
        set.bind(2, room.revision)
        set.bind(3, Int64(room.count))
        set.bind(4, room.slowMode)
        set.bind(5, Int64(room.isReadOnly ? 1 : 0))
        set.bind(6, Int64(room.isRuled ? 1 : 0))
        set.bind(7, Int64(room.inserted))
        set.bind(8, room.title?.description)
        set.bind(9, room.topic?.description)
        set.bind(10, room.picture?.description)
        set.bind(11, room.activity.rawValue)
        try set.run()
    }

    /// Returns the revision of a command; `nil` for one that was not carried out.
    borrowing func revision(of id: CommandID, in room: Int64) throws(RoomStoreError) -> Revision? {
        command.bind(1, room)
        command.bind(2, id)
        return try command.first { (row) throws(RoomStoreError) in try row.revision(0) }
    }

    /// Returns the operation that a command was carried out as; `nil` for one that was not, or in no room.
    borrowing func operation(
        of id: CommandID, in room: Int64?, named name: RoomName
    ) throws(RoomStoreError) -> CommittedOperation? {
        guard let room, let revision = try revision(of: id, in: room) else { return nil }
        operation.bind(1, room)
        operation.bind(2, revision)
        guard
            let found = try operation.first({ (row) throws(RoomStoreError) in try row.committedOperation(in: name) })
        else {
            throw .damaged("room \(room), revision \(revision): a command without its operation: put a backup in place")
        }
        return found
    }

    /// Records an operation and its command.
    ///
    /// - Parameter row: the message that the operation concerns, as it stood before.
    borrowing func record(
        _ committed: CommittedOperation, about row: Message?, in room: Int64
    ) throws(RoomStoreError) {
        let (operation, revision) = (committed.operation, committed.revision)
        addCommand.bind(1, room)
        addCommand.bind(2, operation.command)
        addCommand.bind(3, revision)
        try addCommand.run()
        let columns = OperationColumns(committed, about: row)
        addOperation.bind(1, room)
        addOperation.bind(2, revision)
        addOperation.bind(3, operation.command)
        addOperation.bind(4, operation.author.description)
        addOperation.bind(5, operation.time)
        addOperation.bind(6, columns.kind.rawValue)
        addOperation.bind(7, columns.target)
        addOperation.bind(8, columns.text)
        addOperation.bind(9, Int64(operation.role.rawValue))
        addOperation.bind(10, columns.subjectText)
        addOperation.bind(11, columns.value)
        addOperation.bind(12, MentionText.encoding(columns.mentions))
        addOperation.bind(13, columns.sum(of: operation, at: revision, in: room).stored)
        addOperation.bind(14, operation.drift)
        try addOperation.run()
    }
}

extension OperationColumns {
    /// The sum of an operation's row.
    fileprivate func sum(of operation: Operation, at revision: Revision, in room: Int64) -> RowSum {
        var sum = RowSum()
        sum.add(revision)
        sum.add(operation.command)
        sum.add(operation.author.description)
        sum.add(operation.time)
        sum.add(kind.rawValue)
        sum.add(target)
        sum.add(text)
        sum.add(Int64(operation.role.rawValue))
        sum.add(subjectText)
        sum.add(value)
        sum.add(MentionText.encoding(mentions))
        sum.add(room)
        if operation.drift != 0 { sum.add(operation.drift) }
        return sum
    }
}
