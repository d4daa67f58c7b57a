import ChatRoom
import ChatWire

/// The shards that are told of the changes of one shard's rooms.
struct Watchers {
    private var shards: [RoomName: Set<Int>] = [:]

    func has(_ room: RoomName) -> Bool { shards[room] != nil }

    mutating func add(_ shard: Int, to room: RoomName) {
        shards[room, default: []].insert(shard)
    }

    /// - Returns: whether the room has no watchers any more.
    mutating func remove(_ shard: Int, from room: RoomName) -> Bool {
        guard shards[room]?.remove(shard) != nil, shards[room]?.isEmpty == true else { return false }
        shards[room] = nil
        return true
    }

    /// Notifies the shards that watch a room, and those of the people who came or went.
    ///
    /// - Complexity: O(outcomes), also for a room without watchers.
    func notify(
        _ outcomes: CommittedRooms.Outcomes, in room: RoomName, of epoch: Epoch, _ settings: ShardSettings,
        _ decision: inout ShardDecision
    ) {
        let watching = shards[room] ?? []
        var news: [RoomNews] = []
        for case .committed(let revision, let change) in outcomes.map(\.outcome) {
            let entry = RoomNews(revision: revision, change: change)
            if !watching.isEmpty { news.append(entry) }
            let movers = change.movers
            guard !movers.isEmpty else { continue }
            for home in Set(movers.map(settings.map.shard)).subtracting(watching).sorted() {
                decision.messages.append((home, .changed(room, [entry], of: epoch)))
            }
        }
        notify(news, in: room, of: epoch, &decision)
    }

    func notify(_ news: [RoomNews], in room: RoomName, of epoch: Epoch, _ decision: inout ShardDecision) {
        guard !news.isEmpty else { return }
        for shard in (shards[room] ?? []).sorted() {
            decision.messages.append((shard, .changed(room, news, of: epoch)))
        }
    }

    func notify(_ occupancy: Occupancy, of room: RoomName, _ decision: inout ShardDecision) {
        for shard in (shards[room] ?? []).sorted() { decision.messages.append((shard, .occupied(room, occupancy))) }
    }

    func announce(_ revision: Revision, of room: RoomName, _ decision: inout ShardDecision) {
        for shard in (shards[room] ?? []).sorted() { decision.messages.append((shard, .announced(room, revision))) }
    }
}

extension RowChange {
    /// The people who become members, are invited, or are neither any more.
    fileprivate var movers: [UserName] { comers.map(\.user) + (leaver.map { [$0] } ?? []) }
}
