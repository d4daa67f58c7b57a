import ChatRoom
import ChatServer
import ChatWire
import RoomStore

// On the room's queue: what `Room` and `RoomShard` do.

extension Server {
    func carryOut(_ input: RoomState.Input) {
        receive(input)
        guard room.isIdle, attached.isEmpty else { return }
        room = RoomState(room: World.room, epoch: disk.epoch, limits: world.weather.limits, isShared: true)
        topic += 1
    }

    private func receive(_ input: RoomState.Input) {
        if case .unsubscribe(let reader) = input { detach(reader) }
        for effect in room.receive(input) { perform(effect) }
    }

    private func perform(_ effect: RoomState.Effect) {
        switch effect {
        case .commit(let operation, let ticket): submit(operation, ticket)
        case .read(let query): read(query)
        case .answer(let reader, let frame): answer(reader, frame)
        case .deliver(let reader, let ref, let delivery): deliver(delivery, to: reader, ref: ref)
        case .publish(let diff): publish(diff)
        case .cutLog: for loop in loops { loop.post(.cut(topic: topic)) }
        case .admit(let reader, _, .page(let ref, let before, let limit)):
            page(for: reader, ref: ref, before: before, limit: limit)
        case .admit(_, _, let errand): preconditionFailure("nobody here comes for \(errand)")
        case .turnAway(let reader, let list, let visit, let ref, let error):
            putOut(reader, of: list, visit: visit)
            answer(reader, .error(ref: ref, error))
        case .end(let reader, let list, let visit, let ending):
            if world.suffers(.openDoor) {
                links[reader.rawValue]?.isOverstaying = true
            } else {
                putOut(reader, of: list, visit: visit)
            }
            tell(reader, .ended(list, ending))
        case .tell(let reader, let frame): tell(reader, frame)
        case .compare: break  // there is no other server
        case .close(let reader, let error):
            guard let link = links[reader.rawValue] else { return }
            dismiss(link, code: CloseCode.overload, reason: error.message, retryAfter: error.retryAfter)
        }
    }

    private func answer(_ reader: Reader, _ frame: ServerFrame) {
        guard let link = links[reader.rawValue] else { return }
        link.session?.answered()
        for _ in 0..<world.timesSaid(frame) { loops[link.loop].post(.send(link, frame.json)) }
    }

    private func tell(_ reader: Reader, _ frame: ServerFrame) {
        guard let link = links[reader.rawValue] else { return }
        loops[link.loop].post(.send(link, frame.json))
    }

    private func putOut(_ reader: Reader, of list: ListName, visit: UInt64) {
        links[reader.rawValue]?.session?.ended(list, visit: visit)
        detach(reader)
    }

    private func page(for reader: Reader, ref: UInt64, before: UInt64, limit: Int) {
        do throws(RoomStoreError) {
            let page = try world.page(before: before, limit: limit, of: disk)
            answer(reader, .page(ref: ref, room.list, room.epoch, page))
        } catch {
            answer(reader, .error(ref: ref, .diskFailed))
        }
    }

    private func read(_ query: RoomState.Query) {
        let blocks = world.weather.readsBlock
        if blocks { queue.hold() }
        process.after(world.diskLatency()) { [self] in
            let answer = world.read(query, of: disk)
            process.after(world.diskLatency()) { [self] in
                guard blocks else { return enqueue(answer) }
                queue.release()
                carryOut(answer)
            }
        }
    }
}

// MARK: - Readers

extension Server {
    private func deliver(_ delivery: ListDelivery<Message>, to reader: Reader, ref: UInt64?) {
        let encoded = deliveries.frame(for: delivery, room.list, room.epoch)
        attached.insert(reader)
        guard let link = links[reader.rawValue] else { return }
        if ref != nil { link.session?.answered() }
        let bytes = ref.map(encoded.answering) ?? encoded.bytes
        world.noteDeletions(in: delivery, of: disk)
        loops[link.loop].post(.send(link, bytes))
        if world.suffers(.lateAttachment) { return lateAttachments.append((link, delivery.revision)) }
        loops[link.loop].post(.attach(link, topic: topic, delivery.revision))
    }

    private func detach(_ reader: Reader) {
        guard attached.remove(reader) != nil, let link = links[reader.rawValue] else { return }
        loops[link.loop].post(.detach(link, topic: topic))
    }

    /// Into the logs of the loops that have readers.
    private func publish(_ diff: ListDiff<Message>) {
        var diff = diff
        if world.strikes(.wrongDigest) {
            diff.proof = ListProof(count: diff.proof.count, digest: diff.proof.digest ^ 1)
        }
        let bytes = ServerFrame.encoded(room.list, room.epoch, diff).bytes
        for (number, loop) in loops.enumerated() {
            let isRead = attached.contains { Int($0.rawValue) % loops.count == number }
            if isRead, !world.strikes(.droppedDiff) { loop.post(.append(topic: topic, diff.to, bytes)) }
        }
        for (link, revision) in lateAttachments where world.strikes(.lateAttachment, 1) {
            loops[link.loop].post(.attach(link, topic: topic, revision))
        }
        lateAttachments = []
    }
}
