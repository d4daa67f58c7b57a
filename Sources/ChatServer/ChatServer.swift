import ChatRoom
import ChatWire
import Dispatch
import Files
import Foundation
import Locking
package import RoomStore
import Synchronization
package import WebSocketTransport

/// A chat server: rooms, publisher, store and sockets together.
///
/// A frame's way: event loop → ``SessionState`` → the room's shard → ``ShardState`` → ``Committer`` → back to the shard
/// → encoded once → every loop's copy of the list's log → sockets.
package final class ChatServer: Sendable {
    let configuration: ChatServerConfiguration
    let log: ServerLog
    let store: any RoomStore
    let identity: ServerIdentity
    let transport: WebSocketServer
    let sessions: Sessions
    let shards: [RoomShard]
    private let map: ShardMap
    /// One for each of the store's writers, so that none waits for another's database or rooms.
    let committers: [Committer]
    /// One for each part of the store; none without a webhook.
    let dispatchers: [WebhookDispatcher]
    let storeReads: StoreReads
    /// `nil` for a server that keeps no files.
    let files: FileDesk?
    let claims: ProfileClaims
    /// One for each part of the store.
    let personal: [PersonalPart]
    let blocks: PersonalWriter<BlockChange>
    let gateway: ConnectionGateway
    let metrics = Metrics()
    let webhookMetrics = WebhookMetrics()
    let backlogs = BacklogReports()
    /// The queue for operators' requests.
    let reports = BoundedQueue("diffroom.reports", most: 64, qos: .utility)
    let backups = Backups()
    let quotas: Quotas
    let retention: RetentionJob
    let isDraining = Atomic(false)
    let drainPolicy: Guarded<DrainPolicy>
    /// The time at which `/readyz` was last asked.
    let readinessAsked = Guarded<ContinuousClock.Instant?>(nil)
    /// The last one; `nil` before the first.
    let rebalancing = Guarded<Rebalance?>(nil)
    /// The pending requests of each event loop.
    private let requests: [PendingRequests]
    let clock = DispatchQueue(label: "diffroom.clock")
    /// The time from which refusal ticks are counted.
    let origin = ContinuousClock.now
    private let whenOutgrown: @Sendable (RoomStoreError) -> Void

    /// Makes a server and begins to listen.
    ///
    /// - Parameter whenOutgrown: called once the server has drained because the other servers on the store are of a
    ///   later version, which this one does not understand.
    /// - Throws: ``TransportError`` when it cannot listen.
    package init(
        configuration: ChatServerConfiguration, store: any RoomStore, log: ServerLog,
        whenOutgrown: @escaping @Sendable (RoomStoreError) -> Void = { _ in }
    ) throws(TransportError) {
        (self.configuration, self.log, self.store, self.whenOutgrown) = (configuration, log, store, whenOutgrown)
        drainPolicy = Guarded(configuration.drain)
        quotas = Quotas(configuration.allowances)
        let relay = OnceLock<ChatServer>()
        transport = try WebSocketServer(configuration: configuration.ofTransport) { relay.wait().handle($0) }
        sessions = Sessions(loops: transport.loopCount, helloTime: configuration.helloTime, quotas: quotas)
        gateway = ConnectionGateway(
            transport: transport, sessions: sessions, metrics: metrics, quotas: quotas, log: log)
        let dispatchers = WebhookDispatcher.forAllParts(
            of: store, configuration.webhook, metrics: webhookMetrics, log: log)
        self.dispatchers = dispatchers ?? []
        let errors = StoreErrors(counter: metrics.storeErrors, log: log)
        let everyShard = OnceLock<[ShardEnvironment.Peer]>()
        map = ShardMap(count: configuration.shards, seed: .random(in: .min ... .max))
        files = configuration.files.map { [transport] in FileDesk($0, store: store, transport: transport, log: log) }
        committers = (0..<store.parts).map { [metrics, quotas, map, gateway, files] _ in
            Committer(
                store: store, metrics: metrics, errors: errors, quotas: quotas, dispatchers: dispatchers, files: files,
                limits: configuration.ofCommits(parts: store.parts), hold: gateway.hold,
                whenMarked: { everyShard.wait().notify($0, of: $1, map) })
        }
        storeReads = StoreReads(store, errors: errors, gateway: gateway)
        let notify: @Sendable (Set<UserName>) -> Void = { everyShard.wait().invalidateStored(of: $0) }
        claims = ProfileClaims(store, errors: errors, log: log, notify: notify)
        personal = PersonalPart.forAllParts(of: store, errors, quotas, configuration, notify: notify)
        blocks = PersonalWriter(store, errors, quotas, configuration) { everyShard.wait().invalidateBlocks(of: $0) }
        let environment = ShardEnvironment(
            store: store, committers: committers, storeReads: storeReads, gateway: gateway, quotas: quotas,
            shards: everyShard)
        requests = (0..<transport.loopCount).map { _ in PendingRequests(shards: configuration.shards) }
        let settings = configuration.ofShards(loops: transport.loopCount, store, map)
        shards = settings.map { RoomShard($0, environment: environment) }
        identity = configuration.identity(quotas)
        retention = RetentionJob(store, rest: configuration.retentionRest, metrics: metrics, errors: errors)
        start(relay, everyShard)
    }

    /// - Parameters:
    ///   - relay: passes on the transport's events from now on.
    ///   - everyShard: gets the shards.
    private func start(_ relay: OnceLock<ChatServer>, _ everyShard: OnceLock<[ShardEnvironment.Peer]>) {
        everyShard.set(shards.map(ShardEnvironment.Peer.init))
        relay.set(self)
        retention.start { [weak self] room, revision in self?.handle(.reached(room, revision)) }
        retention.keep(configuration.retention)
        store.others?.listen { [weak self] news in self?.handle(news) }
        for part in personal { part.sender.start { [weak self] in self?.send($0, of: $1, then: $2) } }
        dismissOverdue()
    }

    /// The port that the server listens on.
    package var port: UInt16 { transport.port }

    /// Returns whether every event loop has turned within a time.
    package func turns(within time: Duration) -> Bool {
        transport.statistics.silence < time / .seconds(1)
    }
}

// MARK: - Events, on the event loops' threads

extension ChatServer {
    private func handle(_ event: WebSocketServer.Event) {
        switch event {
        case .opened(let connection, let peer):
            let route = configuration.route.flatMap(peer.parameter)
            let arrival = Arrival(address: peer.address, time: .now, route: route)
            sessions.opened(connection, arrival, authorization: peer.authorization, at: .now)
            if let route { rebalancing.withLock { $0?.arrived(route) } }
        case .received(let connection, let bytes):
            handle(bytes, from: connection)
        case .oversized(let connection, let message):
            refuse(message, from: connection)
        case .behind(let connection, let topic, let revision):
            gather(.fellBehind(Reader(connection), topic, revision, since: .now), of: connection, topic.shard)
        case .closed(let connection, let code):
            metrics.closed(code)
            let (lists, user) = sessions.closed(connection)
            leave(lists, of: user, connection, code)
        case .turnEnded(let loop):
            let parts = requests[loop].drain()
            let round = Round(parts: parts.count)
            for (shard, requests) in parts { shards[shard].enqueue(requests, of: round) }
        case .request(let id, let request):
            answer(request, id)
        case .bodySaved(let id, _, let isWhole):
            files?.saved(id, isWhole: isWhole)
        case .peeked(let connection, let backlog, let ticket):
            backlogs.found(backlog, of: connection, ticket: ticket)
        case .pressed:
            for shard in shards { shard.enqueue([.pressed]) }
        case .log(let line):
            log(.warning, "network", ["says": line])
        }
    }

    /// Leaves the lists of a connection that has closed.
    private func leave(_ lists: Set<ListName>, of user: UserName?, _ connection: ConnectionID, _ code: UInt16) {
        for list in lists {
            if let (room, list) = list.ofRoom {
                gather(code == CloseCode.silent ? .died(list) : .unsubscribe(list), of: connection, in: room)
            } else if let user, list.isStored {
                gather(.stored(list, .unsubscribe, Reader(connection), user), of: connection, map.shard(of: user))
            } else if let user {
                gather(.unsubscribe(OwnList(list)), of: connection, user)
            }
        }
    }

    /// Handles news of the store: passes it to the shards. Called on the store's thread, or on the retention job's.
    private func handle(_ news: News) {
        switch news {
        case .reached(let room, let revision): shard(of: room).enqueue([.announced(revision, room)])
        case .sent(let room, let messages, let epoch): shard(of: room).enqueue([.sent(messages, room, of: epoch)])
        case .present(let server, let room, let people):
            shard(of: room).enqueue([.people(.elsewhere(server, people), room)])
        case .presenceRequested(let rooms?):
            for room in rooms { shard(of: room).enqueue([.people(.presenceRequested, room)]) }
        case .presenceRequested(nil): for shard in shards { shard.enqueue([.people(.presenceRequested, nil)]) }
        case .lost(let server): for shard in shards { shard.enqueue([.people(.lost(server), nil)]) }
        case .missed: for shard in shards { shard.enqueue([.people(.missed, nil)]) }
        case .caughtUp: for shard in shards { shard.enqueue([.people(.caughtUp, nil)]) }
        case .rewritten(let names): rewritten(names)
        case .membershipsChanged(let names):
            for (shard, names) in Dictionary(grouping: names, by: map.shard) {
                shards[shard].enqueue([.membershipsChanged(names)])
            }
        case .affiliatesChanged(let room, let names):
            shard(of: room).enqueue([.people(.membershipsChanged(names), room)])
            // They may not follow the room's threads any more, which have its rules.
            handle(.membershipsChanged(names))
        case .renewed: for shard in shards { shard.enqueue([.renewed]) }
        case .invalidated: for shard in shards { shard.enqueue([.invalidated]) }
        case .unwritable(let why): log(.error, "nothing can be written", ["why": why])
        case .writable(let time): log(.info, "everything can be written again", ["after": "\(time)"])
        case .clockIsWrong(let offset, let place):
            let fields: KeyValuePairs = [
                "database": place, "ahead": "\(offset)", "right": "at most 2 seconds: run NTP on both",
            ]
            log(.warning, "this server's clock differs from the database's", fields)
        case .clockIsRight(let place):
            log(.info, "this server's clock agrees with the database's again", ["database": place])
        case .warned(let what, let why): log(.warning, what, ["why": why])
        case .format(let format, let known) where format > known:
            leave(.newer(found: format, supported: known), "the other servers are of a later version: this one stops")
        case .misplaced(let why): leave(.misplaced(why), "the rooms were moved: this server stops")
        case .format(let format, let known):
            log(.info, "operations are written in the format in force", ["format": "\(format)", "known": "\(known)"])
        }
    }

    /// Another server has stored something of these people, which may be messages for later.
    private func rewritten(_ names: [UserName]) {
        invalidateStored(of: names)
        for part in personal { part.sender.expect(.now + 1_000) }
    }

    /// Notifies the shards that something else may be stored of these people. Any thread.
    func invalidateStored(of names: [UserName]) {
        for shard in shards { shard.enqueue([.rewritten(names)]) }
    }

    /// Stops serving, because the server's data may be wrong from now on. Clients go on with another server.
    private func leave(_ error: RoomStoreError, _ text: String) {
        log(.error, text, ["why": "\(error)"])
        DispatchQueue.global().async {
            if self.drain(.atOnce) { self.whenOutgrown(error) }
        }
    }

    private func handle(_ bytes: [UInt8], from connection: ConnectionID) {
        if bytes.count > SessionState.longestUnmeasured {
            let unread = sessions.feed(.long(bytes), to: connection, of: identity)
            guard unread.isEmpty else { return perform(unread, for: connection) }
        }
        do throws(FrameError) {
            let frame = try ClientFrame(json: bytes, limits: configuration.limits)
            metrics.commands.count(frame.request.name)
            feed(.frame(frame), to: connection)
        } catch {
            feed(.unreadable(error), to: connection)
        }
    }

    private func refuse(_ message: OversizedMessage, from connection: ConnectionID) {
        metrics.framesPassedOver.add(1)
        let limit = configuration.transport.maxFrameBytes
        let error = FrameError(oversized: message.size, limit, start: message.start, end: message.end)
        feed(.unreadable(error), to: connection)
    }

    private func feed(_ input: SessionInput, to connection: ConnectionID) {
        perform(sessions.feed(input, to: connection, of: identity), for: connection)
    }

    private func perform(_ effects: [SessionState.Effect], for connection: ConnectionID) {
        for effect in effects {
            switch effect {
            case .answer(let frame):
                metrics.answered(frame)
                transport.send(Frame(text: frame.json), to: connection)
            case .toRoom(let room, let request):
                gather(request, of: connection, in: room)
            case .toRooms(let asked):
                for (room, input) in inputs(of: asked, from: connection) {
                    gather(input, of: connection, shardIndex(of: room))
                }
            case .toInbox(let user, let request):
                gather(request, of: connection, user)
            case .toStored(let list, let user, let request):
                gather(.stored(list, request, Reader(connection), user), of: connection, map.shard(of: user))
            case .draft(let change, let ref):
                keep(change, ref: ref, of: connection)
            case .later(let change, let ref):
                keep(change, ref: ref, of: connection)
            case .block(let change, let ref):
                keep(change, ref: ref, of: connection)
            case .search(let request, let user, let followed, let ref):
                search(request, for: user, following: followed, ref: ref, connection)
            case .files(let request, let user, let ref):
                answer(request, of: user, ref: ref, connection)
            case .check(let authentication):
                let answer = identity.check(authentication, at: .now)
                feed(.checked(authentication, answer), to: connection)
            case .claim(let profile, let user):
                claims.enqueue(profile, of: user)
            case .held(let limit):
                quotas.hit(limit)
            case .dismiss(let code, let reason):
                gateway.dismiss(connection, code: code, reason: reason)
            }
        }
    }

    /// Adds a request to those that go to the shards at the end of the loop's turn.
    private func gather(_ request: SessionRequest, of connection: ConnectionID, in room: RoomName) {
        gather(.request(request, Reader(connection), room), of: connection, shardIndex(of: room))
    }

    private func gather(_ request: InboxRequest, of connection: ConnectionID, _ user: UserName) {
        gather(.inbox(request, Reader(connection), user), of: connection, map.shard(of: user))
    }

    private func gather(_ input: ShardInput, of connection: ConnectionID, _ shard: Int) {
        requests[connection.loop].add(input, toShard: shard)
    }

    func shard(of room: RoomName) -> RoomShard {
        shards[shardIndex(of: room)]
    }

    private func shardIndex(of room: RoomName) -> Int {
        map.shard(of: room)
    }

    /// Closes connections without a hello in time or with an ended token, and warns those whose token ends soon.
    /// Repeats itself a few times a second as long as the server runs.
    private func dismissOverdue() {
        let silence = Duration.seconds(transport.statistics.silence)
        for connection in sessions.overdue(at: .now, silence: silence) {
            feed(.greetingTimeout, to: connection)
        }
        for (connection, effects) in sessions.expire(at: .now) { perform(effects, for: connection) }
        guard !isDraining.load(ordering: .relaxed) else { return }
        clock.asyncAfter(deadline: .now() + .milliseconds(250)) { [weak self] in self?.dismissOverdue() }
    }
}

extension Milliseconds {
    /// The time of day.
    static var now: Milliseconds {
        Milliseconds(Date.now.timeIntervalSince1970 * 1_000)
    }
}

// MARK: - Configuration of the parts

extension ChatServerConfiguration {
    fileprivate var ofTransport: WebSocketServerConfiguration {
        var part = transport
        part.maxFrameBytes = limits.frame
        part.vitalPaths = ChatServer.vitalPaths
        return part
    }

    /// The settings of each shard.
    fileprivate func ofShards(loops: Int, _ store: any RoomStore, _ map: ShardMap) -> [ShardSettings] {
        var members = members
        members.isShared = store.others != nil
        if let others = store.others, !others.detectsLostNews { members.reload = refreshInterval }
        var settings = ShardSettings(
            loops: loops, limits: limits, members: members, isShared: store.others != nil,
            restingRooms: max(1, restingRooms / shards), cacheBytes: cacheBytes / shards,
            run: String(UInt64.random(in: .min ... .max), radix: 36), map: map)
        settings.partition = Partition(parts: store.parts)
        settings.refreshInterval = refreshInterval
        settings.refreshes = store.others?.detectsLostNews == true ? .afterLosses : .always
        settings.refusalTimer = refusalTimer
        settings.silenceTick = silenceTick
        settings.threadTick = threadTick
        return (0..<shards).map { index in
            settings.index = index
            return settings
        }
    }

    fileprivate func identity(_ quotas: Quotas) -> ServerIdentity {
        ServerIdentity(
            name: "diffroomd/\(diffroomVersion)", heartbeat: Milliseconds(transport.heartbeatSeconds * 1_000),
            limits: limits, route: route, authenticator: Authenticator(keyring), quotas: quotas,
            files: files?.tickets)
    }
}
