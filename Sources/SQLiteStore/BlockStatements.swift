import ChatRoom
import ChatWire
import RoomStore

/// The statements that read and write whom people have blocked. All but ``init(_:)`` run within a transaction.
final class BlockStatements {
    private let blocks: Statement
    private let blockers: Statement
    private let rooms: Statement
    private let room: Statement
    private let put: Statement
    private let remove: Statement

    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        blocks = try Statement(.blocks, on: connection)
        blockers = try Statement(.blockers, on: connection)
        rooms = try Statement(.blockedRooms, on: connection)
        room = try Statement(.blockedRoom, on: connection)
        put = try Statement(.putBlock, on: connection)
        remove = try Statement(.removeBlock, on: connection)
    }

    /// See ``RoomStore/blocks(of:)``.
    func blocks(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredBlock]] {
        var found: [UserName: [StoredBlock]] = [:]
        for user in users {
            blocks.bind(1, user.description)
            let rows = try sound(blocks).map(\.block)
            if !rows.isEmpty { found[user] = rows }
        }
        return found
    }

    /// Returns what decides which of a person's rooms are hidden: all of them, or one with its threads.
    func blocks(of user: UserName, in name: RoomName? = nil) throws(RoomStoreError) -> Blocks {
        guard let blocks = try blocks(of: [user])[user] else { return .none }
        if let name {
            room.bind(1, user.description)
            room.bind(2, name.ruling.description)
            return Blocks(blocks, besides: try room.all { (row) throws(RoomStoreError) in try row.room(0) })
        }
        rooms.bind(1, user.description)
        return Blocks(blocks, besides: try rooms.all { (row) throws(RoomStoreError) in try row.room(0) })
    }

    /// See ``RoomStore/blockers(of:)``.
    func blockers(of user: UserName) throws(RoomStoreError) -> [UserName] {
        blockers.bind(1, user.description)
        return try sound(blockers).map(\.user).sorted()
    }

    /// See ``RoomStore/write(_:most:)-([BlockChange],_)``.
    func write(_ changes: [BlockChange], most: Int) throws(RoomStoreError) -> [Bool] {
        let (accepted, changes) = changes.applied(to: try blocks(of: Array(Set(changes.map(\.user)))), most: most)
        for change in changes {
            guard change.isOn else {
                remove.bind(1, change.user.description)
                remove.bind(2, change.block.user.description)
                try remove.run()
                continue
            }
            put.bind(1, change.user.description)
            put.bind(2, change.block.user.description)
            put.bind(3, change.block.room.description)
            put.bind(4, change.block.time)
            try put.run()
        }
        return accepted
    }

    private func sound(
        _ statement: borrowing Statement
    ) throws(RoomStoreError) -> [(user: UserName, block: StoredBlock)] {
        try statement.all { (row) throws(RoomStoreError) -> (user: UserName, block: StoredBlock)? in
            do throws(RoomStoreError) {
                return try row.block()
            } catch {
                guard case .damaged = error else { throw error }
                return nil
            }
        }.compactMap(\.self)
    }
}

extension Row {
    /// Reads a block from the first column and the three after it.
    func block() throws(RoomStoreError) -> (user: UserName, block: StoredBlock) {
        try requireSum(of: 0..<4, in: 4)
        return (try user(0), StoredBlock(user: try user(1), room: try room(2), time: try time(3)))
    }
}
