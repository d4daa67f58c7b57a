import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import WebSocketTransport

// What `RoomShard` does: gives a turn's inputs to the rooms, and does what they decide.

extension Server {
    func enqueue(_ inputs: [ShardInput]) {
        queue.put(inputs, after: world.threadLatency())
    }

    func turn(_ inputs: [ShardInput]) {
        var rest = inputs.compactMap(present)[...]
        repeat {
            let now = Duration.milliseconds(world.clock.now)
            perform(shard.take(&rest, ShardConditions(now: now, epoch: disk.epoch)))
        } while !rest.isEmpty
        world.checkCaches(of: self)
    }

    /// As `ConnectionGateway` does.
    private func present(_ input: ShardInput) -> ShardInput? {
        guard case .found(let answer) = input, let reader = answer.reader else { return input }
        return links[reader.rawValue].map { .found(answer.granted($0.session?.role(in: answer.room) ?? .none)) }
    }

    private func perform(_ decision: ShardDecision) {
        let decision = world.sabotaged(decision, of: self)
        note(decision.peers)
        for (alarm, time) in decision.alarms { set(time, for: alarm) }
        for (loop, part) in zip(loops, decision.loops) {
            hear(part.notes)
            note(part.commands)
            loop.submit(part.commands)
        }
        for (reader, ref) in decision.regranted {
            guard let link = links[reader.rawValue], let effects = link.session?.regranted(ref) else { continue }
            perform(effects, for: link)
        }
        submit(decision.commits)
        for query in decision.queries { ask(query) }
        for query in decision.inboxQueries { ask(query) }
        mark(decision.marks)
        // With one shard all letters are for that.
        if !decision.letters.isEmpty { enqueue(decision.letters.map { .letter($0.letter) }) }
    }

    private func note(_ notes: [ShardDecision.PeerNote]) {
        for note in notes {
            switch note {
            case .follow(let room): known[room] = 0
            case .leave(let room): known[room] = nil
            case .tell: break  // the other server has no rooms at work
            }
        }
    }

    private func hear(_ notes: [ShardDecision.SessionNote]) {
        for note in notes {
            switch note {
            case .answered(let connection, _): links[connection.rawValue]?.session?.answered()
            case .ended(let connection, let list, let visit):
                links[connection.rawValue]?.session?.ended(list, visit: visit)
            }
        }
    }

    /// What is kept for many is as large as the news that it would be.
    private func note(_ commands: [LoopCommand]) {
        for case .attach(_, _, _, let frame?) in commands {
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
        process.after(Milliseconds(delay)) { [self] in
            if alarms[name] == alarm { enqueue([.woken(name)]) }
        }
    }

    // MARK: - The store

    /// Asks the disk, while the rooms go on, unless the weather is that they wait for what they need themselves.
    private func ask(_ query: StoreQuery) {
        var holds = false
        if case .reading = query { holds = world.weather.readsBlock }
        if holds { queue.hold() }
        process.after(world.diskLatency()) { [self] in
            let answer = answer(to: query)
            process.after(world.diskLatency()) { [self] in
                if holds { queue.release() }
                guard let answer else { return }
                if holds { turn([.found(answer)]) } else { enqueue([.found(answer)]) }
            }
        }
    }

    private func ask(_ query: InboxQuery) {
        process.after(world.diskLatency()) { [self] in
            let answer = answer(to: query)
            process.after(world.diskLatency()) { self.enqueue([.foundMemberships(answer)]) }
        }
    }

    private func answer(to query: InboxQuery) -> InboxAnswer {
        switch query {
        case .person(let user, let number, let epoch):
            let readings = result { () throws(RoomStoreError) in try world.memberships(of: user, on: disk) }
            return .person(user, number: number, of: epoch, readings.map { disk.epoch == epoch ? $0 : nil })
        case .room(let room, let users, let epoch):
            let readings = result { () throws(RoomStoreError) in
                try world.memberships(of: users, in: room, on: disk)
            }
            return .room(room, users, of: epoch, readings.map { disk.epoch == epoch ? $0 : nil })
        }
    }

    /// `nil`: whoever asked has gone, or nobody has to be told.
    private func answer(to query: StoreQuery) -> StoreAnswer? {
        switch query {
        case .reading(let room, let query, let epoch):
            let reading = result { () throws(RoomStoreError) in try world.read(query, of: room, on: disk) }
            return .reading(room, of: epoch, reading.map { disk.epoch == epoch ? $0 : nil })
        case .page(let query):
            guard let link = links[query.reader.rawValue] else { return nil }
            let page = result { () throws(RoomStoreError) in
                try world.page(query.place, limit: query.limit, of: query.room, on: disk)
            }
            // Before the room brings it to the present.
            if disk.epoch == query.epoch, case .success(let page?) = page { link.read[query.ref] = page }
            return .page(query, page.flatMap { query.answer($0, isOfEpoch: disk.epoch == query.epoch) })
        case .held(let query):
            guard links[query.reader.rawValue] != nil else { return nil }
            let reading = result { () throws(RoomStoreError) in
                try world.held(query.query, in: query.room, on: disk)
            }
            return .held(query, reading.map { disk.epoch == query.epoch ? $0 : nil })
        case .audit: preconditionFailure("nobody here asks for the audit log")
        case .comparison: return nil  // the other server has no rooms at work
        }
    }

    private func result<Answer>(_ body: () throws(RoomStoreError) -> Answer) -> Result<Answer, WireError> {
        Result { () throws(RoomStoreError) in try body() }.mapError { _ in .diskFailed }
    }
}

extension [UInt8] {
    /// Without the number of a request that it answers.
    fileprivate var countAsNews: Int {
        guard let frame = try? ServerFrame(json: self), let ref = frame.ref else { return count }
        return count - EncodedFrame.end(answering: ref).count + 1
    }
}
