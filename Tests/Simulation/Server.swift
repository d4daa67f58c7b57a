import ChatRoom
import ChatServer
import ChatWire
import RoomStore

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
    let identity: ServerIdentity

    // On the rooms' queue:
    private lazy var queue = Pipe<() -> Void>(to: process) { $0() }
    private(set) var rooms: [RoomName: HostedRoom] = [:]
    private var topics: [Int: RoomName] = [:]
    private var lastTopic = 0
    let caches: CacheSpace
    /// How many bytes the largest of all that was encoded for readers had.
    var largestDelivery = 0
    /// What was encoded is to be let go of, and that was asked for when less was kept.
    private var isPressed = false

    // On the committer's:
    var waiting: [Submission] = []
    var isCommitting = false

    init(on disk: Disk, in world: World) {
        self.disk = disk
        self.world = world
        process = Process(world.clock)
        caches = CacheSpace(limit: world.weather.budget / 4) { _ in }
        identity = ServerIdentity(name: "simulated", heartbeat: 25_000, limits: world.weather.limits)
        loops = (0..<2).map { _ in
            EventLoop(process, in: world) { [unowned self] link, topic, revision in
                guard let room = topics[topic] else { return }
                enqueue(room) { $0.fellBehind(link.reader, of: topic, at: revision) }
            } turned: { [unowned self] in
                shed()
                self.world.checkBudget(of: self)  // not that of the initializer, which would keep it for ever
            }
        }
    }

    // MARK: - The rooms' queue

    func enqueue(_ name: RoomName, _ body: @escaping (HostedRoom) -> Void) {
        queue.put({ [unowned self] in visit(name, body) }, after: world.threadLatency())
    }

    func enqueue(_ name: RoomName, _ input: RoomState.Input) {
        enqueue(name) { $0.receive(input) }
    }

    private func visit(_ name: RoomName, _ body: (HostedRoom) -> Void) {
        let room = rooms[name] ?? HostedRoom(name, at: self, in: world)
        rooms[name] = room
        body(room)
        if room.isResting {
            room.close()
            rooms[name] = nil
        }
        if caches.isOver, !world.suffers(.budgetIgnored) { forgetDeliveries() }
        world.checkCaches(of: self)
    }

    func openTopic(for room: RoomName) -> Int {
        lastTopic += 1
        topics[lastTopic] = room
        return lastTopic
    }

    func closeTopic(_ topic: Int) {
        topics[topic] = nil
    }

    private func forgetDeliveries() {
        for room in rooms.values { room.forgetDeliveries() }
    }

    /// Asks the disk something on behalf of a room, which goes on meanwhile unless it is held.
    ///
    /// - Parameter take: called with the answer and the epoch that it is of.
    func ask<Answer>(
        about name: RoomName, holding: Bool = false, _ question: @escaping (Disk) throws(RoomStoreError) -> Answer,
        then take: @escaping (HostedRoom, Result<Answer, RoomStoreError>, Epoch) -> Void
    ) {
        if holding { queue.hold() }
        process.after(world.diskLatency()) { [self] in
            let epoch = disk.epoch
            let answer = Result { () throws(RoomStoreError) in try question(disk) }
            process.after(world.diskLatency()) { [self] in
                guard holding else { return enqueue(name) { take($0, answer, epoch) } }
                queue.release()
                visit(name) { take($0, answer, epoch) }
            }
        }
    }

    // MARK: - The budget

    /// What is kept for readers: by the loops, and encoded for many.
    var keptBytes: Int {
        waitingBytes + rooms.values.reduce(0) { $0 + $1.cachedBytes }
    }

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
            if let since = world.overBudgetSince, since < world.clock.now, waitingBytes > 0 { world.strikes += 1 }
            return
        }
        if !isPressed, rooms.values.contains(where: { $0.cachedBytes > 0 }) {
            isPressed = true
            return queue.put({ [unowned self] in forgetDeliveries() }, after: world.threadLatency())
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
                perform(link.session!.receive(frame, as: identity, at: world.timeOfDay), for: link)
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
        let lists = link.session?.lists ?? []
        for room in world.rooms where lists.contains(.messages(room)) { enqueue(room, .unsubscribe(link.reader)) }
    }

    private func perform(_ effects: [SessionState.Effect], for link: Link) {
        for effect in effects {
            switch effect {
            case .answer(let frame):
                world.noteRefusal(frame, on: link)
                loops[link.loop].post(.send(link, frame.json))
            case .toRoom(let room, let request): enter(request, to: room, for: link)
            case .check(let claim):
                let answer = identity.check(claim, at: world.timeOfDay)
                perform(link.session!.take(answer, of: claim, as: identity, at: world.timeOfDay), for: link)
            case .held: break
            case .dismiss(let code, let reason): dismiss(link, code: code, reason: reason)
            }
        }
    }

    private func enter(_ request: SessionRequest, to room: RoomName, for link: Link) {
        switch request {
        case .subscribe(_, let visitor, let ref, let limit, let resume):
            enqueue(room, .subscribe(link.reader, visitor, ref: ref, limit: limit, resume))
        case .unsubscribe: enqueue(room, .unsubscribe(link.reader))
        case .operate(let ref, let operation): enqueue(room, .operate(link.reader, ref: ref, operation))
        case .page(let visitor, let ref, let before, let limit):
            enqueue(room, .enter(link.reader, visitor, .page(ref: ref, before: before, limit: limit)))
        case .typing, .read, .died, .audit: preconditionFailure("nobody here is looked at as a member")
        case .regrant: preconditionFailure("nobody here has a token")
        }
    }

    func dismiss(_ link: Link, code: UInt16, reason: String, retryAfter: Milliseconds? = nil) {
        let bye = ServerFrame.bye(code: code, reason: reason, retryAfter: retryAfter)
        loops[link.loop].post(.send(link, bye.json))
        loops[link.loop].post(.close(link, code: code))
    }
}

// MARK: - Other servers

extension Server {
    /// As `Follower` and `Pulse` do, for as long as the process lives: nothing rests on a hint.
    func follow() {
        process.after(1_000) { [self] in
            for name in world.rooms {
                guard let room = rooms[name], let head = world.head(of: name, on: disk), head > room.known
                else { continue }
                room.known = head
                announce(head, of: name)
            }
            follow()
        }
    }

    /// What another server did is nothing to a room that is not here.
    func announce(_ revision: Revision, of name: RoomName) {
        guard rooms[name] != nil else { return }
        enqueue(name) { [unowned self] in if rooms[name] === $0 { $0.receive(.announced(revision)) } }
    }

    /// The store has gone on with another history, under connections that are open.
    func renew(on disk: Disk) {
        self.disk = disk
        for name in world.rooms where rooms[name] != nil {
            enqueue(name) { room in
                room.known = 0
                room.renew()
            }
        }
    }
}
