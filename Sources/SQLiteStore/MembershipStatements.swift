import ChatRoom
import ChatWire
import RoomStore

/// A commit's statements for memberships and read marks.
struct MembershipStatements: ~Copyable {
    private let membership: Statement
    private let count: Statement
    private let counts: Statement
    /// The number of rooms from which on it matters which they are.
    private let many: Int
    private let add: Statement
    private let remove: Statement
    private let setSettings: Statement
    private let setRead: Statement
}

extension MembershipStatements {
    init(_ connection: borrowing Connection, limits: WireLimits) throws(RoomStoreError) {
        self.init(
            membership: try Statement(.membership, on: connection),
            count: try Statement(.membershipCount, on: connection),
            counts: try Statement(.membershipCounts, on: connection), many: limits.memberships,
            add: try Statement(.addMembership, on: connection),
            remove: try Statement(.removeMembership, on: connection),
            setSettings: try Statement(.setSettings, on: connection),
            setRead: try Statement(.setRead, on: connection)
        )
    }

    borrowing func find(_ user: UserName, in room: StoredRoom) throws(RoomStoreError) -> Membership {
        if let id = room.id {
            membership.bind(1, id)
            membership.bind(2, user.description)
            let found = try membership.first { (row) throws(RoomStoreError) -> RoomSettings? in
                try row.requireSum(5)
                return try row.revision(0) == 0 ? nil : row.settings(1)
            }
            switch found {
            case .some(let settings?): return .member(settings)
            case .some(nil): return .invited(try rooms(of: user))
            case nil: break
            }
        }
        return .guest(try rooms(of: user))
    }

    private borrowing func rooms(of user: UserName) throws(RoomStoreError) -> RoomCounts {
        count.bind(1, user.description)
        let all = try count.first { (row) throws(RoomStoreError) in try row.count(0) } ?? 0
        guard all >= many else { return RoomCounts(atMost: all) }
        counts.bind(1, user.description)
        return try counts.first { (row) throws(RoomStoreError) in
            RoomCounts(own: try row.count(0), given: try row.count(1), all: try row.count(2))
        } ?? .none
    }

    /// - Parameter operation: the one that has this effect.
    borrowing func write(
        _ change: RowChange, of operation: Operation, at revision: Revision, in room: Int64
    ) throws(RoomStoreError) {
        for (user, kind) in change.comers {
            add.bind(1, room)
            add.bind(2, user.description)
            add.bind(3, kind == .member ? revision : 0)
            add.bind(4, operation.instant)
            add.bind(5, operation.inviter(to: kind)?.description)
            try add.run()
        }
        if let user = change.leaver {
            remove.bind(1, room)
            remove.bind(2, user.description)
            try remove.run()
        }
        if let (user, revision) = change.mark { try mark(user, upTo: revision, in: room) }
        if case .settings(let user, let settings, let unreadFrom) = change {
            try write(settings, unreadFrom: unreadFrom, of: user, in: room)
        }
    }

    private borrowing func write(
        _ settings: RoomSettings, unreadFrom: UInt64?, of user: UserName, in room: Int64
    ) throws(RoomStoreError) {
        setSettings.bind(1, room)
        setSettings.bind(2, user.description)
        setSettings.bind(3, settings.pinned ?? 0)
        setSettings.bind(4, Int64(settings.isMuted ? 1 : 0))
        setSettings.bind(5, Int64(settings.isArchived ? 1 : 0))
        setSettings.bind(6, settings.marked)
        setSettings.bind(7, unreadFrom.map { max($0, 1) - 1 } ?? WireInteger.limit)
        try setSettings.run()
    }

    borrowing func write(_ mark: ReadMark, in room: StoredRoom) throws(RoomStoreError) {
        guard let id = room.id else { return }
        try self.mark(mark.user, upTo: min(mark.revision, room.revision), in: id)
    }

    private borrowing func mark(_ user: UserName, upTo revision: Revision, in room: Int64) throws(RoomStoreError) {
        setRead.bind(1, room)
        setRead.bind(2, user.description)
        setRead.bind(3, revision)
        try setRead.run()
    }
}
