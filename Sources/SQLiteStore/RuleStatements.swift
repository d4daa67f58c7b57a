import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

/// A commit's statements for rooms' rules. Slow mode and read-only are columns of the room's own row.
struct RuleStatements: ~Copyable {
    private let standing: Statement
    private let standings: Statement
    private let setStanding: Statement
    private let removeStanding: Statement
    private let lastSend: Statement
    private let setLastSend: Statement
    private let forgetSends: Statement
    private let setPins: Statement
    private let removePins: Statement
}

extension RuleStatements {
    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        self.init(
            standing: try Statement(.standing, on: connection),
            standings: try Statement(.standings, on: connection),
            setStanding: try Statement(.setStanding, on: connection),
            removeStanding: try Statement(.removeStanding, on: connection),
            lastSend: try Statement(.lastSend, on: connection),
            setLastSend: try Statement(.setLastSend, on: connection),
            forgetSends: try Statement(.forgetSends, on: connection),
            setPins: try Statement(.setPins, on: connection),
            removePins: try Statement(.removePins, on: connection)
        )
    }

    borrowing func standing(of user: UserName, in room: StoredRoom) throws(RoomStoreError) -> Standing {
        guard let id = room.id, room.isRuled else { return Standing() }
        standing.bind(1, id)
        standing.bind(2, user.description)
        return try standing.first { (row) throws(RoomStoreError) in try row.standing().1 } ?? Standing()
    }

    /// Returns the people of a direct room.
    borrowing func people(of room: Int64) throws(RoomStoreError) -> [UserName] {
        standings.bind(1, room)
        let all = try standings.all { (row) throws(RoomStoreError) in try row.standing() }
        return RoomRules(of: .direct, standings: Dictionary(all) { $1 }).people
    }

    /// Returns the instant of a person's last message in slow mode.
    borrowing func lastSend(of user: UserName, in room: StoredRoom) throws(RoomStoreError) -> Milliseconds? {
        guard let id = room.id else { return nil }
        lastSend.bind(1, id)
        lastSend.bind(2, user.description)
        return try lastSend.first { (row) throws(RoomStoreError) in try row.time(0) }
    }

    /// - Parameter room: the room's row, which takes its part of the change.
    borrowing func write(_ change: RowChange, to room: inout StoredRoom, of id: Int64) throws(RoomStoreError) {
        switch change {
        case .inserted(let row, let instant, _):
            guard room.slowMode > 0 else { return }
            setLastSend.bind(1, id)
            setLastSend.bind(2, row.author.description)
            setLastSend.bind(3, instant)
            try setLastSend.run()
        case .ruled(.standing), .affiliated:
            break
        case .ruled(.slowMode(let span)):
            room.slowMode = span
            guard span == 0 else { return }
            forgetSends.bind(1, id)
            try forgetSends.run()
        case .ruled(.readOnly(let isReadOnly)):
            room.isReadOnly = isReadOnly
        case .ruled(.title(let title)), .created(_, let title):
            room.title = title
        case .ruled(.topic(let topic)):
            room.topic = topic
        case .ruled(.picture(let picture)):
            room.picture = picture
        case .ruled(.pins(let pins)):
            room.pins = pins
            try write(pins, in: id)
        case .deleted(let message, _):
            if room.pins.remove(message) { try write(room.pins, in: id) }
        case .reloaded, .reconfigured, .joined, .left, .settings, .nothing:
            break
        }
        for (user, standing) in change.standings {
            room.isRuled = true
            try write(standing, of: user, in: id)
        }
    }

    private borrowing func write(_ pins: Pins, in room: Int64) throws(RoomStoreError) {
        guard !pins.isEmpty else {
            removePins.bind(1, room)
            return try removePins.run()
        }
        setPins.bind(1, room)
        setPins.bind(2, PinBytes.encoding(pins))
        try setPins.run()
    }

    private borrowing func write(_ value: Standing, of user: UserName, in room: Int64) throws(RoomStoreError) {
        guard value != Standing() else {
            removeStanding.bind(1, room)
            removeStanding.bind(2, user.description)
            return try removeStanding.run()
        }
        setStanding.bind(1, room)
        setStanding.bind(2, user.description)
        setStanding.bind(3, Int64(value.role.rawValue))
        setStanding.bind(4, value.mutedUntil)
        setStanding.bind(5, Int64(value.isBanned ? 1 : 0))
        setStanding.bind(6, value.kicked)
        try setStanding.run()
    }
}

extension Row {
    func standing() throws(RoomStoreError) -> (UserName, Standing) {
        try requireSum(of: 0..<6, in: 6)
        return (try user(0), try standing(1))
    }

    /// Reads a standing from this column and the three after it.
    func standing(_ column: Int32) throws(RoomStoreError) -> Standing {
        Standing(
            role: try role(column), mutedUntil: try time(column + 1), isBanned: integer(column + 2) != 0,
            kicked: try revision(column + 3))
    }
}
