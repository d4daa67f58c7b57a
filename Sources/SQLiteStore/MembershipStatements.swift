import ChatRoom
import ChatWire
import RoomStore

/// A commit's statements for memberships and read marks.
struct MembershipStatements: ~Copyable {
    private let isMember: Statement
    private let count: Statement
    private let add: Statement
    private let remove: Statement
    private let setRead: Statement
}

extension MembershipStatements {
    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        self.init(
            isMember: try Statement(.isMember, on: connection),
            count: try Statement(.membershipCount, on: connection),
            add: try Statement(.addMembership, on: connection),
            remove: try Statement(.removeMembership, on: connection),
            setRead: try Statement(.setRead, on: connection)
        )
    }

    /// Returns the author's membership for judging a join or leave. For other operations it looks nothing up.
    borrowing func membership(for operation: Operation, in room: StoredRoom) throws(RoomStoreError) -> Membership {
        guard operation.action.isOfMembership else { return .member }
        let user = operation.author.description
        if let id = room.id {
            isMember.bind(1, id)
            isMember.bind(2, user)
            if try isMember.first({ (_) throws(RoomStoreError) in }) != nil { return .member }
        }
        count.bind(1, user)
        return .guest(memberships: try count.first { (row) throws(RoomStoreError) in try row.count(0) } ?? 0)
    }

    /// - Parameter operation: the one that has this effect.
    borrowing func write(
        _ change: RowChange, of operation: Operation, at revision: Revision, in room: Int64
    ) throws(RoomStoreError) {
        if case .joined(let user) = change {
            add.bind(1, room)
            add.bind(2, user.description)
            add.bind(3, revision)
            add.bind(4, operation.time)
            try add.run()
        } else if let user = change.leaver {
            remove.bind(1, room)
            remove.bind(2, user.description)
            try remove.run()
        }
    }

    borrowing func write(_ mark: ReadMark) throws(RoomStoreError) {
        setRead.bind(1, mark.room.description)
        setRead.bind(2, mark.user.description)
        setRead.bind(3, mark.revision)
        try setRead.run()
    }
}
