import ChatRoom
import ChatWire
import JSON
import RoomStore
import Synchronization
import Tokens
import WebSocketTransport

extension ChatServer {
    /// Answers an operator. A client without the token learns only that.
    ///
    /// This must not run on an event loop, because it goes through all connections.
    func administer(_ request: HTTPRequest, _ id: RequestID, _ admin: AdminConfiguration) {
        guard admin.token.isShown(by: request.headers["authorization"]) else {
            let error = WireError(
                .tokenInvalid, "the admin token is missing or wrong: send Authorization: Bearer TOKEN")
            return transport.respond(to: id, .error(error))
        }
        do throws(AdminRefusal) {
            try perform(try AdminRequest(request, limits: configuration.limits), id, admin)
        } catch {
            switch error {
            case .error(let error): transport.respond(to: id, .error(error))
            case .method(let allowed): transport.respond(to: id, .wrongMethod(at: request.path, allowed: allowed))
            }
        }
    }

    private func perform(
        _ request: AdminRequest, _ id: RequestID, _ admin: AdminConfiguration
    ) throws(AdminRefusal) {
        switch request {
        case .rooms(let after, let limit): listRooms(after: after, limit: limit, id)
        case .room(let room): show(room, id)
        case .people(let room): listPeople(of: room, id)
        case .audit(let room, let before, let limit): audit(room, before: before, limit: limit, id)
        case .members(let room, let after, let limit): listMembers(of: room, after: after, limit: limit, id)
        case .memberships(let user): listMemberships(of: user, id)
        case .profile(let user): showProfile(of: user, id)
        case .blocks(let user): listBlocks(of: user, id)
        case .replaceProfile(let order): replaceProfile(order, id)
        case .operate(let command): perform(command, id)
        case .connections(let after, let limit): listConnections(after: after, limit: limit, id)
        case .close(let order): close(order, id)
        case .stats: respond(to: id) { writeStats(to: &$0) }
        case .drain: drain(id, admin)
        case .rebalance(let order): try rebalance(order, id)
        case .rebalanceStatus: respond(to: id) { writeRebalance(to: &$0) }
        case .drainStatus: respond(to: id) { writeDrain(to: &$0) }
        case .backup(let order): try back(up: order, id, admin)
        case .backupStatus: respond(to: id) { backups.write(to: &$0) }
        }
    }

    /// - Parameter body: writes the members of a JSON object.
    func respond(to id: RequestID, _ status: Int = 200, _ body: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object(nil, body)
        let headers = [("content-type", "application/json"), ("cache-control", "no-store")]
        transport.respond(to: id, HTTPResponse(status: status, headers: headers, body: json.bytes))
    }

    /// Queries the store on a thread that may wait, and answers with the JSON that `write` makes of the result.
    func load<Answer: Sendable>(
        about room: RoomName?, _ id: RequestID, _ question: @escaping StoreReads.Question<Answer>,
        _ write: @escaping @Sendable (inout JSONWriter, Answer) -> Void
    ) {
        storeReads.load(about: room, question) { [self] answer in
            switch answer {
            case .success(let answer): respond(to: id) { write(&$0, answer) }
            case .failure(let error): transport.respond(to: id, .error(error))
            }
        }
    }
}

// MARK: - Rooms

extension ChatServer {
    private func listRooms(after: RoomName?, limit: Int, _ id: RequestID) {
        load(about: nil, id) { (store) throws(RoomStoreError) in
            // Ask for one more than requested: its existence is the value of `more`.
            try store.reachableRooms(after: after, limit: limit + 1)
        } _: { json, reading in
            let rooms = reading.rows
            json.array("rooms", rooms.prefix(limit)) { json, room in
                json.object { json in
                    json.string("room", room.name.description)
                    json.number("revision", room.revision)
                    json.number("count", room.count)
                }
            }
            json.boolean("more", rooms.count > limit)
            json.missing(reading)
        }
    }

    private func show(_ room: RoomName, _ id: RequestID) {
        load(about: room, id) { (store) throws(RoomStoreError) in
            try store.read(room, tail: 0, since: nil, atMost: 0, standings: .all)
        } _: { json, reading in
            json.string("room", room.description)
            json.number("revision", reading.revision)
            json.number("count", reading.count)
            json.number("slow", reading.rules.slowMode)
            json.boolean("readOnly", reading.rules.isReadOnly)
            if let title = reading.rules.title { json.string("title", title.description) }
            if let topic = reading.rules.topic { json.string("topic", topic.description) }
            if let picture = reading.rules.picture { json.string("picture", picture.description) }
            let standings = reading.rules.standings.sorted { $0.key < $1.key }
            let lead = self.store.clock(of: room)?.lead ?? 0
            json.array("standings", standings) { json, standing in
                json.object { $0.standing(of: standing.key, standing.value, lead) }
            }
        }
    }

    private func audit(_ room: RoomName, before: Revision, limit: Int, _ id: RequestID) {
        load(about: room, id) { (store) throws(RoomStoreError) in
            try store.audit(room, before: before, limit: limit)
        } _: { json, page in
            json.string("room", room.description)
            page.write(to: &json)
        }
    }

    private func listPeople(of room: RoomName, _ id: RequestID) {
        shard(of: room).people(of: room) { [self] people in
            respond(to: id) { json in
                json.string("room", room.description)
                json.number("online", people.online)
                json.array("people", people.listed) { json, member in
                    json.object { $0.person(member) }
                }
            }
        }
    }
}

extension JSONWriter {
    /// - Parameter lead: the time by which the store's time is ahead of the time of day.
    fileprivate mutating func standing(of user: UserName, _ standing: Standing, _ lead: Milliseconds) {
        string("user", user.description)
        string("role", standing.role.description)
        number("mutedUntil", standing.mutedUntil == 0 ? 0 : max(0, standing.mutedUntil &- lead))
        boolean("banned", standing.isBanned)
    }

    fileprivate mutating func person(_ member: Member) {
        string("user", member.id.description)
        boolean("online", member.section == .online)
        boolean("typing", member.light.isTyping)
        number("read", member.light.read)
    }
}

// MARK: - The server

extension ChatServer {
    private func writeStats(to json: inout JSONWriter) {
        let now = transport.statistics
        json.string("version", diffroomVersion)
        json.string("epoch", store.epoch.description)
        json.boolean("draining", isDraining.load(ordering: .relaxed))
        json.number("connections", sessions.count)
        json.number("connectionsStalled", now.stalledNow)
        json.number("readers", metrics.readers.now)
        json.number("readersBehind", now.behindNow)
        json.number("rooms", metrics.rooms.now)
        json.number("peopleOnline", metrics.peopleOnline.now)
        json.number("committed", metrics.operations["committed"])
        json.number("repeated", metrics.operations["repeated"])
        json.number("refused", metrics.operations["refused"])
        json.number("storeErrors", metrics.storeErrors.total)
    }
}
