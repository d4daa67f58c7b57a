import ChatRoom
import ChatWire
import RoomStore
import TestSupport

/// The damage of a room's data, by whether the store can detect it.
enum Damage: CaseIterable {
    /// The store detects it.
    case refusing
    /// The store detects it, but not of which room it is when there are several.
    case unnamed
    case tooFewRows
    case rowsInDisorder
    case rowOfTheFuture
    case sameRowTwice
    case revisionBeyondTheWire
    /// One message is damaged, and the room is not.
    case message
}

/// A store in which the data of one room is damaged, and which goes on with the others.
final class StoreWithDamage: ForwardingStore {
    let store: any RoomStore = InMemoryStore()
    private let room: RoomName
    private let damage: Damage

    init(of room: RoomName, _ damage: Damage) {
        self.room = room
        self.damage = damage
    }

    /// Writes as before the damage.
    func fill(_ room: RoomName, with messages: Int) throws(RoomStoreError) -> [CommitOutcome] {
        try store.commit(
            (0..<messages).map { number in
                RoomOperation(
                    room: room,
                    operation: Operation(
                        command: .random(), author: UserName("ann")!, role: .write, time: Milliseconds(number),
                        action: .send("\(number)")))
            })
    }

    private func refuse(_ asked: RoomName) throws(RoomStoreError) {
        guard asked == room, damage == .refusing || damage == .unnamed else { return }
        throw .damagedRoom(room, "no sense in column text")
    }

    func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        let rooms = Set(batch.map(\.room))
        if damage == .unnamed, rooms.count > 1, rooms.contains(room) { throw .damaged("a key is there twice") }
        for entry in batch where entry.operation != nil { try refuse(entry.room) }
        return try store.commit(inOrder: batch)
    }

    func memberships(
        of users: [UserName], in asked: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try refuse(asked)
        return try store.memberships(of: users, in: asked)
    }

    func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        try store.memberships(of: user, in: rooms.filter { $0 != room })
    }

    func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] {
        try store.places(of: user).filter { $0.room != room }
    }

    func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading] {
        try store.mentions(of: user, in: rooms.filter { $0 != room }, before: place, limit: limit)
    }

    func members(of asked: RoomName, after user: UserName?, limit: Int) throws(RoomStoreError) -> [RoomMember] {
        try refuse(asked)
        return try store.members(of: asked, after: user, limit: limit)
    }

    func members(_ query: MembersQuery, of asked: RoomName) throws(RoomStoreError) -> MembersReading {
        try refuse(asked)
        return try store.members(query, of: asked)
    }

    func read(
        _ asked: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope
    ) throws(RoomStoreError) -> RoomReading {
        try refuse(asked)
        let reading = try store.read(asked, tail: tail, since: since, atMost: atMost, standings: standings)
        return asked == room ? damage.done(to: reading) : reading
    }

    func standing(of user: UserName, in asked: RoomName) throws(RoomStoreError) -> Standing {
        try refuse(asked)
        return try store.standing(of: user, in: asked)
    }

    func neighbours(
        of sort: UInt64, in asked: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        try refuse(asked)
        let found = try store.neighbours(of: sort, in: asked, before: before, after: after)
        return asked == room ? damage.done(to: found) : found
    }

    func sort(of anchor: PagePlace.Anchor, in asked: RoomName) throws(RoomStoreError) -> UInt64? {
        try refuse(asked)
        return try store.sort(of: anchor, in: asked)
    }

    func held(_ query: HeldQuery, in asked: RoomName) throws(RoomStoreError) -> HeldReading {
        try refuse(asked)
        let reading = try store.held(query, in: asked)
        return asked == room ? damage.done(to: reading) : reading
    }

    func operations(
        _ asked: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        try refuse(asked)
        return try store.operations(asked, since: since, limit: limit)
    }

    func audit(_ asked: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        try refuse(asked)
        return try store.audit(asked, before: before, limit: limit)
    }

    /// Trims in one transaction, as a store on a disk does: an error in one room rolls back the others.
    func trim(
        _ retention: Retention, part: Int, after name: RoomName?, at now: StoreMoment
    ) throws(RoomStoreError) -> Trimming {
        let next = try store.rooms(after: name, limit: Trimming.rooms).map(\.name)
        for name in next where retention.isDue(name, count: 3, oldest: 0, done: nil, at: now.instant) {
            try refuse(name)
        }
        return try store.trim(retention, part: part, after: name, at: now)
    }
}

extension Damage {
    private func rows(_ sorts: [UInt64]) -> [Message] {
        sorts.map { sort in
            if self == .message, sort == 2 {
                return Message(damaged: .init(high: 1, low: 2), section: .history, sort: 2, rev: 2, sent: nil)
            }
            return Message(
                id: MessageID(high: 1, low: self == .sameRowTwice ? 1 : sort), section: .history, sort: sort,
                rev: sort, author: UserName("ann")!, time: 0, content: "hi")
        }
    }

    private var sorts: [UInt64] {
        switch self {
        case .refusing, .unnamed, .tooFewRows, .message: [1, 2, 3]
        case .rowsInDisorder: [1, 3, 2]
        case .rowOfTheFuture: [1, 2, 4]
        case .sameRowTwice: [1, 2, 3]
        case .revisionBeyondTheWire: [1, 2, .max]
        }
    }

    private var revision: Revision { self == .revisionBeyondTheWire ? .max : 3 }

    fileprivate func done(to reading: RoomReading) -> RoomReading {
        RoomReading(
            revision: revision, count: self == .tooFewRows ? 4 : 3, tail: rows(sorts), changes: reading.changes,
            rules: reading.rules)
    }

    fileprivate func done(to found: Neighbours) -> Neighbours {
        Neighbours(revision: revision, before: rows(sorts), after: [])
    }

    fileprivate func done(to reading: HeldReading) -> HeldReading {
        HeldReading(revision: revision, ranges: [0...revision], rows: rows(sorts).map { RowStamp($0) }, changes: [])
    }
}
