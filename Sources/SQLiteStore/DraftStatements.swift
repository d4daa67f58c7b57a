import ChatRoom
import ChatWire
import RoomStore

/// The statements that read and write people's drafts. All but ``init(_:)`` run within a transaction.
final class DraftStatements {
    private let drafts: Statement
    private let put: Statement
    private let remove: Statement
    private let times: Statement

    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        drafts = try Statement(.drafts, on: connection)
        put = try Statement(.putDraft, on: connection)
        remove = try Statement(.removeDraft, on: connection)
        times = try Statement(.draftTimes, on: connection)
    }

    /// See ``RoomStore/drafts(of:)``.
    func drafts(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredDraft]] {
        var found: [UserName: [StoredDraft]] = [:]
        for user in users {
            drafts.bind(1, user.description)
            let rows = try drafts.all { (row) throws(RoomStoreError) -> StoredDraft? in
                do throws(RoomStoreError) {
                    return try row.draft()
                } catch {
                    guard case .damaged = error else { throw error }
                    return nil
                }
            }.compactMap(\.self)
            if !rows.isEmpty { found[user] = rows }
        }
        return found
    }

    /// See ``RoomStore/write(_:keeping:)``.
    func write(_ changes: [DraftChange], keeping most: Int) throws(RoomStoreError) {
        for change in changes.last {
            guard let content = change.content else {
                remove.bind(1, change.user.description)
                remove.bind(2, change.room.description)
                try remove.run()
                continue
            }
            put.bind(1, change.user.description)
            put.bind(2, change.room.description)
            put.bind(3, change.time)
            put.bind(4, content.stored)
            try put.run()
        }
        for user in Set(changes.lazy.filter { $0.content != nil }.map(\.user)) {
            try removeOldest(of: user, keeping: most)
        }
    }

    private func removeOldest(of user: UserName, keeping most: Int) throws(RoomStoreError) {
        times.bind(1, user.description)
        let drafts = try times.all { (row) throws(RoomStoreError) in (place: try row.text(0), time: row.integer(1)) }
        guard drafts.count > most else { return }
        // Of two of one time the one stays whose name comes first.
        let newest = drafts.sorted { ($1.time, $0.place) < ($0.time, $1.place) }
        for draft in newest.dropFirst(most) {
            remove.bind(1, user.description)
            remove.bind(2, draft.place)
            try remove.run()
        }
    }
}

extension Row {
    /// Reads a draft from the second column and the two after it.
    func draft() throws(RoomStoreError) -> StoredDraft {
        try requireSum(of: 0..<4, in: 4)
        guard let room = RoomName(known: try text(1)) else { throw damaged(1) }
        guard let content = MessageContent(stored: try text(3)) else { throw damaged(3) }
        return StoredDraft(room: room, content: content, time: try time(2))
    }
}
