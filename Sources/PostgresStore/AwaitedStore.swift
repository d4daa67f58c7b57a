import ChatRoom
import ChatWire
import Foundation
import Locking
import RoomStore

/// One of several databases, which was down when the server started. It is opened as soon as it can be.
///
/// - Errors: `unavailable` until then.
final class AwaitedStore: RoomStore {
    private struct State: Sendable {
        var store: (any RoomStore)?
        var failure: RoomStoreError
        var handler: (@Sendable (News) -> Void)?
        /// The rooms that are live here, and whether the other servers are to be asked who is in them.
        var rooms: [RoomName: Bool] = [:]
        var isClosed = false
    }

    private let state: Guarded<State>
    private let start = ContinuousClock.now

    private static let pause = Duration.seconds(1)
    /// The epoch of a database that was never reached. With the database comes another one.
    private static let unknownEpoch = Epoch("unreached")!

    /// - Parameters:
    ///   - failure: the reason why it could not be opened so far.
    ///   - open: tries to open it. It is called again and again, on a thread of its own.
    init(_ failure: RoomStoreError, open: @escaping @Sendable () throws(RoomStoreError) -> any RoomStore) {
        state = Guarded(State(failure: failure))
        Thread.detachNewThread { [weak self] in
            while self?.attempt(open) == .failed { Thread.sleep(forTimeInterval: Self.pause / .seconds(1)) }
        }
    }

    private enum Attempt { case failed, ended }

    private func attempt(_ open: () throws(RoomStoreError) -> any RoomStore) -> Attempt {
        guard !state.withLock({ $0.isClosed }) else { return .ended }
        do throws(RoomStoreError) {
            begin(try open())
            return .ended
        } catch {
            return note(error)
        }
    }

    private func note(_ error: RoomStoreError) -> Attempt {
        let (handler, before) = state.withLock { state in
            defer { state.failure = error }
            return (state.handler, state.failure)
        }
        switch error {
        case .misplaced(let why):
            handler?(.misplaced(why))
            return handler == nil ? .failed : .ended
        case .unavailable: return .failed
        case .full, .readOnly, .inUse, .notAStore, .newer, .ahead, .damaged, .damagedRoom:
            if error != before { handler?(.warned("a database cannot be opened", why: "\(error)")) }
            return .failed
        }
    }

    private func begin(_ store: any RoomStore) {
        let (handler, rooms, isClosed) = state.withLock { state in
            state.store = store
            defer { state.rooms = [:] }
            return (state.handler, state.rooms, state.isClosed)
        }
        guard !isClosed else {
            try? store.close()
            return
        }
        guard let handler else { return }
        store.others?.listen(handler)
        for (room, withPeople) in rooms { store.others?.follow(room, withPeople: withPeople) }
        handler(.renewed)
        handler(.writable(after: .now - start))
    }

    /// - Errors: the reason why it is not open.
    private var store: any RoomStore {
        get throws(RoomStoreError) {
            let (store, failure) = state.withLock { ($0.store, $0.failure) }
            guard let store else { throw .unavailable("\(failure)") }
            return store
        }
    }

    private var opened: (any RoomStore)? { state.withLock { $0.store } }

    var epoch: Epoch { opened?.epoch ?? Self.unknownEpoch }
    var lanes: Int { opened?.lanes ?? 1 }
    func clock(ofPart part: Int) -> StoreClock? { opened?.clock(ofPart: part) }
    var clockOffset: Duration { opened?.clockOffset ?? .zero }

    var trouble: String? {
        let (store, failure) = state.withLock { ($0.store, $0.failure) }
        return store == nil ? "\(failure)" : store?.trouble
    }

    func close() throws(RoomStoreError) {
        let store = state.withLock { state in
            state.isClosed = true
            return state.store
        }
        try store?.close()
    }
}

// MARK: - Reading and writing

extension AwaitedStore {
    func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        try store.commit(inOrder: batch)
    }

    func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        try store.memberships(of: user)
    }

    func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        try store.memberships(of: user, in: rooms)
    }

    func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] { try store.places(of: user) }

    func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try store.memberships(of: users, in: room)
    }

    func mentions(
        of user: UserName, in rooms: [RoomName], before place: MentionSpot?, limit: Int
    ) throws(RoomStoreError) -> [MentionReading] {
        try store.mentions(of: user, in: rooms, before: place, limit: limit)
    }

    func members(of room: RoomName, after user: UserName?, limit: Int) throws(RoomStoreError) -> [RoomMember] {
        try store.members(of: room, after: user, limit: limit)
    }

    func members(_ query: MembersQuery, of room: RoomName) throws(RoomStoreError) -> MembersReading {
        try store.members(query, of: room)
    }

    func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile] {
        try store.profiles(of: users)
    }

    func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName> { try store.write(changes) }

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

    func read(
        _ room: RoomName, tail: Int, since: Revision?, atMost: Int, standings: StandingScope
    ) throws(RoomStoreError) -> RoomReading {
        try store.read(room, tail: tail, since: since, atMost: atMost, standings: standings)
    }

    func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing {
        try store.standing(of: user, in: room)
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

    func rooms(after name: RoomName?, limit: Int) throws(RoomStoreError) -> [RoomSummary] {
        try store.rooms(after: name, limit: limit)
    }

    func operations(
        _ room: RoomName, since: Revision, limit: Int
    ) throws(RoomStoreError) -> [CommittedOperation] {
        try store.operations(room, since: since, limit: limit)
    }

    func audit(_ room: RoomName, before: Revision, limit: Int) throws(RoomStoreError) -> AuditPage {
        try store.audit(room, before: before, limit: limit)
    }

    func trim(
        _ retention: Retention, part: Int, after room: RoomName?, at now: StoreMoment
    ) throws(RoomStoreError) -> Trimming {
        try store.trim(retention, part: part, after: room, at: now)
    }

    func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? { try store.deliveries(part: part) }
}

// MARK: - Other servers

extension AwaitedStore: OtherServers {
    var others: (any OtherServers)? { self }

    func listen(_ handler: @escaping @Sendable (News) -> Void) {
        let (store, failure) = state.withLock { state in
            state.handler = handler
            return (state.store, state.failure)
        }
        guard let store else { return handler(.unwritable("\(failure)")) }
        store.others?.listen(handler)
    }

    func follow(_ room: RoomName, withPeople: Bool) {
        let store = state.withLock { state in
            if state.store == nil { state.rooms[room] = withPeople }
            return state.store
        }
        store?.others?.follow(room, withPeople: withPeople)
    }

    func leave(_ room: RoomName) {
        state.withLock { $0.rooms[room] = nil }
        opened?.others?.leave(room)
    }

    func announce(_ people: [Presence], in room: RoomName) { opened?.others?.announce(people, in: room) }

    func agree(
        on fingerprint: UInt64, at revision: Revision, of room: RoomName
    ) throws(RoomStoreError) -> Bool {
        try store.others?.agree(on: fingerprint, at: revision, of: room) ?? true
    }

    var detectsLostNews: Bool { true }

    func cancelWaiting() { opened?.others?.cancelWaiting() }
}
