import ChatRoom
import ChatWire

/// The people of one shard whose memberships or read marks have changed on this server, until the other servers are told.
///
/// The other servers hear of it once for each tick, by name. Changes of settings, and of rooms that a person is in already,
/// are not noted: whoever has those rooms in an open list follows their revisions.
///
/// - Shape: one message has at most ``longest`` bytes of names. The others wait for the next tick, up to ``most``; beyond
///   that the people's reviews find what has changed.
struct MembershipChanges {
    /// In the order in which they came.
    private var waiting: [UserName] = []
    private var names: Set<UserName> = []
    /// The earliest time of the next message.
    private var soonest = Duration.zero
    /// The alarm that was last asked for.
    private var promised: Duration?

    static let longest = 4_000
    static let most = 10_000

    /// Records the people of this shard whom a message is about.
    mutating func record(_ message: ShardMessage, in settings: ShardSettings) {
        switch message {
        case .changed(_, let news, _):
            for user in news.flatMap(\.change.comers).map(\.user) where settings.map.shard(of: user) == settings.index {
                record(user)
            }
        case .marked(let marks, _): for mark in marks { record(mark.user) }
        case .watch, .unwatch, .watched, .announced, .occupied: break
        }
    }

    private mutating func record(_ user: UserName) {
        guard waiting.count < Self.most, names.insert(user).inserted else { return }
        waiting.append(user)
    }

    /// The alarm went off.
    mutating func wake() {
        promised = nil
    }

    /// Notifies the other servers, if it is time. To be called at the end of each turn.
    mutating func flush(every tick: Duration, _ turn: inout ShardTurn) {
        if !waiting.isEmpty, soonest <= turn.conditions.now {
            turn.decision.peers.append(.membershipsChanged(dequeue()))
            soonest = turn.conditions.now + tick
        }
        let next = waiting.isEmpty ? nil : soonest
        guard next != promised else { return }
        promised = next
        turn.decision.alarms.append((.membershipChanges, next))
    }

    /// Removes as many names as fit into a message.
    private mutating func dequeue() -> [UserName] {
        var bytes = 0
        let users = Array(
            waiting.prefix { user in
                bytes += user.description.utf8.count + 1
                return bytes <= Self.longest
            })
        waiting.removeFirst(users.count)
        names.subtract(users)
        return users
    }
}
