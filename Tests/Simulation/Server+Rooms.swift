import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import WebSocketTransport

// What the shards decide, and what they ask.

extension Server {
    func enqueue(_ inputs: [ShardInput], for room: RoomName) {
        shards[map.shard(of: room)].enqueue(inputs)
    }

    func enqueueForAll(_ inputs: [ShardInput]) {
        for shard in shards { shard.enqueue(inputs) }
    }

    func perform(_ decision: ShardDecision) {
        note(decision.peers)
        for (loop, part) in zip(loops, decision.loops) {
            hear(part.notes)
            loop.submit(part.commands)
        }
        for (reader, ref) in decision.regranted {
            guard let link = links[reader.rawValue], let effects = link.session?.regranted(ref) else { continue }
            perform(effects, for: link)
        }
        submit(decision.commits)
        mark(world.kept(decision.marks, by: self))
        post(world.kept(decision.messages, of: self))
    }

    private func note(_ notes: [ShardDecision.PeerNote]) {
        for note in notes {
            switch note {
            case .follow(let room, _): known[room] = 0
            case .leave(let room): known[room] = nil
            case .announce: break  // nobody here follows who is there
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

    /// Each shard gets its messages as one array, in their order.
    private func post(_ messages: [(shard: Int, message: ShardMessage)]) {
        for shard in shards {
            let own = messages.filter { $0.shard == shard.index }
            if !own.isEmpty { shard.enqueue(own.map { .message($0.message) }) }
        }
    }

    // MARK: - The store

    func answer(to query: InboxQuery) -> InboxAnswer {
        switch query {
        case .person(let user, let number, let epoch):
            let places = result { () throws(RoomStoreError) in try world.places(of: user, on: disk) }
            return .person(
                user, number: number, of: epoch, places.map { disk.epoch == epoch ? PartialReading($0) : nil })
        case .rooms(let user, let rooms, let number, let epoch):
            let readings = result { () throws(RoomStoreError) in
                try world.memberships(of: user, in: rooms, on: disk)
            }
            if case .success(let readings) = readings { missed.note(readings) }
            return .rooms(
                user, rooms, number: number, of: epoch, readings.map { disk.epoch == epoch ? PartialReading($0) : nil })
        case .room(let room, let users, let number, let epoch):
            let readings = result { () throws(RoomStoreError) in
                try world.memberships(of: users, in: room, on: disk)
            }
            if case .success(let readings) = readings { missed.note(Array(readings.values), of: room) }
            return .room(room, users, number: number, of: epoch, readings.map { disk.epoch == epoch ? $0 : nil })
        case .mentions(let user, let rooms, let list, let epoch):
            let readings = result { () throws(RoomStoreError) in try world.mentions(of: user, in: rooms, on: disk) }
            if case .success(let readings) = readings { missed.note(readings, of: user) }
            return .mentions(
                user, list: list, of: epoch, readings.map { disk.epoch == epoch ? PartialReading($0) : nil })
        case .mentionsPage: preconditionFailure("nobody here asks for older mentions")
        case .profiles, .drafts, .later, .blocks: preconditionFailure("the world has rooms only")
        }
    }

    /// `nil`: nobody has to be told.
    func answer(to query: StoreQuery) -> StoreAnswer? {
        if let reader = query.reader, links[reader.rawValue] == nil { return query.failed(.diskFailed) }
        switch query {
        case .reading(let room, let query, let epoch):
            let reading = result { () throws(RoomStoreError) in try world.read(query, of: room, on: disk) }
            return .reading(room, of: epoch, reading.map { disk.epoch == epoch ? $0 : nil })
        case .page(let query):
            let link = links[query.reader.rawValue]
            let found = result { () throws(RoomStoreError) in
                try world.page(query.place, limit: query.limit, of: query.room, for: query.visitor.user, on: disk)
            }
            // Before the room brings it to the present.
            if disk.epoch == query.epoch, case .success((let page?, _)) = found { link?.read[query.ref] = page }
            let isOfEpoch = disk.epoch == query.epoch
            return .page(query, found.flatMap { query.answer($0, for: $1, isOfEpoch: isOfEpoch) })
        case .held(let query):
            let reading = result { () throws(RoomStoreError) in
                try world.held(query.query, in: query.room, on: disk)
            }
            return .held(query, reading.map { disk.epoch == query.epoch ? $0 : nil })
        case .membership(let query): return answer(to: query)
        case .rows(let query):
            let page = result { () throws(RoomStoreError) in
                try world.rows(at: query.sorts, of: query.room, on: disk)
            }
            return .rows(query, page.map { disk.epoch == query.epoch ? $0 : nil })
        case .members(let query):
            let reading = result { () throws(RoomStoreError) in
                try world.members(query.query, of: query.room, on: disk)
            }
            return .members(query, reading.map { disk.epoch == query.epoch ? $0 : nil })
        case .audit, .membersPage: preconditionFailure("nobody here asks for the audit log or for pages of members")
        case .comparison: return nil  // what servers hold is compared with the truth
        }
    }

    private func answer(to query: MembershipQuery) -> StoreAnswer {
        let user = query.visitor.user
        let readings = result { () throws(RoomStoreError) in
            try world.memberships(of: [user], in: query.room, on: disk)
        }
        let isOfEpoch = disk.epoch == query.epoch
        return .membership(query, readings.flatMap { query.answer($0[user], isOfEpoch: isOfEpoch) })
    }

    private func result<Answer>(_ body: () throws(RoomStoreError) -> Answer) -> Result<Answer, WireError> {
        guard !isIsolated else { return .failure(.diskFailed) }
        return Result { () throws(RoomStoreError) in try body() }.mapError { _ in .diskFailed }
    }
}
