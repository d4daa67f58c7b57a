import ChatRoom
import ChatWire
import RoomStore

/// A room whose rows are read: its key, its name and its revision.
typealias StoredPlace = (id: Int64, name: RoomName, revision: Revision)

/// The treatment of messages whose rows are damaged.
enum DamagedRows {
    /// To read one is an error, after which it may be repaired.
    case refused
    /// One is a damaged message.
    case served
}

/// Reads messages, also those whose rows are damaged: such a row is served as damaged, with the author and the time of
/// the operation that sent it.
final class MessageReader {
    private let operation: Statement
    /// The sort keys of the damaged rows that were read since the last ``removeDamaged()``.
    private var damaged: [RoomName: Set<UInt64>] = [:]

    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        operation = try Statement(.operation, on: connection)
    }

    /// Returns the damaged rows that were read since the last call.
    func removeDamaged() -> [RoomName: Set<UInt64>] {
        defer { damaged = [:] }
        return damaged
    }

    /// Returns the message, and the revision that last replaced its content.
    ///
    /// - Errors: `damaged` if not even the row's place can be read.
    func message(
        _ row: Row, in room: StoredPlace
    ) throws(RoomStoreError) -> (Message, reloaded: Revision) {
        do throws(RoomStoreError) {
            return try row.message()
        } catch {
            guard case .damaged = error else { throw error }
        }
        let sort = try row.revision(0)
        damaged[room.name, default: []].insert(sort)
        let sent = try operation.send(at: sort, in: room.id, named: room.name)
        let changed = UInt64(clamping: row.integer(2))
        let rev = (sort...max(sort, room.revision)).contains(changed) ? changed : sort
        let id = if let sent { sent.command } else { try row.id(1) }
        let message = Message(
            damaged: id, section: .history, sort: sort, rev: rev,
            sent: sent.map { ($0.author, $0.time) })
        return (message, rev)
    }

    func change(
        _ row: Row, in room: StoredPlace
    ) throws(RoomStoreError) -> RoomChange {
        let (message, reloaded) = try message(row, in: room)
        return .row(message, reloaded: reloaded)
    }
}

extension Statement {
    /// Returns the operation that sent a message; `nil` if it is damaged itself. The statement is ``Query/operation``.
    borrowing func send(at sort: UInt64, in room: Int64, named name: RoomName) throws(RoomStoreError) -> Operation? {
        bind(1, room)
        bind(2, sort)
        do throws(RoomStoreError) {
            let found = try first { (row) throws(RoomStoreError) in try row.committedOperation(in: name).operation }
            guard let found, case .send = found.action else { return nil }
            return found
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }
}
