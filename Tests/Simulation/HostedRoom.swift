import ChatRoom
import ChatServer
import ChatWire
import RoomStore

/// A room at work, on the rooms' queue: what `Room` and its `ListBroadcaster` do.
final class HostedRoom {
    let name: RoomName
    private unowned let server: Server
    private unowned let world: World
    private var state: RoomState
    private var topic: Int
    private var attached: Set<Reader> = []
    private var deliveries = DeliveryCache<Message, EncodedFrame> { $0 }
    /// For the sabotage of that name.
    private var lateAttachments: [(Link, Revision)] = []
    /// How far the store was found to have got.
    var known: Revision = 0

    /// How often a page is read, while more happens meanwhile than the room remembers, or another history begins.
    private static let pageTries = 3

    init(_ name: RoomName, at server: Server, in world: World) {
        self.name = name
        self.server = server
        self.world = world
        topic = server.openTopic(for: name)
        state = RoomState(room: name, epoch: server.disk.epoch, limits: world.weather.limits, isShared: true)
    }

    var isResting: Bool { state.isIdle && attached.isEmpty }

    /// Of what was encoded for many readers.
    var cachedBytes: Int { deliveries.bytes }

    /// It is not heard of any more.
    func close() {
        forgetDeliveries()
        server.closeTopic(topic)
    }

    func receive(_ input: RoomState.Input) {
        if case .unsubscribe(let reader) = input { detach(reader) }
        for effect in state.receive(input) { perform(effect) }
    }

    /// Revisions of another history mean nothing here.
    func receive(_ outcomes: [(ticket: Ticket, outcome: CommitOutcome)], of epoch: Epoch) {
        guard epoch == state.epoch else { return receive(.commitFailed(outcomes.map(\.ticket), .diskFailed)) }
        receive(.committed(outcomes))
    }

    /// The reader fell off the log of a topic that may be another by now.
    func fellBehind(_ reader: Reader, of topic: Int, at revision: Revision) {
        if topic == self.topic { receive(.behind(reader, revision)) }
    }

    /// The store has another epoch: everybody gets a snapshot, over an outgoing log that has nothing of before.
    func renew() {
        guard server.disk.epoch != state.epoch else { return }
        for reader in attached.sorted(by: { $0.rawValue < $1.rawValue }) { detach(reader) }
        close()
        lateAttachments = []
        topic = server.openTopic(for: name)
        receive(.renewed(server.disk.epoch))
    }

    func forgetDeliveries() {
        server.caches.grow(by: -deliveries.bytes)
        deliveries.forget()
    }
}

// MARK: - What is to be done

extension HostedRoom {
    private func perform(_ effect: RoomState.Effect) {
        switch effect {
        case .commit(let operation, let ticket): server.submit(operation, to: name, ticket)
        case .read(let query): read(query)
        case .answer(let reader, let frame): answer(reader, frame)
        case .deliver(let reader, let ref, let delivery): deliver(delivery, to: reader, ref: ref)
        case .publish(let diff): publish(diff)
        case .cutLog: for loop in server.loops { loop.post(.cut(topic: topic)) }
        case .admit(let reader, _, .page(let ref, let before, let limit)):
            page(for: reader, ref: ref, before: before, limit: limit, tries: Self.pageTries)
        case .admit(_, _, let request): preconditionFailure("nobody here comes for \(request)")
        case .turnAway(let reader, let list, let visit, let ref, let error):
            putOut(reader, of: list, visit: visit)
            answer(reader, .error(ref: ref, error))
        case .end(let reader, let list, let visit, let ending):
            if world.suffers(.openDoor) {
                server.links[reader.rawValue]?.hearings[name]?.isOverstaying = true
            } else {
                putOut(reader, of: list, visit: visit)
            }
            tell(reader, .ended(list, ending))
        case .tell(let reader, let frame): tell(reader, frame)
        case .compare: break  // the other server has no rooms at work
        case .close(let reader, let error):
            guard let link = server.links[reader.rawValue] else { return }
            server.dismiss(link, code: CloseCode.overload, reason: error.message, retryAfter: error.retryAfter)
        }
    }

    private func answer(_ reader: Reader, _ frame: ServerFrame) {
        guard let link = server.links[reader.rawValue] else { return }
        link.session?.answered()
        for _ in 0..<world.timesSaid(frame) { server.loops[link.loop].post(.send(link, frame.json)) }
    }

    private func tell(_ reader: Reader, _ frame: ServerFrame) {
        guard let link = server.links[reader.rawValue] else { return }
        server.loops[link.loop].post(.send(link, frame.json))
    }

    private func putOut(_ reader: Reader, of list: ListName, visit: UInt64) {
        server.links[reader.rawValue]?.session?.ended(list, visit: visit)
        detach(reader)
    }

    /// What was read of another history, or is older than what the room remembers, is read again.
    private func page(for reader: Reader, ref: UInt64, before: UInt64, limit: Int, tries: Int) {
        server.ask(about: name) { [world, name] disk throws(RoomStoreError) in
            try world.page(before: before, limit: limit, of: name, on: disk)
        } then: { room, found, epoch in
            guard case .success(let page) = found else { return room.answer(reader, .error(ref: ref, .diskFailed)) }
            room.world.noteRead(page, for: ref, of: reader, at: room.server)
            if room.state.epoch == epoch, let page = room.state.bring(page) {
                room.answer(reader, .page(ref: ref, room.state.list, room.state.epoch, page))
            } else if tries > 1 {
                room.page(for: reader, ref: ref, before: before, limit: limit, tries: tries - 1)
            } else {
                room.answer(reader, .error(ref: ref, .diskFailed))
            }
        }
    }

    private func read(_ query: RoomState.Query) {
        let asked = state.epoch
        server.ask(about: name, holding: world.weather.readsBlock) { [world, name] disk throws(RoomStoreError) in
            try world.read(query, of: name, on: disk)
        } then: { room, found, epoch in
            // What was read of another history is nothing to the room, which has asked again, or will with that history.
            guard room.state.epoch == asked else { return }
            switch found {
            case .success(let reading): if epoch == asked { room.receive(.read(reading)) }
            case .failure:
                room.receive(.readFailed(.diskFailed))
                room.known = 0
            }
        }
    }
}

// MARK: - Readers

extension HostedRoom {
    private func deliver(_ delivery: ListDelivery<Message>, to reader: Reader, ref: UInt64?) {
        let before = deliveries.bytes
        let encoded = deliveries.frame(for: delivery, state.list, state.epoch)
        server.caches.grow(by: deliveries.bytes - before, with: encoded.bytes.count)
        server.largestDelivery = max(server.largestDelivery, encoded.bytes.count)
        if server.caches.isOver, !world.suffers(.budgetIgnored) { forgetDeliveries() }
        attached.insert(reader)
        guard let link = server.links[reader.rawValue] else { return }
        if ref != nil { link.session?.answered() }
        let bytes = ref.map(encoded.answering) ?? encoded.bytes
        world.noteDeletions(in: delivery, of: name, on: server.disk)
        server.loops[link.loop].post(.send(link, bytes))
        if world.suffers(.lateAttachment) { return lateAttachments.append((link, delivery.revision)) }
        server.loops[link.loop].post(.attach(link, topic: topic, delivery.revision))
    }

    private func detach(_ reader: Reader) {
        guard attached.remove(reader) != nil, let link = server.links[reader.rawValue] else { return }
        server.loops[link.loop].post(.detach(link, topic: topic))
    }

    /// Into the logs of the loops that have readers.
    private func publish(_ diff: ListDiff<Message>) {
        var diff = diff
        if world.strikes(.wrongDigest) {
            diff.proof = ListProof(count: diff.proof.count, digest: diff.proof.digest ^ 1)
        }
        let bytes = ServerFrame.encoded(state.list, state.epoch, diff).bytes
        for (number, loop) in server.loops.enumerated() {
            let isRead = attached.contains { Int($0.rawValue) % server.loops.count == number }
            if isRead, !world.strikes(.droppedDiff) { loop.post(.append(topic: topic, diff.to, bytes)) }
        }
        for (link, revision) in lateAttachments where world.strikes(.lateAttachment, 1) {
            server.loops[link.loop].post(.attach(link, topic: topic, revision))
        }
        lateAttachments = []
    }
}
