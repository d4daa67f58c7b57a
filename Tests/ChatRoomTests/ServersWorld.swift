import ChatRoom
import ChatWire
import TestSupport

/// One room on several servers, which tell each other of their people over a database, in a time that passes in steps.
///
/// As with `LISTEN` and `NOTIFY`, a server that listens hears everything, perhaps late; a server that does not listen
/// misses it for ever. Servers freeze, listeners lose their connection, and the database freezes with undelivered news.
struct ServersWorld {
    private enum Hint {
        case present([Presence])
        case asked(of: ServerID?)
        case alive
    }

    private struct Server {
        let id: ServerID
        var state: MembersState
        var detector = FailureDetector(silence: .seconds(6), step: .seconds(1))
        var people: [Reader: UserName] = [:]
        var inbox: [(sender: ServerID, hint: Hint)] = []
        var outbox: [Hint] = []
        var wake: Duration?
        var isFrozen = false
        var isListening = false
        var looked = Duration.zero
    }

    private static let step = Duration.milliseconds(100)
    private static let names = (0..<6).map { UserName("p\($0)")! }

    private var servers: [Server]
    private var random: SplitMix64
    private var now = Duration.zero
    private var isDatabaseFrozen = false
    private var lastReader: UInt64 = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        var policy = MembersPolicy()
        policy.isShared = true
        policy.grace = .seconds(1)
        servers = (1...3).map { number in
            Server(
                id: ServerID(high: 0, low: number),
                state: MembersState(room: RoomName("lobby")!, epoch: Epoch("e\(number)")!, policy: policy))
        }
    }

    // MARK: - Facts

    /// The people who are online, in truth and as each server knows it.
    var truth: Set<UserName> { Set(servers.flatMap(\.people.values)) }

    var views: [Set<UserName>] {
        servers.map { Set($0.state.reading.listed.filter { $0.section == .online }.map(\.id)) }
    }

    // MARK: - Events

    mutating func live(for time: Duration) {
        let end = now + time
        while now < end {
            if Int.random(in: 0..<4, using: &random) == 0 { act(on: anyServer()) }
            if Int.random(in: 0..<40, using: &random) == 0 { harm(anyServer()) }
            pass()
        }
    }

    /// Removes all obstacles and lets time pass, while nobody comes or goes.
    mutating func settle(for time: Duration) {
        isDatabaseFrozen = false
        for index in servers.indices { servers[index].isFrozen = false }
        let end = now + time
        while now < end { pass() }
    }

    private mutating func anyServer() -> Int { Int.random(in: servers.indices, using: &random) }

    private mutating func act(on index: Int) {
        guard !servers[index].isFrozen else { return }
        let readers = servers[index].people.keys.sorted { $0.rawValue < $1.rawValue }
        if let reader = readers.randomElement(using: &random), Bool.random(using: &random) {
            servers[index].people[reader] = nil
            perform(Bool.random(using: &random) ? .left(reader) : .died(reader), on: index)
        } else {
            lastReader += 1
            let name = Self.names.randomElement(using: &random)!
            servers[index].people[Reader(lastReader)] = name
            perform(.came(Reader(lastReader), name), on: index)
        }
    }

    private mutating func harm(_ index: Int) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: servers[index].isFrozen = true
        case 1: servers[index].isFrozen = false
        case 2, 3:
            servers[index].isListening = false
            servers[index].inbox = []
        case 4: isDatabaseFrozen = true
        default: isDatabaseFrozen = false
        }
    }

    private mutating func pass() {
        now += Self.step
        for index in servers.indices where !servers[index].isFrozen {
            if let wake = servers[index].wake, wake <= now {
                servers[index].wake = nil
                perform(.woken, on: index)
            }
            if !isDatabaseFrozen { carry(index) }
        }
    }

    private mutating func perform(_ input: MembersState.Input, on index: Int) {
        for effect in servers[index].state.handle(input, at: now) {
            switch effect {
            case .share(let people): servers[index].outbox.append(.present(people))
            case .wake(let time): servers[index].wake = time
            case .answer, .deliver, .publish, .mark, .load, .membershipsUnavailable: break
            }
        }
    }
}

// MARK: - Between the servers

extension ServersWorld {
    private mutating func carry(_ index: Int) {
        if !servers[index].isListening, Int.random(in: 0..<5, using: &random) == 0 { listenAnew(index) }
        let heard = servers[index].inbox
        servers[index].inbox = []
        for (sender, hint) in heard { take(hint, from: sender, on: index) }
        if servers[index].isListening, now - servers[index].looked >= .seconds(1) { look(index) }
        let told = servers[index].outbox
        servers[index].outbox = []
        for other in servers.indices where other != index && servers[other].isListening {
            servers[other].inbox += told.map { (servers[index].id, $0) }
        }
    }

    private mutating func listenAnew(_ index: Int) {
        servers[index].isListening = true
        servers[index].looked = now
        servers[index].detector.listenAnew()
        perform(.missed, on: index)
        servers[index].outbox.append(.asked(of: nil))
        perform(.presenceRequested, on: index)
    }

    private mutating func take(_ hint: Hint, from sender: ServerID, on index: Int) {
        if servers[index].detector.recordHeartbeat(sender) { servers[index].outbox.append(.asked(of: sender)) }
        switch hint {
        case .present(let people): perform(.elsewhere(sender, people), on: index)
        case .asked(let target):
            if target ?? servers[index].id == servers[index].id { perform(.presenceRequested, on: index) }
        case .alive: break
        }
    }

    private mutating func look(_ index: Int) {
        servers[index].outbox.append(.alive)
        for finding in servers[index].detector.advance(now - servers[index].looked) {
            switch finding {
            case .lost(let server): perform(.lost(server), on: index)
            case .caughtUp: perform(.caughtUp, on: index)
            }
        }
        servers[index].looked = now
    }
}
