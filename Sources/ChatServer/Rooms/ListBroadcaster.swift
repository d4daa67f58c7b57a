import ChatRoom
import ChatWire
import Publishing
import WebSocketTransport

/// Those who follow one list, and how what is said of it gets to them: encoded once, through one outgoing log on each
/// event loop. Confined to the room's queue.
final class ListBroadcaster<Row: WireRow> {
    /// A diff as it goes to every reader: framed once.
    private struct News: Sendable {
        let frame: Frame
        let revision: Revision
        let moreFollow: Bool
    }

    /// The readers on one event loop, and the subscription that carries the news there while there are any.
    private struct LoopReaders {
        var count = 0
        var subscription: Subscription?
    }

    private let list: ListName
    private let epoch: Epoch
    private let gateway: ConnectionGateway
    private let topics: Topics
    private let topic: TopicID
    private let publisher = Publisher<News>()
    private var attached: Set<Reader> = []
    private var loops: [Int: LoopReaders] = [:]
    private var deliveries = DeliveryCache<Row, SharedFrame>(keeping: SharedFrame.init)
    private let space: CacheSpace

    init(of list: ListName, _ epoch: Epoch, gateway: ConnectionGateway, topics: Topics, caching space: CacheSpace) {
        self.space = space
        self.list = list
        self.epoch = epoch
        self.gateway = gateway
        self.topics = topics
        topic = topics.open(for: list)
    }

    deinit {
        gateway.metrics.readers.add(-attached.count)
        space.grow(by: -deliveries.bytes)
        topics.close(topic)
    }

    var isEmpty: Bool { attached.isEmpty }

    /// Nobody is attached from then on.
    func detachAll() {
        for reader in attached { detach(reader) }
    }

    /// To everybody who is attached.
    ///
    /// - Parameter batch: what it was made durable with: then the diffs of its other rooms may follow at once, and
    ///   then ``ConnectionGateway/release()``.
    func publish(_ diff: ListDiff<Row>, of batch: CommittedBatch? = nil) {
        let frame = Frame(text: ServerFrame.encoded(list, epoch, diff).bytes, since: batch?.time)
        publisher.send(News(frame: frame, revision: diff.to, moreFollow: batch?.leavesTogether ?? false))
    }

    /// What is published next does not follow what was: everybody who is attached will be said to be behind.
    func cut() {
        for loop in loops.keys { gateway.cut(topic, onLoop: loop) }
    }

    /// Brings a reader to a revision; it is attached from then on.
    func deliver(_ delivery: ListDelivery<Row>, to reader: Reader, ref: UInt64?) {
        let before = deliveries.bytes
        let shared = deliveries.frame(for: delivery, list, epoch)
        space.grow(by: deliveries.bytes - before, with: shared.count)
        if space.isOver { forgetDeliveries() }
        attach(reader)
        gateway.attach(reader, to: topic, at: delivery.revision, sending: shared, ref: ref)
    }

    /// What was encoded is encoded again for whoever needs it.
    func forgetDeliveries() {
        space.grow(by: -deliveries.bytes)
        deliveries.forget()
    }

    private func attach(_ reader: Reader) {
        guard attached.insert(reader).inserted else { return }
        gateway.metrics.readers.add(1)
        let loop = reader.connection.loop
        loops[loop, default: LoopReaders()].count += 1
        guard loops[loop]?.subscription == nil else { return }
        loops[loop]?.subscription = publisher.sink { [gateway, topic] news in
            gateway.append(
                news.frame, to: topic, revision: news.revision, onLoop: loop, moreFollow: news.moreFollow)
        }
    }

    func detach(_ reader: Reader) {
        guard attached.remove(reader) != nil else { return }
        gateway.metrics.readers.add(-1)
        gateway.detach(reader, from: topic)
        let loop = reader.connection.loop
        loops[loop]?.count -= 1
        if loops[loop]?.count == 0 { loops[loop] = nil }
    }
}
