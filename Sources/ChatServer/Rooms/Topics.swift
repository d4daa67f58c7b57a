import ChatWire
import Locking
import WebSocketTransport

/// Which topic of the transport carries which list. A topic's id is never used twice.
final class Topics: Sendable {
    private struct Directory: Sendable {
        var last: UInt64 = 0
        var lists: [TopicID: ListName] = [:]
    }

    private let directory = Guarded(Directory())

    func open(for list: ListName) -> TopicID {
        directory.withLock { directory in
            directory.last += 1
            let topic = TopicID(directory.last)
            directory.lists[topic] = list
            return topic
        }
    }

    func list(of topic: TopicID) -> ListName? {
        directory.withLock { $0.lists[topic] }
    }

    func close(_ topic: TopicID) {
        directory.withLock { $0.lists[topic] = nil }
    }
}
