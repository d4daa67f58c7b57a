import ChatRoom
import ChatWire
import Publishing
import RoomStore
import WebSocketTransport

/// What every room needs of the server.
struct RoomEnvironment: Sendable {
    let store: any RoomStore
    let committer: Committer
    let outlet: Outlet
    let limits: WireLimits
    let metrics: Metrics
    let topics: Topics
}

/// One room at work: does what its ``RoomState`` decides. Confined to its shard's queue.
final class Room {
    /// A diff as it goes to every reader of the room: framed once.
    private struct News: Sendable {
        let frame: Frame
        let revision: Revision
    }

    /// The readers on one event loop, and the subscription that carries the news there while there are any.
    private struct LoopReaders {
        var count = 0
        var subscription: Subscription?
    }

    private let name: RoomName
    private let topic: TopicID
    private unowned let shard: RoomShard
    private let environment: RoomEnvironment
    private let publisher = Publisher<News>()
    private var state: RoomState
    private var attached: Set<Reader> = []
    private var loops: [Int: LoopReaders] = [:]
    private var deliveries = DeliveryCache()

    init(_ name: RoomName, shard: RoomShard, environment: RoomEnvironment) {
        self.name = name
        self.shard = shard
        self.environment = environment
        topic = environment.topics.open(for: name)
        state = RoomState(room: name, epoch: environment.store.epoch, limits: environment.limits)
    }

    deinit {
        environment.topics.close(topic)
    }

    var isIdle: Bool {
        state.isIdle && attached.isEmpty
    }

    func receive(_ input: RoomState.Input) {
        if case .unsubscribe(let reader) = input { detach(reader) }
        for effect in state.receive(input) { perform(effect) }
    }

    func page(for reader: Reader, ref: UInt64, before: UInt64, limit: Int) {
        do throws(RoomStoreError) {
            let page = try environment.store.page(name, before: before, limit: limit)
            environment.outlet.answer(reader, .page(ref: ref, state.list, state.epoch, page))
        } catch {
            environment.metrics.storeErrors.add(1)
            environment.outlet.answer(reader, .error(ref: ref, WireError(error)))
        }
    }

    private func perform(_ effect: RoomState.Effect) {
        switch effect {
        case .commit(let operation, let ticket):
            environment.committer.submit(.init(shard: shard, room: name, ticket: ticket, operation: operation))
        case .read(let query):
            read(query)
        case .answer(let reader, let frame):
            environment.outlet.answer(reader, frame)
        case .deliver(let reader, let ref, let delivery):
            deliver(delivery, to: reader, ref: ref)
        case .publish(let diff):
            environment.metrics.published(diff)
            let encoded = ServerFrame.encoded(state.list, state.epoch, diff)
            publisher.send(News(frame: Frame(text: encoded.bytes), revision: diff.to))
        case .close(let reader, let error):
            environment.outlet.dismiss(reader, code: CloseCode.overload, error)
        }
    }

    private func read(_ query: RoomState.Query) {
        do throws(RoomStoreError) {
            let reading = try environment.store.read(
                name, tail: query.tail, since: query.since, atMost: query.atMost)
            receive(.read(reading))
        } catch {
            environment.metrics.storeErrors.add(1)
            receive(.readFailed(WireError(error)))
        }
    }
}

// MARK: - Readers

extension Room {
    private func deliver(_ delivery: RoomState.Delivery, to reader: Reader, ref: UInt64?) {
        environment.metrics.delivered(delivery, resumed: ref != nil)
        let encoded = deliveries.encoded(delivery, state.list, state.epoch)
        attach(reader)
        environment.outlet.attach(reader, to: topic, at: delivery.revision, sending: encoded, ref: ref)
    }

    private func attach(_ reader: Reader) {
        guard attached.insert(reader).inserted else { return }
        let loop = reader.connection.loop
        loops[loop, default: LoopReaders()].count += 1
        guard loops[loop]?.subscription == nil else { return }
        loops[loop]?.subscription = publisher.sink { [outlet = environment.outlet, topic] news in
            outlet.append(news.frame, to: topic, revision: news.revision, onLoop: loop)
        }
    }

    private func detach(_ reader: Reader) {
        guard attached.remove(reader) != nil else { return }
        environment.outlet.detach(reader, from: topic)
        let loop = reader.connection.loop
        loops[loop]?.count -= 1
        if loops[loop]?.count == 0 { loops[loop] = nil }
    }
}
