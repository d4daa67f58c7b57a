import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import WebSocketTransport

/// A server process: the decisions are the real ones, what carries them out is virtual.
///
/// As in `ChatServer`: event loops hear and write, one serial queue owns the rooms, one commits.
final class Server {
    let process: Process
    /// The store's, which goes on with another history now and then.
    private(set) var disk: Disk
    unowned let world: World
    private(set) var loops: [EventLoop] = []
    private(set) var links: [UInt64: Link] = [:]
    private let identity: ServerIdentity
    private let run: String

    // On the rooms' queues:
    let map: ShardMap
    private(set) lazy var shards = (0..<map.count).map { Shard(settings(ofShard: $0), of: self) }
    /// The store's revisions of the rooms that are followed, as last found.
    var known: [RoomName: Revision] = [:]
    /// For the sabotages: of that name, and of lists of rooms.
    var lateAttachments: [TopicID: [(Link, Revision)]] = [:]
    var missed = MissedNews()
    /// True after the shards were asked to let go of encoded frames, until less is kept than the budget.
    private var isPressed = false
    /// Before this time it reaches neither the store nor the other servers.
    private var isolatedUntil: Milliseconds = 0
    /// When more was found to be kept for readers than may be, if it was at the last turn of an event loop.
    var overBudgetSince: Milliseconds?

    // On the event loops:
    /// The inputs of this turn.
    private var heard: [(shard: Int, input: ShardInput)] = []

    // On the committer's:
    var waiting: CommitQueue<ShardDecision.Commit>

    init(on disk: Disk, in world: World) {
        self.disk = disk
        self.world = world
        process = Process(world.clock)
        identity = ServerIdentity(name: "simulated", heartbeat: 25_000, limits: world.weather.limits)
        run = "run\(world.servers.count)"
        let limits = CommitLimits(operations: world.weather.waiting, bytes: 1 << 30, patience: .zero)
        waiting = CommitQueue(limits: limits, lanes: world.weather.lanes)
        map = ShardMap(count: world.weather.shards, seed: world.seed)
        loops = (0..<2).map { _ in
            EventLoop(process, in: world) { [unowned self] link, topic, revision in
                gather(.fellBehind(link.reader, topic, revision, since: .now), toShard: topic.shard)
            } turned: { [unowned self] in
                shed()
                self.world.checkBudget(of: self)  // not that of the initializer, which would keep it for ever
            }
        }
    }

    private func settings(ofShard index: Int) -> ShardSettings {
        var members = MembersPolicy()
        members.isShared = true
        members.reload = .seconds(5)
        var settings = ShardSettings(
            loops: loops.count, limits: world.weather.limits, members: members, isShared: true, restingRooms: 1,
            cacheBytes: world.sabotage == .budgetIgnored ? 1 << 40 : world.weather.budget / 4 / map.count, run: run,
            map: map)
        settings.index = index
        settings.fewStandings = world.weather.fewStandings
        settings.silenceTick = .milliseconds(500)
        return settings
    }

    // MARK: - The budget

    /// Frames that are encoded for many readers.
    var cachedBytes: Int { shards.reduce(0) { $0 + $1.cachedBytes } }

    /// The bytes kept for readers: by the loops, and encoded for many.
    var keptBytes: Int { waitingBytes + cachedBytes }

    var waitingBytes: Int { loops.reduce(0) { $0 + $1.keptBytes } }

    /// As `budget.c` does: what can be made again goes first, then logs that readers lag behind, then whoever holds most.
    private func shed() {
        let budget = world.weather.budget
        guard keptBytes > budget else {
            isPressed = false
            return
        }
        if world.suffers(.budgetIgnored) {
            // What is gone by the next turn made no difference.
            if let since = overBudgetSince, since < world.clock.now, waitingBytes > 0 { world.strikes += 1 }
            return
        }
        if !isPressed, cachedBytes > 0 {
            isPressed = true
            return enqueueForAll([.pressed])
        }
        for loop in loops { loop.shedLogs() }
        while keptBytes > budget - budget / 8,
            let link = loops.flatMap(\.debtors).max(by: { ($0.queuedBytes, $1.number) < ($1.queuedBytes, $0.number) })
        {
            loops[link.loop].forsake(link)
        }
    }
}

// MARK: - Events, on the event loops

extension Server {
    /// For a shard, with all that the loops hear at this moment.
    private func gather(_ input: ShardInput, toShard shard: Int) {
        heard.append((shard, input))
        guard heard.count == 1 else { return }
        process.after(0) { [self] in
            for shard in shards {
                let inputs = heard.filter { $0.shard == shard.index }.map(\.input)
                if !inputs.isEmpty { shard.enqueue(inputs) }
            }
            heard = []
        }
    }

    private func gather(_ request: SessionRequest, _ link: Link, in room: RoomName) {
        let request = world.mistaken(request, on: link, in: room)
        gather(.request(request, link.reader, room), toShard: map.shard(of: room))
    }

    private func gather(_ request: InboxRequest, _ link: Link, of user: UserName) {
        gather(.inbox(request, link.reader, user), toShard: map.shard(of: user))
    }

    func accept(_ link: Link) {
        links[link.number] = link
        process.after(world.latency()) { [self] in
            guard links[link.number] != nil else { return }
            link.session = SessionState()
            loops[link.loop].add(link)
            link.write(.opened)
            process.after(5_000) { [self] in
                if links[link.number] != nil { perform(link.session!.greetingTimeout(), for: link) }
            }
        }
    }

    func hear(_ item: Link.Up, from link: Link) {
        guard links[link.number] != nil, link.session != nil else { return }
        switch item {
        case .frame(let bytes):
            world.tell("\(link.number) says \(String(decoding: bytes.prefix(200), as: UTF8.self))")
            do throws(FrameError) {
                let frame = try ClientFrame(json: bytes, limits: world.weather.limits)
                perform(link.session!.handle(frame, as: identity, at: world.timeOfDay), for: link)
            } catch {
                world.complain("the server cannot read what a client said: \(error)")
            }
        case .closed:
            lose(link)
        }
    }

    /// The connection has ended.
    func lose(_ link: Link) {
        guard links.removeValue(forKey: link.number) != nil else { return }
        loops[link.loop].remove(link)
        world.tell("\(link.number) is lost to the server")
        let lists = link.session.map(\.lists) ?? Set<ListName>()
        for list in lists.sorted(by: { $0.description < $1.description }) {
            if let (room, list) = list.ofRoom {
                gather(.unsubscribe(list), link, in: room)
            } else {
                gather(.unsubscribe(OwnList(list)), link, of: link.client.user)
            }
        }
    }

    func perform(_ effects: [SessionState.Effect], for link: Link) {
        for effect in effects {
            switch effect {
            case .answer(let frame):
                world.noteRefusal(frame, on: link)
                loops[link.loop].submit([.send(Frame(text: frame.json), to: link.connection)])
            case .toRoom(let room, let request): gather(request, link, in: room)
            case .toInbox(let user, let request): gather(world.narrowed(request), link, of: user)
            case .toRooms: preconditionFailure("nobody here reads several rooms at once")
            case .search: preconditionFailure("nobody here searches")
            case .files: preconditionFailure("nobody here has files")
            case .toStored, .draft, .later, .block: preconditionFailure("the world has rooms only")
            case .check(let claim):
                let answer = identity.check(claim, at: world.timeOfDay)
                perform(link.session!.handle(answer, of: claim, as: identity, at: world.timeOfDay), for: link)
            case .held, .claim: break
            case .dismiss(let code, let reason):
                let bye = Frame(text: ServerFrame.bye(code: code, reason: reason, retryAfter: nil).json)
                loops[link.loop].submit([.close(link.connection, sending: bye, code: code, reason: reason)])
            }
        }
    }
}

// MARK: - Other servers

extension Server {
    func isolate(for time: Milliseconds) { isolatedUntil = world.clock.now + time }

    var isIsolated: Bool { world.clock.now < isolatedUntil }

    /// As `Follower` and `Heartbeat` do, for as long as the process lives: nothing rests on a hint.
    func follow() {
        process.after(1_000) { [self] in
            for (name, last) in known.sorted(by: { $0.key < $1.key }) {
                guard !isIsolated, let head = world.head(of: name, on: disk), head > last else { continue }
                known[name] = head
                announce(head, of: name)
            }
            follow()
        }
    }

    func announce(_ revision: Revision, of room: RoomName) {
        enqueue([.announced(revision, room)], for: room)
    }

    /// The other servers on this store hear of it, unless that is lost.
    func tell(membershipsOf users: [UserName]) {
        let others = world.running.filter { $0 !== self && $0.disk === disk && !$0.isIsolated }
        for server in others where !isIsolated && !world.chance(0.2) {
            server.process.after(world.latency()) { server.move(users) }
        }
    }

    func tell(affiliates users: [UserName], of room: RoomName) {
        let others = world.running.filter { $0 !== self && $0.disk === disk && !$0.isIsolated }
        for server in others where !isIsolated && !world.chance(0.2) {
            server.process.after(world.latency()) {
                server.enqueue([.people(.membershipsChanged(users), room)], for: room)
            }
        }
    }

    private func move(_ users: [UserName]) {
        for shard in shards {
            let own = users.filter { map.shard(of: $0) == shard.index }
            if !own.isEmpty { shard.enqueue([.membershipsChanged(own)]) }
        }
    }

    /// The store has gone on with another history, under connections that are open.
    func renew(on disk: Disk) {
        self.disk = disk
        for room in known.keys { known[room] = 0 }
        missed = MissedNews()
        enqueueForAll([.renewed])
    }
}
