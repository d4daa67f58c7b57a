import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import WebSocketTransport

@testable import ChatServer

/// A shard on a store in memory: what it wants of that it gets at once, in the next turn.
final class ShardUnderTest {
    private var state: ShardState
    private let store: InMemoryStore
    private var now = Duration.zero

    init(
        loops: Int = 2, on store: InMemoryStore = InMemoryStore(), _ configure: (inout ShardSettings) -> Void = { _ in }
    ) {
        self.store = store
        var settings = ShardSettings(
            loops: loops, limits: WireLimits(), members: MembersPolicy(), isShared: false, restingRooms: 8,
            cacheBytes: 1 << 20, run: "test")
        configure(&settings)
        state = ShardState(settings)
    }

    /// The connection `number` of an event loop.
    static func reader(_ number: UInt64, onLoop loop: UInt64) -> Reader {
        Reader(loop << 56 | number)
    }

    func isAtWork(_ room: RoomName) -> Bool { state.isAtWork(room) }

    /// Time passes. No alarm goes off by itself.
    func pass(_ time: Duration) {
        now += time
    }

    /// One turn's decision, and which of the inputs it has not come to.
    func take(_ inputs: [ShardInput]) -> (decision: ShardDecision, rest: ArraySlice<ShardInput>) {
        take(inputs, at: now + .milliseconds(1))
    }

    func take(
        _ inputs: [ShardInput], at time: Duration
    ) -> (decision: ShardDecision, rest: ArraySlice<ShardInput>) {
        now = time
        var rest = inputs[...]
        let decision = state.handle(&rest, ShardConditions(now: now, time: 0, epoch: store.epoch))
        return (decision, rest)
    }

    /// Every turn's decision, until the shard wants no more of the store.
    func settle(_ inputs: [ShardInput]) throws -> [ShardDecision] {
        var decisions: [ShardDecision] = []
        var inputs = inputs
        while !inputs.isEmpty {
            let (decision, rest) = take(inputs)
            decisions.append(decision)
            inputs = Array(rest) + decision.messages.map { .message($0.message) }
            inputs += try found(decision) + foundMemberships(decision) + committed(decision)
        }
        return decisions
    }

    private func found(_ decision: ShardDecision) throws -> [ShardInput] {
        try decision.queries.map(answer)
    }

    /// The store's answer to a room.
    func answer(to query: StoreQuery) throws -> ShardInput {
        switch query {
        case .reading(let room, let query, let epoch):
            let reading = try store.read(
                room, tail: query.tail, since: query.since, atMost: query.atMost, standings: query.standings)
            return .found(.reading(room, of: epoch, .success(reading)))
        case .membership(let query):
            let readings = try store.memberships(of: [query.visitor.user], in: query.room)
            return .found(.membership(query, .success(readings.values.first)))
        case .page(let query):
            let page = try store.page(query.room, query.place, limit: query.limit)
            return .found(.page(query, .success(page)))
        case .rows(let query):
            return .found(.rows(query, .success(try store.rows(at: query.sorts, in: query.room))))
        case .members(let query):
            return .found(.members(query, .success(try store.members(query.query, of: query.room))))
        case .membersPage(let query): return .found(.membersPage(query, .success(try query.reading(in: store))))
        case .held, .audit, .comparison: throw Unexpected()
        }
    }

    private func foundMemberships(_ decision: ShardDecision) throws -> [ShardInput] {
        try decision.inboxQueries.map { query in
            switch query {
            case .person(let user, let number, let epoch):
                .foundMemberships(
                    .person(user, number: number, of: epoch, .success(try store.reachablePlaces(of: user))))
            case .rooms(let user, let rooms, let number, let epoch):
                .foundMemberships(
                    .rooms(
                        user, rooms, number: number, of: epoch,
                        .success(try store.reachableMemberships(of: user, in: rooms))))
            case .room(let room, let users, let number, let epoch):
                .foundMemberships(
                    .room(
                        room, users, number: number, of: epoch, .success(try store.memberships(of: users, in: room))))
            case .mentions(let user, let rooms, let list, let epoch):
                .foundMemberships(
                    .mentions(
                        user, list: list, of: epoch,
                        .success(try store.reachableMentions(of: user, in: rooms, before: nil, limit: MentionList.most))
                    ))
            case .mentionsPage(let query):
                .foundMemberships(.mentionsPage(query, .success(try query.readings(in: store))))
            case .profiles(let names):
                .foundMemberships(
                    .profiles(names, .success(try store.reachableProfiles(of: names).map { $0.mapValues(\.profile) })))
            case .drafts(let names):
                .foundMemberships(.drafts(names, .success(try store.reachableDrafts(of: names))))
            case .blocks(let names):
                .foundMemberships(.blocks(names, .success(try store.reachableBlocks(of: names))))
            case .later(let names):
                .foundMemberships(.later(names, .success(try store.reachableLater(of: names))))
            }
        }
    }

    private func committed(_ decision: ShardDecision) throws -> [ShardInput] {
        try outcomes(of: decision.commits)
    }

    func outcomes(of commits: [ShardDecision.Commit]) throws -> [ShardInput] {
        guard !commits.isEmpty else { return [] }
        let outcomes = try store.commit(commits.map { RoomOperation(room: $0.room, operation: $0.operation) })
        let rooms = zip(commits, outcomes).map { commit, outcome in
            (name: commit.room, outcomes: [(ticket: commit.ticket, outcome: outcome)])
        }
        return [.committed(CommittedRooms(rooms, of: store.epoch))]
    }
}

extension LoopCommand {
    /// The frame, as text, and what is done with it.
    var plain: String {
        switch self {
        case .send(let frame, let connection): "send \(connection.rawValue) \(frame.words)"
        case .attach(let connection, let topic, let revision, let frame):
            "attach \(connection.rawValue) \(topic.rawValue) \(revision) \(frame?.words ?? "")"
        case .detach(let connection, let topic): "detach \(connection.rawValue) \(topic.rawValue)"
        case .append(let frame, let topic, let revision): "append \(topic.rawValue) \(revision) \(frame.words)"
        case .cut(let topic): "cut \(topic.rawValue)"
        case .close(let connection, _, let code, let reason): "close \(connection.rawValue) \(code) \(reason)"
        }
    }
}

extension Frame {
    fileprivate var words: String { String(decoding: text, as: UTF8.self) }
}
