import ChatRoom
import ChatWire
import WebSocketTransport

/// The readers of one list. Encodes each frame once for all of them and sends it through one outgoing log on each event
/// loop.
///
/// It is changed in its place: each message would copy a value.
final class ListBroadcaster<Row: WireRow> {
    private let list: ListName
    private let epoch: Epoch
    private let topics: Topics
    private let topic: TopicID
    private let space: CacheSpace
    private var attached: Set<Reader> = []
    /// The number of readers on each event loop.
    private var onLoop: [Int]
    private var deliveries = DeliveryCache<Row, SharedFrame>(keeping: SharedFrame.init)

    init(of owner: Topics.Owner, _ epoch: Epoch, loops: Int, topics: Topics, caching space: CacheSpace) {
        list = owner.list
        self.epoch = epoch
        self.topics = topics
        self.space = space
        topic = topics.open(for: owner)
        onLoop = Array(repeating: 0, count: loops)
    }

    var isEmpty: Bool { attached.isEmpty }

    /// Detaches all readers and forgets all frames. It must be the last call.
    func close(_ decision: inout ShardDecision) {
        for reader in attached.sorted() { detach(reader, &decision) }
        forgetDeliveries()
        topics.close(topic)
    }

    /// Sends a diff to all attached readers.
    ///
    /// - Parameter time: the end of the transaction that the diff is from.
    func publish(_ diff: ListDiff<Row>, since time: Moment? = nil, _ decision: inout ShardDecision) {
        guard !attached.isEmpty else { return }
        let frame = Frame(text: diff.encoded(list, epoch).bytes, since: time)
        for loop in onLoop.indices where onLoop[loop] > 0 {
            decision.add(.append(frame, to: topic, revision: diff.to), onLoop: loop)
        }
    }

    /// Declares that the next diff does not follow the last one: all attached readers will be reported as behind.
    func cut(_ decision: inout ShardDecision) {
        for loop in onLoop.indices where onLoop[loop] > 0 { decision.add(.cut(topic), onLoop: loop) }
    }

    /// Brings a reader to a revision and attaches it.
    func deliver(
        _ delivery: ListDelivery<Row>, to reader: Reader, ref: UInt64?, _ decision: inout ShardDecision
    ) {
        let before = deliveries.bytes
        let shared = deliveries.frame(for: delivery, list, epoch)
        space.grow(by: deliveries.bytes - before, with: shared.count)
        if space.isOver { forgetDeliveries() }
        let connection = reader.connection
        attach(reader, &decision)
        let cost = shared.count + delivery.provenRows * Allowances.provenRowBytes
        // The subscribe has paid for a page. A smaller list gives the rest back.
        let more = cost - Allowances.pageBytes
        if ref != nil { decision.note(.answered(connection, costing: more), onLoop: connection.loop) }
        let frame = ref.map(shared.answering) ?? shared.news
        decision.add(
            .attach(connection, to: topic, at: delivery.revision, sending: frame), onLoop: connection.loop)
    }

    /// Forgets cached frames. They are encoded again when needed.
    func forgetDeliveries() {
        space.grow(by: -deliveries.bytes)
        deliveries.forget()
    }

    private func attach(_ reader: Reader, _ decision: inout ShardDecision) {
        guard attached.insert(reader).inserted else { return }
        decision.growth.readers += 1
        onLoop[reader.connection.loop] += 1
    }

    func detach(_ reader: Reader, _ decision: inout ShardDecision) {
        guard attached.remove(reader) != nil else { return }
        decision.growth.readers -= 1
        decision.add(.detach(reader.connection, from: topic), onLoop: reader.connection.loop)
        onLoop[reader.connection.loop] -= 1
    }
}
