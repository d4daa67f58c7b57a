import ChatWire
import Locking
import WebSocketTransport

/// Which topic of the transport carries which room. A topic's id is never used twice.
final class Topics: Sendable {
    private struct Directory: Sendable {
        var last: UInt64 = 0
        var rooms: [TopicID: RoomName] = [:]
    }

    private let directory = Guarded(Directory())

    func open(for room: RoomName) -> TopicID {
        directory.withLock { directory in
            directory.last += 1
            let topic = TopicID(directory.last)
            directory.rooms[topic] = room
            return topic
        }
    }

    func room(of topic: TopicID) -> RoomName? {
        directory.withLock { $0.rooms[topic] }
    }

    func close(_ topic: TopicID) {
        directory.withLock { $0.rooms[topic] = nil }
    }
}
