import ChatRoom
import ChatWire
import Replicas
import RoomStore
import TestSupport
import WebSocketTransport

@testable import ChatServer

/// Two servers on one store in memory, and the devices of people who follow profiles, now on one server and now on the
/// other. Whatever goes between them is late as chance has it. What a device sends keeps its order; what servers tell each
/// other may be lost.
final class ProfileWorld {
    private final class Shard {
        var state: ShardState
        var alarms: [ShardAlarm: Duration] = [:]

        init(_ settings: ShardSettings) { state = ShardState(settings) }
    }

    private struct Server {
        var shards: [Shard]
        /// The number of times that it was started.
        var run = 0
        /// Those whom each user has asked it for, the last one last: the model of its lists.
        var asked: [UserName: [UserName]] = [:]
    }

    private struct Parcel {
        let input: ShardInput
        let server, run, shard: Int
        /// The device that sent it, which keeps the order; `nil` for news and the store's answers.
        var sender: Reader?
    }

    /// What makes the world wrong.
    enum Sabotage { case none, neitherNewsNorReviews }

    /// A device shows what nobody was ever called, or at rest something else than its people are called.
    struct Wrong: Error {
        let user: UserName
        let has, lacks: [String]
    }

    static let most = 6
    private static let grace = Duration.seconds(8)

    let map: ShardMap
    let devices: [ProfileDevice]
    private let store = InMemoryStore()
    /// All that somebody was ever called.
    private var past: [UserName: [Profile]] = [:]
    var random: SplitMix64
    private var now = Duration.zero
    private let sabotage: Sabotage
    private var isTroubled = true
    private var servers: [Server] = []
    private var underWay: [Parcel] = []

    init(seed: UInt64, people: [UserName], _ sabotage: Sabotage = .none) {
        random = SplitMix64(seed: seed)
        self.sabotage = sabotage
        map = ShardMap(count: .random(in: 1...3, using: &random), seed: seed)
        devices = (1...4).map { number in ProfileDevice(number, of: people[Int(number % 3)]) }
        servers = (0..<2).map { Server(shards: shards(of: $0, run: 0)) }
    }

    private func shards(of server: Int, run: Int) -> [Shard] {
        var limits = WireLimits()
        limits.people = Self.most
        var members = MembersPolicy()
        members.tick = .milliseconds(100)
        var settings = ShardSettings(
            loops: 1, limits: limits, members: members, isShared: true, restingRooms: 8, cacheBytes: 1 << 16,
            run: "server\(server)run\(run)", map: map)
        if sabotage == .neitherNewsNorReviews { settings.refreshInterval = .seconds(3_600) }
        return (0..<map.count).map { index in
            settings.index = index
            return Shard(settings)
        }
    }

    func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
}

// MARK: - What is done

extension ProfileWorld {
    /// The person's token or the operator says something. The server that hears it tells the other one.
    func write(_ change: ProfileChange) throws {
        guard try !store.write([change]).isEmpty else { return }
        past[change.user, default: []].append(change.profile)
        let home = Int.random(in: 0...1, using: &random)
        for server in servers.indices where server == home || (sabotage == .none && chance(0.7)) {
            for shard in 0..<map.count { post(.rewritten([change.user]), to: server, shard) }
        }
    }

    func want(_ names: [UserName], on device: ProfileDevice) {
        let request = device.want(names, most: Self.most)
        if !device.isAway { post([request], from: device) }
    }

    func connect(_ device: ProfileDevice) {
        device.server = Int.random(in: 0...1, using: &random)
        post(device.connect(), from: device)
    }

    func disconnect(_ device: ProfileDevice) {
        post([device.disconnect()], from: device)
    }

    /// The server is stopped and started again: all that was on the way to it is lost, and what it remembered.
    func restart(_ server: Int) {
        for device in devices where device.server == server { device.lose() }
        servers[server].run += 1
        servers[server].asked = [:]
        servers[server].shards = shards(of: server, run: servers[server].run)
        underWay.removeAll { $0.server == server }
    }

    private func post(_ inputs: [ShardInput], from device: ProfileDevice) {
        for input in inputs { post(input, to: device.server, map.shard(of: device.user), from: device.reader) }
    }

    private func post(_ input: ShardInput, to server: Int, _ shard: Int, from sender: Reader? = nil) {
        underWay.append(Parcel(input: input, server: server, run: servers[server].run, shard: shard, sender: sender))
    }

    /// Lets something arrive.
    func deliver() throws {
        guard let any = underWay.randomElement(using: &random) else { return }
        let index = underWay.firstIndex { any.sender == nil ? $0.sender == nil : $0.sender == any.sender } ?? 0
        let parcel = underWay.remove(at: index)
        if case .stored(_, .request(let names, _), _, let user) = parcel.input {
            let others = servers[parcel.server].asked[user, default: []].filter { !names.contains($0) }
            servers[parcel.server].asked[user] = (others + names.sorted()).suffix(Self.most)
        }
        try take([parcel.input], on: parcel.server, parcel.shard)
    }

    /// Lets some time pass. Alarms may be late.
    func pass(_ time: Duration) throws {
        now += time
        for server in servers.indices {
            for shard in servers[server].shards.indices {
                let due = servers[server].shards[shard].alarms.filter { $0.value <= now }
                for alarm in due.keys.sorted(by: { "\($0)" < "\($1)" }) where !isTroubled || chance(0.5) {
                    servers[server].shards[shard].alarms[alarm] = nil
                    try take([.woken(alarm)], on: server, shard)
                }
            }
        }
    }

    /// Lets everything come to rest, with all devices there; then everybody must show what people are called.
    func settle() throws {
        isTroubled = false
        defer { isTroubled = true }
        let end = now + Self.grace
        while now < end || !underWay.isEmpty {
            for device in devices where device.isAway { connect(device) }
            while !underWay.isEmpty { try deliver() }
            try pass(.milliseconds(50))
        }
        for device in devices { try check(device) }
    }

    private func check(_ device: ProfileDevice) throws {
        let asked = servers[device.server].asked[device.user] ?? []
        let profiles = try store.profiles(of: asked).mapValues(\.profile).filter { !$0.value.isEmpty }
        let held = Dictionary(uniqueKeysWithValues: device.people?.rows.map { ($0.id, $0.light) } ?? [])
        guard device.isFollowing, held == profiles else {
            throw Wrong(user: device.user, has: held.map { "\($0)" }.sorted(), lacks: profiles.map { "\($0)" }.sorted())
        }
    }
}

// MARK: - What servers decide

extension ProfileWorld {
    private func take(_ inputs: [ShardInput], on server: Int, _ shard: Int) throws {
        var rest = inputs[...]
        while !rest.isEmpty {
            let conditions = ShardConditions(now: now, time: 0, epoch: store.epoch)
            try perform(servers[server].shards[shard].state.handle(&rest, conditions), of: server, shard)
        }
    }

    private func perform(_ decision: ShardDecision, of server: Int, _ shard: Int) throws {
        for (alarm, time) in decision.alarms { servers[server].shards[shard].alarms[alarm] = time }
        for command in decision.loops[0].commands { try perform(command, of: server, shard) }
        for case .profiles(let names) in decision.inboxQueries {
            let error = WireError(.storeDown, "try again", retryAfter: 300)
            let profiles = try store.reachableProfiles(of: names).map { stored in
                stored.compactMapValues { $0.profile.isEmpty ? nil : $0.profile }
            }
            let answer = InboxAnswer.profiles(names, isTroubled && chance(0.1) ? .failure(error) : .success(profiles))
            post(.foundMemberships(answer), to: server, shard)
        }
    }

    private func perform(_ command: LoopCommand, of server: Int, _ shard: Int) throws {
        for device in devices where device.server == server && map.shard(of: device.user) == shard {
            guard command.connection.map({ $0 == device.reader.connection }) ?? true else { continue }
            if let topic = command.topic, isTroubled && chance(0.05) || command.isCut,
                let revision = device.fallOff(topic)
            {
                post([.fellBehind(device.reader, topic, revision, since: .now)], from: device)
            }
            try device.take(command)
            for row in device.people?.rows ?? [] where past[row.id]?.contains(row.light) != true {
                throw Wrong(user: device.user, has: ["\(row)"], lacks: [])
            }
        }
    }
}

extension LoopCommand {
    fileprivate var topic: TopicID? {
        switch self {
        case .append(_, let topic, _), .cut(let topic): topic
        case .attach, .detach, .send, .close: nil
        }
    }

    fileprivate var isCut: Bool { if case .cut = self { true } else { false } }

    /// The connection that it is for; `nil` for all that read a log.
    fileprivate var connection: ConnectionID? {
        switch self {
        case .send(_, let connection), .attach(let connection, _, _, _), .detach(let connection, _),
            .close(let connection, _, _, _):
            connection
        case .append, .cut: nil
        }
    }
}
