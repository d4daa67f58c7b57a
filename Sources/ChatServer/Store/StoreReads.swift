import ChatRoom
import ChatWire
import Dispatch
import Foundation
import RoomStore
import WebSocketTransport

/// Queries the store, which takes its time: it reads a disk, or waits for another program. Meanwhile the rooms go on with what
/// they hold: the question waits on a queue of its own, and the answer comes back on the room's queue.
struct StoreReads: Sendable {
    typealias Question<Answer> = @Sendable (any RoomStore) throws(RoomStoreError) -> Answer

    let store: any RoomStore
    private let errors: StoreErrors
    private let quotas: Quotas
    private let sessions: Sessions
    private let transport: WebSocketServer
    /// Queues for the questions of rooms, and of clients: no join waits for pages. Each part of the store has
    /// its own, so that none waits for another part that does not answer. Of several parts, the last queues are those of
    /// questions that concern all parts.
    private let roomQueues: [BoundedQueue]
    private let clientQueues: [BoundedQueue]
    /// Queues for searches: no page waits for one.
    private let searchQueues: [BoundedQueue]

    /// The number of queues of a part. Each holds a thread and a connection while it waits.
    private static let queueCount = 3
    /// The number of clients' questions that may wait on each queue.
    private static let most = 1_024
    /// The number of queues for searches, and of searches that may wait on each.
    private static let searchQueueCount = 2, mostSearches = 256

    /// The longest time for which a question waits for memory, and the pause between two looks, in seconds.
    private static let patience = 1.0, pause = 0.005

    init(_ store: any RoomStore, errors: StoreErrors, gateway: ConnectionGateway) {
        (transport, sessions, quotas) = (gateway.transport, gateway.sessions, gateway.quotas)
        self.store = store
        self.errors = errors
        let count = Self.queueCount * (store.parts == 1 ? 1 : store.parts + 1)
        roomQueues = (0..<count).map { BoundedQueue("diffroom.read.\($0)", most: .max) }
        searchQueues = (0..<Self.searchQueueCount).map {
            BoundedQueue("diffroom.search.\($0)", most: Self.mostSearches)
        }
        clientQueues = (0..<count).map { BoundedQueue("diffroom.ask.\($0)", most: Self.most) }
    }

    /// Queries for a room, or for a client whom a room has let in. Queries of one room are answered in their order.
    func load(_ query: StoreQuery, for shard: RoomShard) {
        guard let reader = query.reader else {
            return queue(roomQueues, of: query.room).put { shard.enqueueAndWait(.found(answer(to: query))) }
        }
        // Nothing is read for one that has gone. Its room waits for an answer all the same.
        let isTaken = queue(clientQueues, of: query.room).offer { [sessions] in
            let isThere = reader.isService || sessions.has(reader.connection)
            shard.enqueueAndWait(.found(isThere ? answer(to: query) : query.failed(.connectionClosed)))
        }
        guard !isTaken else { return }
        quotas.hit(.storeReads)
        shard.enqueue([.found(query.failed(.tooManyQuestions))])
    }

    /// Queries memberships, and what is kept of people. Queries of one room are answered in their order.
    func load(_ query: InboxQuery, for shard: RoomShard) {
        switch query {
        case .person(let user, let number, let epoch):
            load(about: user, of: epoch, for: shard) { (store) throws(RoomStoreError) in
                try store.reachablePlaces(of: user)
            } as: {
                .person(user, number: number, of: epoch, $0)
            }
        case .rooms(let user, let rooms, let number, let epoch):
            load(about: user, of: epoch, for: shard) { (store) throws(RoomStoreError) in
                try store.reachableMemberships(of: user, in: rooms)
            } as: {
                .rooms(user, rooms, number: number, of: epoch, $0)
            }
        case .room(let room, let users, let number, let epoch):
            queue(roomQueues, of: room).put {
                let readings = answer { (store) throws(RoomStoreError) -> [UserName: MembershipReading]? in
                    let readings = try store.memberships(of: users, in: room)
                    return store.epoch == epoch ? readings : nil
                }
                shard.enqueueAndWait(.foundMemberships(.room(room, users, number: number, of: epoch, readings)))
            }
        case .mentions(let user, let rooms, let list, let epoch):
            load(about: user, of: epoch, for: shard) { (store) throws(RoomStoreError) in
                try store.reachableMentions(of: user, in: rooms, before: nil, limit: MentionList.most)
            } as: {
                .mentions(user, list: list, of: epoch, $0)
            }
        case .mentionsPage(let query):
            load(about: query.user, of: query.epoch, for: shard) { (store) throws(RoomStoreError) in
                // Nothing is read for one that has gone.
                sessions.has(query.reader.connection) ? try query.readings(in: store) : []
            } as: {
                .mentionsPage(query, $0)
            }
        case .profiles, .drafts, .later, .blocks: loadKept(query, for: shard)
        }
    }

    /// Queries one person. If too many queries wait, that is the answer.
    ///
    /// - Parameter frame: makes the answer. It gets `nil` if the store has another epoch.
    private func load<Found: Sendable>(
        about user: UserName, of epoch: Epoch, for shard: RoomShard,
        _ find: @escaping Question<Found>,
        as frame: @escaping @Sendable (Result<Found?, WireError>) -> InboxAnswer
    ) {
        let isTaken = queue(clientQueues, ofPerson: user).offer {
            shard.enqueueAndWait(.foundMemberships(frame(answer(of: epoch, find))))
        }
        guard !isTaken else { return }
        quotas.hit(.storeReads)
        shard.enqueue([.foundMemberships(frame(.failure(.tooManyQuestions)))])
    }

    /// Queries what is kept of people.
    private func loadKept(_ query: InboxQuery, for shard: RoomShard) {
        switch query {
        case .profiles(let names):
            loadKept(of: names, for: shard) { (store) throws(RoomStoreError) in
                try store.reachableProfiles(of: names).map { stored in
                    stored.compactMapValues { $0.profile.isEmpty ? nil : $0.profile }
                }
            } as: {
                .profiles(names, $0)
            }
        case .drafts(let names):
            loadKept(of: names, for: shard) { (store) throws(RoomStoreError) in
                try store.reachableDrafts(of: names)
            } as: {
                .drafts(names, $0)
            }
        case .later(let names):
            loadKept(of: names, for: shard) { (store) throws(RoomStoreError) in
                try store.reachableLater(of: names)
            } as: {
                .later(names, $0)
            }
        case .blocks(let names):
            loadKept(of: names, for: shard) { (store) throws(RoomStoreError) in
                try store.reachableBlocks(of: names)
            } as: {
                .blocks(names, $0)
            }
        case .person, .rooms, .room, .mentions, .mentionsPage: preconditionFailure("\(query) is about rooms")
        }
    }

    private func loadKept<Found: Sendable>(
        of names: [UserName], for shard: RoomShard, _ find: @escaping Question<Found>,
        as frame: @escaping @Sendable (Result<Found, WireError>) -> InboxAnswer
    ) {
        queue(roomQueues, ofPerson: names).put { shard.enqueueAndWait(.foundMemberships(frame(answer(find)))) }
    }

    private func answer(to query: StoreQuery) -> StoreAnswer {
        switch query {
        case .reading(let room, let query, let epoch):
            let reading = answer(of: epoch) { (store) throws(RoomStoreError) in
                try store.soundReading(
                    of: room, tail: query.tail, since: query.since, atMost: query.atMost, standings: query.standings)
            }.map { noteDamage(in: $0, of: room) { $0?.tail } }
            return .reading(room, of: epoch, reading)
        case .held(let query):
            let reading = answer(of: query.epoch) { (store) throws(RoomStoreError) in
                try store.soundHeld(query.query, in: query.room)
            }
            return .held(query, reading)
        case .page(let query): return answer(to: query)
        case .audit(let query): return answer(to: query)
        case .membersPage(let query): return answer(to: query)
        case .membership(let query):
            let found = answer { (store) throws(RoomStoreError) in
                let reading = try store.memberships(of: [query.visitor.user], in: query.room).values.first
                return (reading, isOfEpoch: store.epoch == query.epoch)
            }
            return .membership(query, found.flatMap { query.answer($0, isOfEpoch: $1) })
        case .rows(let query):
            let page = answer(of: query.epoch) { (store) throws(RoomStoreError) in
                try store.rows(at: query.sorts, in: query.room)
            }
            return .rows(query, page)
        case .members(let query):
            let reading = answer(of: query.epoch) { (store) throws(RoomStoreError) in
                try store.members(query.query, of: query.room)
            }
            return .members(query, reading)
        case .comparison(let room, let revision, let fingerprint):
            let agrees = answer { (store) throws(RoomStoreError) -> Bool in
                try store.others?.agree(on: fingerprint, at: revision, of: room) ?? true
            }
            // One that could not be asked will be, some revisions on.
            return .comparison(room, revision, agrees: (try? agrees.get()) ?? true)
        }
    }

    private func answer(to query: AuditQuery) -> StoreAnswer {
        let found = answer { (store) throws(RoomStoreError) in
            let page = try store.audit(query.room, before: query.before, limit: query.limit)
            return (page, try store.standing(of: query.visitor.user, in: query.room))
        }
        return .audit(query, found.flatMap { query.answer($0, for: $1) })
    }

    private func answer(to query: MembersPageQuery) -> StoreAnswer {
        let found = answer { (store) throws(RoomStoreError) in
            let page = try query.reading(in: store)
            return (page, try store.standing(of: query.visitor.user, in: query.room))
        }
        return .membersPage(query, found.flatMap { query.answer($0, for: $1) })
    }

    private func answer(to query: PageQuery) -> StoreAnswer {
        let found = answer { (store) throws(RoomStoreError) in
            let page = try store.page(query.room, query.place, limit: query.limit)
            let standing = try store.standing(of: query.visitor.user, in: query.room)
            return (noteDamage(in: page, of: query.room) { $0?.rows }, standing, isOfEpoch: store.epoch == query.epoch)
        }
        return .page(query, found.flatMap { query.answer($0, for: $1, isOfEpoch: $2) })
    }

    /// Returns a reading of a room. If it has damaged messages, that is logged.
    private func noteDamage<Reading>(
        in reading: Reading, of room: RoomName, _ rows: (Reading) -> [Message]?
    ) -> Reading {
        if rows(reading)?.contains(where: \.isDamaged) ?? false { errors.noteDamagedMessages(of: room) }
        return reading
    }

    /// Queries for a client without a WebSocket.
    ///
    /// - Parameters:
    ///   - room: `nil` for a question that concerns all parts.
    ///   - completion: called on a thread where it may take its time; at once when too many ask.
    func load<Answer: Sendable>(
        about room: RoomName?, _ question: @escaping Question<Answer>,
        then completion: @escaping @Sendable (Result<Answer, WireError>) -> Void
    ) {
        let waiting = room.map { queue(clientQueues, of: $0) } ?? queue(clientQueues, ofPerson: 0)
        guard !waiting.offer({ completion(answer(question)) }) else { return }
        quotas.hit(.storeReads)
        completion(.failure(.tooManyQuestions))
    }

    /// Searches for a client, after its earlier searches.
    ///
    /// - Parameter completion: called on a thread where it may take its time; at once when too many search.
    func search<Answer: Sendable>(
        for client: some Hashable & Sendable, _ question: @escaping Question<Answer>,
        then completion: @escaping @Sendable (Result<Answer, WireError>) -> Void
    ) {
        let queue = searchQueues[Int(UInt(bitPattern: client.hashValue) % UInt(Self.searchQueueCount))]
        guard !queue.offer({ completion(answer(question)) }) else { return }
        quotas.hit(.storeReads)
        completion(.failure(.tooManyQuestions))
    }

    private func queue(_ queues: [BoundedQueue], of room: RoomName) -> BoundedQueue {
        queue(queues, of: store.part(of: room), room)
    }

    private func queue(_ queues: [BoundedQueue], ofPerson name: some Hashable) -> BoundedQueue {
        queue(queues, of: store.parts == 1 ? 0 : store.parts, name)
    }

    private func queue(_ queues: [BoundedQueue], of part: Int, _ name: some Hashable) -> BoundedQueue {
        queues[part * Self.queueCount + Int(UInt(bitPattern: name.hashValue) % UInt(Self.queueCount))]
    }

    /// Queries the store. The answer is `nil` if the store has another epoch.
    private func answer<Answer>(of epoch: Epoch, _ question: Question<Answer>) -> Result<Answer?, WireError> {
        answer { (store) throws(RoomStoreError) -> Answer? in
            let answer = try question(store)
            return store.epoch == epoch ? answer : nil
        }
    }

    /// Queries the store, once there is memory for the answer. A request that keeps the memory too long does not stop the rooms.
    private func answer<Answer>(_ question: Question<Answer>) -> Result<Answer, WireError> {
        assertMayWait()
        let end = Date.now + Self.patience
        while transport.isOverBudget, Date.now < end { Thread.sleep(forTimeInterval: Self.pause) }
        do throws(RoomStoreError) {
            return .success(try question(store))
        } catch {
            errors.note(error)
            return .failure(WireError(error))
        }
    }
}

extension WireError {
    static let connectionClosed = WireError(.overloaded, "the connection has closed")
    fileprivate static let tooManyQuestions = WireError(
        .overloaded, "the store is overloaded: send it again", retryAfter: 1_000)
}
