import ChatRoom
import ChatWire
import RoomStore

/// The statements that read and write the items of people's `me/later`. All but ``init(_:)`` run within a transaction.
final class LaterStatements {
    private let items: Statement
    private let next: Statement
    private let put: Statement
    private let remove: Statement

    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        items = try Statement(.later, on: connection)
        next = try Statement(.nextLater, on: connection)
        put = try Statement(.putLater, on: connection)
        remove = try Statement(.removeLater, on: connection)
    }

    /// See ``RoomStore/later(of:)``.
    func items(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredLater]] {
        var found: [UserName: [StoredLater]] = [:]
        for user in users {
            items.bind(1, user.description)
            let rows = try sound(items).map(\.item)
            if !rows.isEmpty { found[user] = rows }
        }
        return found
    }

    /// See ``RoomStore/nextLater(limit:)``.
    func next(_ limit: Int) throws(RoomStoreError) -> [(user: UserName, item: StoredLater)] {
        next.bind(1, Int64(limit))
        return try sound(next)
    }

    /// See ``RoomStore/write(_:most:)``.
    func write(
        _ changes: [LaterChange], most: Int
    ) throws(RoomStoreError) -> [Result<StoredLater, LaterRefusal>] {
        let (outcomes, people) = changes.applied(to: try items(of: Array(Set(changes.map(\.user)))), most: most)
        for (user, items) in people {
            for id in items.changed {
                guard let item = items.items[id] else {
                    remove.bind(1, user.description)
                    remove.bind(2, id)
                    try remove.run()
                    continue
                }
                put.bind(1, user.description)
                put.bind(2, id)
                put.bind(3, item.due)
                put.bind(4, item.held)
                put.bind(5, Int64(item.role.rawValue))
                put.bind(6, item.light.stored)
                try put.run()
            }
        }
        return outcomes
    }

    private func sound(
        _ statement: borrowing Statement
    ) throws(RoomStoreError) -> [(user: UserName, item: StoredLater)] {
        try statement.all { (row) throws(RoomStoreError) -> (user: UserName, item: StoredLater)? in
            do throws(RoomStoreError) {
                return try row.later()
            } catch {
                guard case .damaged = error else { throw error }
                return nil
            }
        }.compactMap(\.self)
    }
}

extension Row {
    /// Reads an item of `me/later` from the first column and the five after it.
    func later() throws(RoomStoreError) -> (user: UserName, item: StoredLater) {
        try requireSum(of: 0..<6, in: 6)
        guard let light = LaterItem.Light(stored: try text(5)) else { throw damaged(5) }
        let item = StoredLater(
            id: try id(1), light, role: try role(4), due: isNull(2) ? nil : try time(2), held: try time(3))
        return (try user(0), item)
    }
}
