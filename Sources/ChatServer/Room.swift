import ChatRoom
import ChatWire
import RoomStore

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
    private let name: RoomName
    private unowned let shard: RoomShard
    private let environment: RoomEnvironment
    private var state: RoomState
    private let readers: Readership<Message>

    init(_ name: RoomName, shard: RoomShard, environment: RoomEnvironment) {
        self.name = name
        self.shard = shard
        self.environment = environment
        state = RoomState(room: name, epoch: environment.store.epoch, limits: environment.limits)
        readers = Readership(of: state.list, state.epoch, outlet: environment.outlet, topics: environment.topics)
    }

    var isIdle: Bool {
        state.isIdle && readers.isEmpty
    }

    func receive(_ input: RoomState.Input) {
        if case .unsubscribe(let reader) = input { readers.detach(reader) }
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
            environment.metrics.delivered(delivery, resumed: ref != nil)
            readers.deliver(delivery, to: reader, ref: ref)
        case .publish(let diff):
            environment.metrics.published(diff)
            readers.publish(diff)
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
