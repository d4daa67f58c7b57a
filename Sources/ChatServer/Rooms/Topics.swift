import ChatRoom
import ChatWire
import WebSocketTransport

/// The transport topics of one shard's lists, and the epochs of those that live in memory only.
///
/// A topic's id is never reused and contains the shard's number.
final class Topics {
    /// The room or person whose list a topic publishes.
    enum Owner {
        case room(RoomName, RoomList)
        case person(PersonalList.Key, OwnList)
        /// A user's list of this name, whose rows are what the store keeps of people.
        case stored(ListName, UserName)

        var list: ListName {
            switch self {
            case .room(let room, let list): list.name(in: room)
            case .person(_, let list): list.name
            case .stored(let list, _): list
            }
        }
    }

    private let shard: UInt64
    private var last: UInt64 = 0
    private var owners: [TopicID: Owner] = [:]
    private let prefix: String
    private var lastEpoch: UInt64 = 0

    /// - Parameter run: a name that no other run of a server has.
    init(ofShard shard: Int, run: String) {
        self.shard = UInt64(shard)
        prefix = "\(run)-\(shard)"
    }

    /// Returns the epoch of a list that begins anew. No other list has it, in this run of the server or another.
    func nextEpoch() -> Epoch {
        lastEpoch += 1
        guard let epoch = Epoch("\(prefix)-\(lastEpoch)") else {
            preconditionFailure("\(prefix)-\(lastEpoch) is no epoch")
        }
        return epoch
    }

    func open(for owner: Owner) -> TopicID {
        last += 1
        let topic = TopicID(shard << TopicID.shardShift | last)
        owners[topic] = owner
        return topic
    }

    func owner(of topic: TopicID) -> Owner? {
        owners[topic]
    }

    func close(_ topic: TopicID) {
        owners[topic] = nil
    }
}

extension TopicID {
    fileprivate static let shardShift: UInt64 = 48

    /// The number of the shard that publishes the topic.
    package var shard: Int { Int(rawValue >> Self.shardShift) }
}
