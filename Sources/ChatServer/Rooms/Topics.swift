import ChatRoom
import ChatWire
import WebSocketTransport

/// The transport topics of one shard's lists. A topic's id is never reused and contains the shard's number.
final class Topics {
    private let shard: UInt64
    private var last: UInt64 = 0
    private var lists: [TopicID: (room: RoomName, list: RoomList)] = [:]

    init(ofShard shard: Int) {
        self.shard = UInt64(shard)
    }

    func open(for list: RoomList, of room: RoomName) -> TopicID {
        last += 1
        let topic = TopicID(shard << TopicID.shardShift | last)
        lists[topic] = (room, list)
        return topic
    }

    func list(of topic: TopicID) -> (room: RoomName, list: RoomList)? {
        lists[topic]
    }

    func close(_ topic: TopicID) {
        lists[topic] = nil
    }
}

extension TopicID {
    fileprivate static let shardShift: UInt64 = 48

    /// The number of the shard that publishes the topic.
    var shard: Int { Int(rawValue >> Self.shardShift) }
}
