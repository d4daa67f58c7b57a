import ChatClient
import ChatRoom
import ChatWire
import RoomStore
import TestSupport

/// People, their clients, a network, a server and its disk in virtual time, all from one seed.
final class World {
    /// The numbers from here on are those of commands that are said twice.
    static let repeats: UInt64 = 1 << 40

    /// Two names that look the same and have not the same bytes: of a client, and of somebody on another server.
    static let twin = UserName("ren\u{E9}")!
    static let otherTwin = UserName(known: "rene\u{301}")!

    let seed: UInt64
    /// The open ones.
    let rooms: [RoomName]
    /// The others, if there may be some.
    var closed: ClosedRooms?
    let clock = Clock()
    var weather: Weather
    var random: SplitMix64
    /// The chances of pinned messages; `nil` if nobody pins any.
    var pinning: SplitMix64?
    let sabotage: Sabotage?
    private let sabotageEnd: Sabotage.End
    /// The number of times that the sabotage made a difference.
    var strikes = 0
    /// The breaches of laws, each with its time.
    private(set) var violations: [String] = []
    /// True when nothing goes wrong any more. From then on no text is interrupted, because that would never be over.
    var isCalm = false
    /// Faults that remained at the end, when everything had had time to come right.
    private(set) var failings: [String] = []
    /// A digest of every byte that the servers wrote, in order: equal for equal schedules.
    var fingerprint: UInt64 = 0

    var clients: [Client] = []
    /// Those that were killed, and those that run now.
    var servers: [Server] = []
    var running: [Server] { servers.filter(\.process.isAlive) }
    var disk: Disk
    var disks: [Epoch: Disk] = [:]
    /// Messages from before any of these people came, or sent through another server in their name.
    var past: Set<CommandID> = []
    /// Operations of a history that the next one lacks.
    var lost: Set<CommandID> = []
    /// Operations that the store refused, and those that it did later, after it had lost the possible reason.
    var refused: Set<CommandID> = []
    var pardoned: Set<CommandID> = []
    /// Commands that need not stand in their order, because they were refused for the time being.
    var postponed: Set<CommandID> = []
    /// Before this time the disk is slow, takes and gives nothing, takes nothing, or does not say whether it did.
    var slowUntil: Milliseconds = 0
    var failsUntil: Milliseconds = 0
    var readOnlyUntil: Milliseconds = 0
    var hangsUntil: Milliseconds = 0
    /// The difference between the server's clock and the time that has passed.
    var clockError: Milliseconds = 1_700_000_000_000
    /// Every connection that there ever was.
    private(set) var links: [Link] = []
    /// True if every event is printed on standard output.
    var isTold = false

    init(seed: UInt64, clients count: Int = 3, sabotage: Sabotage? = nil, until end: Sabotage.End = .never) {
        self.seed = seed
        self.sabotage = sabotage
        sabotageEnd = end
        random = SplitMix64(seed: seed)
        weather = Weather(using: &random)
        if sabotage != nil {
            weather.troubles = [.cut, .crash, .stall, .slowDisk]
            weather.servers = 1
        }
        switch sabotage {
        case .lostNews, .lostMark, .mentionTwice, .staleMention: weather.hasMembers = true
        case .openDoor, .rewrittenMembership:
            (weather.hasMembers, weather.hasClosedRooms, weather.hasDevices) = (true, true, false)
            weather.limits.pending = max(weather.limits.pending, 8)
        case .uncheckedAccess: weather.isModerated = true
        case .nameByEquivalence:
            // Whoever is muted is refused under either name.
            (weather.hasTwins, weather.isModerated) = (true, false)
        case .lostLogUnderSameEpoch: weather.troubles.append(.failover)
        case .budgetIgnored: weather.budget = 6_000
        default: break
        }
        rooms = [RoomName("lobby")!] + (weather.hasTwoRooms ? [RoomName("attic")!] : [])
        disk = Disk(1, limits: weather.limits, weather.disk)
        disks[disk.epoch] = disk
        clients = (0..<count).map { index in
            let person = weather.hasDevices && index > 1 ? index - 1 : index
            let isTwins = weather.hasTwins && person == 1
            return Client(index, named: isTwins ? Self.twin : UserName("user\(person)")!, seed: seed, clock)
        }
        if weather.hasClosedRooms { closed = ClosedRooms(for: clients.map(\.user), using: &random) }
        if weather.isModerated, sabotage == nil, seed.isMultiple(of: 2) { pinning = SplitMix64(seed: seed &+ 1) }
    }

    var timeOfDay: Milliseconds { max(0, clock.now + clockError) }

    func complain(_ what: String) {
        if violations.count < 20 { violations.append("at \(clock.now) ms: \(what)") }
    }

    func tell(_ what: @autoclosure () -> String) {
        if isTold { print("\(clock.now) ms: \(what())") }
    }

    func conclude(_ found: [String]) {
        failings = found.map { "at the end: \($0)" }
        violations += failings
    }

    // MARK: - Chance

    func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }

    func upTo(_ most: Milliseconds) -> Milliseconds {
        most > 0 ? .random(in: 0...most, using: &random) : 0
    }

    func latency() -> Milliseconds {
        upTo(chance(weather.lateFrames) ? 3_000 : weather.latency)
    }

    func threadLatency() -> Milliseconds {
        upTo(weather.threadLatency)
    }

    func diskLatency() -> Milliseconds {
        upTo(clock.now < slowUntil ? 1_500 : weather.diskLatency)
    }

    /// True if this is the world's sabotage and it has not ended.
    func suffers(_ what: Sabotage) -> Bool {
        what == sabotage && (sabotageEnd == .never || !weather.isCalm)
    }

    /// True if this is the world's sabotage and it strikes now.
    func strikes(_ what: Sabotage, _ probability: Double = 0.3) -> Bool {
        guard suffers(what), chance(probability) else { return false }
        strikes += 1
        return true
    }

    // MARK: - The network

    /// One of those that run, as a load balancer has it.
    func anyServer() -> Server? {
        let running = running
        return running.count < 2 ? running.first : running.randomElement(using: &random)
    }

    func connect(_ client: Client) {
        guard let server = anyServer() else {
            let link = client.link
            return client.process.after(latency()) { [self] in
                if client.link === link { tell(client, .disconnected(.failed("refused"))) }
            }
        }
        let number = links.count + 1
        let loop = UInt64(number % server.loops.count)
        let link = Link(loop << 56 | UInt64(number), client: client, server: server, world: self)
        links.append(link)
        client.link = link
        server.accept(link)
        client.process.after(10_000) { [self] in
            if client.link === link, !link.isOpen { lose(link) }
        }
    }

    /// Delivers a frame to a client.
    func hear(_ item: Link.Down, from link: Link) {
        guard link.client.link === link else { return }
        switch item {
        case .opened:
            link.isOpen = true
            tell(link.client, .connected)
        case .closed(let code): lose(link, code: code)
        case .frame(let frame):
            tell("\(link.number) hears ref \(frame.ref ?? 0)")
            if case .page(_, .messages(let room), _, let page as ListPage<Message>) = frame {
                let newest = link.client.rooms[room]?.newestPage ?? 0
                link.client.rooms[room, default: .init()].newestPage = max(newest, page.revision)
            }
            if frame.ref.map({ $0 < Self.repeats }) ?? true { tell(link.client, .received(frame)) }
        }
    }

    /// Notes a frame that the server writes to a socket, whether or not it arrives.
    func written(_ bytes: [UInt8], _ frame: ServerFrame, on link: Link) {
        tell("\(link.number) is told \(String(decoding: bytes.prefix(200), as: UTF8.self))")
        for byte in bytes { fingerprint = (fingerprint ^ UInt64(byte)) &* 0x100_0000_01B3 }
        noteDeletions(in: frame)
        noteMistake(in: frame, on: link)
        check(frame, on: link)
    }

    /// The client learns that the connection is gone.
    func lose(_ link: Link, code: UInt16 = 1006) {
        guard link.client.link === link else { return }
        link.client.link = nil
        tell("\(link.number) is lost to client \(link.client.index)")
        tell(link.client, .disconnected(.closed(code: code, reason: "")))
    }
}
