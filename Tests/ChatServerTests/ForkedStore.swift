import ChatRoom
import ChatWire
import Locking
import RoomStore

/// A store that goes on with another history during a request, as a shared database does when a standby takes over that
/// lacks acknowledged commits. The request is answered from the history before.
final class ForkedStore: RoomStore {
    /// The request during which that happens.
    enum Moment: CaseIterable {
        /// Of operations, not of read marks only, which are committed when there is time.
        case commit
        case page
    }

    private struct State: Sendable {
        var store = InMemoryStore()
        /// Opened when it has happened.
        var moment: Moment?
        var receive: (@Sendable (News) -> Void)?
    }

    private let state = Guarded(State())

    /// - Parameter message: the message that the new history has instead.
    func fork(at moment: Moment, into message: RoomOperation) throws(RoomStoreError) {
        _ = try next.commit([message])
        state.withLock { $0.moment = moment }
    }

    /// The next history.
    private let next = InMemoryStore()
    private var store: InMemoryStore { state.withLock { $0.store } }

    private func reach(_ moment: Moment) {
        let receive = state.withLock { [next] state -> (@Sendable (News) -> Void)? in
            guard state.moment == moment else { return nil }
            (state.store, state.moment) = (next, nil)
            return state.receive
        }
        receive?(.renewed)
    }

    var epoch: Epoch { store.epoch }
    var others: (any OtherServers)? { self }

    func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        let outcomes = try store.commit(inOrder: batch)
        if batch.contains(where: { $0.operation != nil }) { reach(.commit) }
        return outcomes
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
        of user: UserName, in rooms: [RoomName], before place: MentionPlace?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading] {
        try store.mentions(of: user, in: rooms, before: place, limit: limit)
    }

    func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile] {
        try store.profiles(of: users)
    }

    func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName> {
        try store.write(changes)
    }

    func members(of room: RoomName, after user: UserName?, limit: Int) throws(RoomStoreError) -> [UserName] {
        try store.members(of: room, after: user, limit: limit)
    }

    func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing {
        try store.standing(of: user, in: room)
    }

    func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        let page = try store.neighbours(of: sort, in: room, before: before, after: after)
        reach(.page)
        return page
    }

    func sort(of anchor: PagePlace.Anchor, in room: RoomName) throws(RoomStoreError) -> UInt64? {
        try store.sort(of: anchor, in: room)
    }

    func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading {
        try store.held(query, in: room)
    }

    func read(_ room: RoomName, tail: Int, since: Revision?, atMost: Int) throws(RoomStoreError) -> RoomReading {
        try store.read(room, tail: tail, since: since, atMost: atMost)
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

    func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: Milliseconds
    ) throws(RoomStoreError) -> Trimming {
        try store.trim(retention, part: part, after: room, at: now)
    }

    func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? { nil }
}

extension ForkedStore: OtherServers {
    func listen(_ receive: @escaping @Sendable (News) -> Void) {
        state.withLock { $0.receive = receive }
    }

    func follow(_ room: RoomName) {}
    func leave(_ room: RoomName) {}
    func tell(_ people: [Presence], in room: RoomName) {}
    func tell(movesOf users: [UserName]) {}
    func agree(on fingerprint: UInt64, at revision: Revision, of room: RoomName) throws(RoomStoreError) -> Bool { true }
    func hurry() {}
}
