import ChatRoom
import ChatServer
import ChatWire
import RoomStore

/// A server process: the decisions are the real ones, what carries them out is virtual.
///
/// As in `ChatServer`: event loops hear and write, one serial queue owns the room, one commits.
final class Server {
    let process: Process
    let disk: Disk
    unowned let world: World
    private(set) var loops: [EventLoop] = []
    private(set) var links: [UInt64: Link] = [:]
    let identity: ServerIdentity

    // On the room's queue:
    private(set) lazy var queue = Pipe<RoomState.Input>(to: process) { [unowned self] in carryOut($0) }
    var room: RoomState
    var topic = 1
    var attached: Set<Reader> = []
    var deliveries = DeliveryCache<Message, EncodedFrame> { $0 }
    /// For the sabotage of that name.
    var lateAttachments: [(Link, Revision)] = []

    // On the committer's:
    var waiting: [(ticket: Ticket, operation: Operation)] = []
    var isCommitting = false

    init(on disk: Disk, in world: World) {
        self.disk = disk
        self.world = world
        process = Process(world.clock)
        room = RoomState(room: World.room, epoch: disk.epoch, limits: world.weather.limits, isShared: true)
        identity = ServerIdentity(name: "simulated", heartbeat: 25_000, limits: world.weather.limits)
        loops = (0..<2).map { _ in
            EventLoop(process, in: world) { [unowned self] link, topic, revision in
                if topic == self.topic { enqueue(.behind(link.reader, revision)) }
            }
        }
    }

    func enqueue(_ input: RoomState.Input) {
        queue.put(input, after: world.threadLatency())
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
        for _ in link.session?.lists ?? [] { enqueue(.unsubscribe(link.reader)) }
    }

    private func perform(_ effects: [SessionState.Effect], for link: Link) {
        for effect in effects {
            switch effect {
            case .answer(let frame): loops[link.loop].post(.send(link, frame.json))
            case .toRoom(_, let request): enter(request, for: link)
            case .check(let claim):
                let answer = identity.check(claim, at: world.timeOfDay)
                perform(link.session!.take(answer, of: claim, as: identity, at: world.timeOfDay), for: link)
            case .held: break
            case .dismiss(let code, let reason): dismiss(link, code: code, reason: reason)
            }
        }
    }

    private func enter(_ request: SessionRequest, for link: Link) {
        switch request {
        case .subscribe(_, let visitor, let ref, let limit, let resume):
            enqueue(.subscribe(link.reader, visitor, ref: ref, limit: limit, resume))
        case .unsubscribe: enqueue(.unsubscribe(link.reader))
        case .operate(let ref, let operation): enqueue(.operate(link.reader, ref: ref, operation))
        case .page(let visitor, let ref, let before, let limit):
            enqueue(.enter(link.reader, visitor, .page(ref: ref, before: before, limit: limit)))
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

// MARK: - Group commit, and trimming

extension Server {
    /// As the custodian does, for as long as the process lives.
    func trim(to count: Int) {
        process.after(world.upTo(3_000)) { [self] in
            if let revision = world.trim(disk, to: count) { enqueue(.announced(revision)) }
            trim(to: count)
        }
    }

    func submit(_ operation: Operation, _ ticket: Ticket) {
        waiting.append((ticket, operation))
        guard !isCommitting else { return }
        isCommitting = true
        process.after(0) { self.commitNext() }
    }

    private func commitNext() {
        let batch = Array(waiting.prefix(world.weather.batch))
        isCommitting = !batch.isEmpty
        guard isCommitting else { return }
        waiting.removeFirst(batch.count)
        process.after(world.diskLatency()) { [self] in
            do throws(RoomStoreError) {
                let outcomes = try world.commit(batch.map(\.operation), on: disk)
                process.after(world.diskLatency()) { [self] in
                    enqueue(.committed(Array(zip(batch.map(\.ticket), outcomes))))
                    commitNext()
                }
            } catch {
                for (ticket, _) in batch { enqueue(.commitFailed([ticket], .diskFailed)) }
                commitNext()
            }
        }
    }
}

extension WireError {
    static let diskFailed = WireError(.unavailable, "the disk is full; nothing was lost: try again", retryAfter: 300)
}
