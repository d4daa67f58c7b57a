import ChatRoom
import ChatWire
import RoomStore

/// A store that passes on to another what it does not answer itself.
protocol ForwardingStore: RoomStore {
    var store: any RoomStore { get }
}

extension ForwardingStore {
    var epoch: Epoch { store.epoch }
    var parts: Int { store.parts }
    var others: (any OtherServers)? { store.others }

    func part(of room: RoomName) -> Int { store.part(of: room) }

    func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        try store.commit(inOrder: batch)
    }

    func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        try store.neighbours(of: sort, in: room, before: before, after: after)
    }

    func sort(of anchor: PagePlace.Anchor, in room: RoomName) throws(RoomStoreError) -> UInt64? {
        try store.sort(of: anchor, in: room)
    }

    func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading {
        try store.held(query, in: room)
    }

    func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        try store.memberships(of: user)
    }

    func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try store.memberships(of: users, in: room)
    }

    func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        try store.memberships(of: user, in: rooms)
    }

    func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] {
        try store.places(of: user)
    }

    func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading] {
        try store.mentions(of: user, in: rooms, before: place, limit: limit)
    }

    func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile] {
        try store.profiles(of: users)
    }

    func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName> {
        try store.write(changes)
    }

    func drafts(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredDraft]] {
        try store.drafts(of: users)
    }

    func write(_ changes: [DraftChange], keeping most: Int) throws(RoomStoreError) {
        try store.write(changes, keeping: most)
    }

    func blocks(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredBlock]] {
        try store.blocks(of: users)
    }

    func blockers(of user: UserName) throws(RoomStoreError) -> [UserName] { try store.blockers(of: user) }

    func write(_ changes: [BlockChange], most: Int) throws(RoomStoreError) -> [Bool] {
        try store.write(changes, most: most)
    }

    func later(of users: [UserName]) throws(RoomStoreError) -> [UserName: [StoredLater]] {
        try store.later(of: users)
    }

    func nextLater(limit: Int) throws(RoomStoreError) -> [(user: UserName, item: StoredLater)] {
        try store.nextLater(limit: limit)
    }

    func write(
        _ changes: [LaterChange], most: Int
    ) throws(RoomStoreError) -> [Result<StoredLater, LaterRefusal>] {
        try store.write(changes, most: most)
    }

    func members(of room: RoomName, after user: UserName?, limit: Int) throws(RoomStoreError) -> [RoomMember] {
        try store.members(of: room, after: user, limit: limit)
    }

    func members(_ query: MembersQuery, of room: RoomName) throws(RoomStoreError) -> MembersReading {
        try store.members(query, of: room)
    }

    func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing {
        try store.standing(of: user, in: room)
    }

    func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope
    ) throws(RoomStoreError) -> RoomReading {
        try store.read(room, tail: tail, since: since, atMost: atMost, standings: standings)
    }

    func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary] {
        try store.rooms(after: name, limit: limit)
    }

    func operations(_ room: RoomName, since: Revision, limit: Int) throws(RoomStoreError) -> [CommittedOperation] {
        try store.operations(room, since: since, limit: limit)
    }

    func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        try store.audit(room, before: before, limit: limit)
    }

    func clock(ofPart part: Int) -> StoreClock? { store.clock(ofPart: part) }

    func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: StoreMoment
    ) throws(RoomStoreError) -> Trimming {
        try store.trim(retention, part: part, after: room, at: now)
    }

    func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? { try store.deliveries(part: part) }
}
