import ChatRoom
import ChatWire
import RoomStore

/// A commit's statements for memberships and read marks.
struct MembershipStatements: ~Copyable {
    private let membership: Statement
    private let count: Statement
    private let counts: Statement
    private let threads: Statement
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
            counts: try Statement(.membershipCounts, on: connection),
            threads: try Statement(.followedThreads, on: connection), many: limits.memberships,
            add: try Statement(.addMembership, on: connection),
            remove: try Statement(.removeMembership, on: connection),
            setSettings: try Statement(.setSettings, on: connection),
            setRead: try Statement(.setRead, on: connection)
        )
    }

    borrowing func find(
        _ user: UserName, in room: StoredRoom, named name: RoomName
    ) throws(RoomStoreError) -> Membership {
        if let id = room.id {
            membership.bind(1, id)
            membership.bind(2, user.description)
            let found = try membership.first { (row) throws(RoomStoreError) -> RoomSettings? in
                try row.requireSum(5)
                return try row.revision(0) == 0 ? nil : row.settings(1)
            }
            switch found {
            case .some(let settings?): return .member(settings)
            case .some(nil): return .invited(try counts(of: user, in: name))
            case nil: break
            }
        }
        return .guest(try counts(of: user, in: name))
    }

    /// Returns the numbers of a user's rooms, or for a thread, of the threads that they follow.
    private borrowing func counts(of user: UserName, in name: RoomName) throws(RoomStoreError) -> RoomCounts {
        count.bind(1, user.description)
        let all = try count.first { (row) throws(RoomStoreError) in try row.count(0) } ?? 0
        guard all >= many else { return RoomCounts(atMost: all) }
        if name.isThread {
            threads.bind(1, user.description)
            let followed = try threads.first { (row) throws(RoomStoreError) in try row.count(0) } ?? 0
            return RoomCounts(atMost: followed)
        }
        counts.bind(1, user.description)
        return try counts.first { (row) throws(RoomStoreError) in
            RoomCounts(own: try row.count(0), given: try row.count(1), all: try row.count(2))
        } ?? .none
    }

    /// - Parameter operation: the one that has this effect.
    borrowing func write(
        _ change: RowChange, of operation: Operation, at revision: Revision, in room: Int64, named name: RoomName
    ) throws(RoomStoreError) {
        for (user, kind) in change.comers {
            add.bind(1, room)
            add.bind(2, user.description)
            add.bind(3, kind == .member ? revision : 0)
            add.bind(4, operation.instant)
            add.bind(5, operation.inviter(to: kind)?.description)
            add.bind(6, kind == .member ? change.read(at: revision) : 0)
            try add.run()
        }
        if let user = change.leaver {
            remove.bind(1, room)
            remove.bind(2, user.description)
            try remove.run()
        }
        if let (user, revision) = change.mark { try mark(user, upTo: revision, in: room) }
        if case .settings(let user, let settings, let unreadFrom) = change {
            try write(settings, unreadFrom: unreadFrom, of: user, in: room, named: name)
        }
    }

    private borrowing func write(
        _ settings: RoomSettings, unreadFrom: UInt64?, of user: UserName, in room: Int64, named name: RoomName
    ) throws(RoomStoreError) {
        setSettings.bind(1, room)
        setSettings.bind(2, user.description)
        setSettings.bind(3, settings.pinned ?? 0)
        setSettings.bind(4, Int64(settings.isMuted ? 1 : 0))
        setSettings.bind(5, Int64(settings.isArchived ? 1 : 0))
        setSettings.bind(6, settings.marked)
        setSettings.bind(7, unreadFrom.map { max($0, 1) - 1 } ?? WireInteger.limit)
        // The reply by which a person has come to follow a thread may be unread.
        setSettings.bind(8, Int64(name.isThread ? 1 : 0))
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
