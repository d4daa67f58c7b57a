import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import WebSocketTransport

/// The rooms and people of one serial queue of a server: what `RoomShard` does, which gives a turn's inputs to the rooms,
/// and does what they decide.
final class Shard {
    let index: Int
    private unowned let server: Server
    private var state: ShardState
    private lazy var queue = Pipe<[ShardInput]>(to: server.process) { [unowned self] in turn($0) }
    /// The number of each alarm that is set.
    private var alarms: [ShardAlarm: Int] = [:]
    private var lastAlarm = 0
    /// The size of the largest frame encoded for readers, in bytes.
    private(set) var largestDelivery = 0

    init(_ settings: ShardSettings, of server: Server) {
        index = settings.index
        self.server = server
        state = ShardState(settings)
    }

    /// Frames that are encoded for many readers.
    var cachedBytes: Int { state.cachedBytes }

    private var world: World { server.world }

    func enqueue(_ inputs: [ShardInput]) {
        queue.put(inputs, after: world.threadLatency())
    }

    private func turn(_ inputs: [ShardInput]) {
        var rest = inputs.compactMap(present)[...]
        repeat {
            let now = Duration.milliseconds(world.clock.now)
            let conditions = ShardConditions(
                now: now, time: world.timeOfDay, epoch: server.disk.epoch,
                instant: { [instant = world.instant(on: server.disk)] _ in instant })
            perform(state.handle(&rest, conditions))
        } while !rest.isEmpty
        world.checkCaches(of: self)
    }

    /// As `ConnectionGateway` does.
    private func present(_ input: ShardInput) -> ShardInput? {
        guard case .found(let answer) = input, let reader = answer.reader else { return input }
        return server.links[reader.rawValue].map {
            .found(answer.granted($0.session?.role(in: answer.room) ?? .none))
        }
    }

    private func perform(_ decision: ShardDecision) {
        let decision = world.sabotaged(decision, of: server)
        for (alarm, time) in decision.alarms { set(time, for: alarm) }
        note(decision)
        server.perform(decision)
        for query in decision.queries { ask(query) }
        for query in decision.inboxQueries { ask(query) }
    }

    /// A frame kept for many readers is as large as the news that it would be.
    private func note(_ decision: ShardDecision) {
        for case .attach(_, _, _, let frame?) in decision.loops.flatMap(\.commands) {
            largestDelivery = max(largestDelivery, frame.text.countAsNews)
        }
    }

    private func set(_ time: Duration?, for name: ShardAlarm) {
        guard let time else {
            alarms[name] = nil
            return
        }
        lastAlarm += 1
        let alarm = lastAlarm
        alarms[name] = alarm
        let delay = (time / .milliseconds(1)).rounded(.up) - Double(world.clock.now)
        server.process.after(Milliseconds(delay)) { [self] in
            guard alarms[name] == alarm, name != .silence || !world.isCalm else { return }
            enqueue([.woken(name)])
        }
    }

    // MARK: - The store

    /// Asks the disk, while the rooms go on, unless the weather is that they wait for what they need themselves.
    private func ask(_ query: StoreQuery) {
        var holds = false
        if case .reading = query { holds = world.weather.readsBlock }
        if holds { queue.hold() }
        server.process.after(world.diskLatency()) { [self] in
            let answer = server.answer(to: query)
            server.process.after(world.diskLatency()) { [self] in
                if holds { queue.release() }
                guard let answer else { return }
                if holds { turn([.found(answer)]) } else { enqueue([.found(answer)]) }
            }
        }
    }

    private func ask(_ query: InboxQuery) {
        server.process.after(world.diskLatency()) { [self] in
            let answer = server.answer(to: query)
            server.process.after(world.diskLatency()) { self.enqueue([.foundMemberships(answer)]) }
        }
    }
}

extension [UInt8] {
    /// Without the number of a request that it answers.
    fileprivate var countAsNews: Int {
        guard let frame = try? ServerFrame(json: self), let ref = frame.ref else { return count }
        return count - EncodedFrame.end(answering: ref).count + 1
    }
}
