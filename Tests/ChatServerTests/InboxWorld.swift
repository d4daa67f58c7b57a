import ChatRoom
import ChatWire
import Replicas
import RoomStore
import TestSupport
import WebSocketTransport

@testable import ChatServer

/// Some shards on a store in memory, and the devices of the people who follow their rooms. Whatever goes between them is
/// late as chance has it. What goes one way keeps its order; the store's answers do not.
final class InboxWorld {
    private final class Shard {
        var state: ShardState
        var alarms: [ShardAlarm: Duration] = [:]

        init(_ settings: ShardSettings) { state = ShardState(settings) }
    }

    private enum Way: Equatable {
        case letters(from: Int, to: Int)
        case store(to: Int)
        case device(Reader)
        case commits
        case marks
        case question(Int)
    }

    private enum Parcel {
        case input(ShardInput, to: Int)
        case ask(InboxQuery, for: Int)
        case read(StoreQuery, for: Int)
        case commit(ShardDecision.Commit)
        case mark(ReadMark)
    }

    /// Something is under way for ever.
    struct Restless: Error {}
    /// A device has a row of a room that its token does not grant.
    struct Leaked: Error {
        let room: RoomName
        let user: UserName
    }

    static let root = UserName("root")!
    let map: ShardMap
    let devices: [InboxDevice]
    private(set) var store = InMemoryStore()
    var random: SplitMix64
    private(set) var now = Duration.zero
    /// Whether the store's answers may fail and devices may fall behind.
    private var isTroubled = true
    /// Whether letters that tell changes are lost.
    private let losesLetters: Bool
    private let shards: [Shard]
    private var underWay: [(way: Way, parcel: Parcel)] = []
    private var questions = 0
    /// By how much the clock that stamps operations is fast: another server's, or one that was set.
    private var clockError: Milliseconds = 0
    /// What was written, for a store that is restored.
    private var written: [RoomOperation] = []
    /// What another server has told of the people who are in the rooms there.
    private var presences: [RoomName: [UserName: Presence]] = [:]
    /// The people who were ever appointed to something in a room: their grants do not say all.
    private var appointed: [RoomName: Set<UserName>] = [:]

    init(seed: UInt64, people: [UserName], losingLetters: Bool = false) {
        var random = SplitMix64(seed: seed)
        let map = ShardMap(count: .random(in: 1...4, using: &random), seed: seed)
        self.map = map
        losesLetters = losingLetters
        shards = (0..<map.count).map { index in
            var settings = ShardSettings(
                loops: 1, limits: WireLimits(), members: MembersPolicy(), isShared: false, restingRooms: 8,
                cacheBytes: 1 << 16, run: "test", map: map)
            settings.index = index
            return Shard(settings)
        }
        devices = (1...5 as ClosedRange<UInt64>).map { number in
            let user = people.randomElement(using: &random)!
            let list = [OwnList.rooms, .threads, .mentions].randomElement(using: &random)!
            return InboxDevice(
                number, of: user, Self.grants.randomElement(using: &random)!, following: list,
                limit: [1, 2, 100].randomElement(using: &random)!)
        }
        self.random = random
    }

    static let grants: [Grants] = [
        .open, .open, Grants([RoomPattern("*")!: .read]), Grants([:]),
        Grants([RoomPattern("*")!: .write, RoomPattern("a")!: .none]),
        Grants([RoomPattern("b")!: .read, RoomPattern("c")!: .write, RoomPattern("~*")!: .read]),
        Grants([RoomPattern("*")!: .own, RoomPattern("~*")!: .none]),
    ]

    func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
}

// MARK: - What is done

extension InboxWorld {
    func post(_ input: ShardInput, from device: InboxDevice) {
        underWay.append((.device(device.reader), .input(input, to: map.shard(of: device.user))))
    }

    func operate(_ action: RoomAction, in room: RoomName, by author: UserName, as role: Role, id: CommandID) {
        switch action {
        case .moderate(.appoint(let user, _)), .moderate(.invite(let user)):
            appointed[room, default: []].insert(user)
        case .create(let new): appointed[room, default: []].formUnion(new.people + [author])
        case .moderate, .send, .edit, .grow, .delete, .react, .summarize, .join, .leave, .settings: break
        }
        if chance(0.1) { clockError = .random(in: -9_000...9_000, using: &random) }
        let time = Milliseconds(now / .milliseconds(1)) + 1_000_000 + clockError
        var operation = Operation(command: id, author: author, role: role, time: time, action: action)
        if author == Self.root { operation.requester = .service }
        let reader = Reader(99)
        underWay.append(
            (.device(reader), .input(.request(.operate(ref: 0, operation), reader, room), to: map.shard(of: room))))
    }

    /// A person blocks another one, or ends that.
    func block(_ user: UserName, by person: UserName, in room: RoomName, _ isOn: Bool) throws {
        let block = StoredBlock(user: user, room: room, time: 0)
        _ = try store.write([BlockChange(user: person, block, isOn: isOn)], most: 9)
        tell(.membershipsChanged([person]), map.shard(of: person))
    }

    func mark(_ mark: ReadMark) {
        underWay.append((.marks, .mark(mark)))
    }

    /// Somebody comes, writes or goes on another server.
    func appear(_ presence: Presence, in room: RoomName) {
        presences[room, default: [:]][presence.name] = presence
        tell(.people(.elsewhere(Self.peer, [presence]), room), map.shard(of: room))
    }

    func hasOthers(where isSo: (Presence) -> Bool, besides user: UserName, in room: RoomName) -> Bool {
        presences[room]?.values.contains { $0.name != user && $0.isHere && isSo($0) } ?? false
    }

    /// The other server tells again what was not heard as long as nobody here had the room in a list.
    private func tellPresences() {
        for (room, people) in presences.sorted(by: { $0.key < $1.key }) {
            let all = people.values.sorted { $0.name < $1.name }
            tell(.people(.elsewhere(Self.peer, all), room), map.shard(of: room))
        }
    }

    private static let peer = ServerID(high: 0, low: 1)

    func trim() throws {
        let trimming = try store.trim(
            Retention(.init(messages: 3)), part: 0, after: nil, at: Milliseconds(now / .milliseconds(1)) + 1_000_000)
        for (room, revision) in trimming.shortened.sorted(by: { $0.key < $1.key }) {
            tell(.announced(revision, room), map.shard(of: room))
        }
    }

    /// The store is restored from a copy that lacks the last operations, and all read marks.
    func restore() throws {
        written.removeLast(min(written.count, Int.random(in: 0...5, using: &random)))
        store = InMemoryStore()
        _ = try store.commit(written)
        // Read marks are revisions of the history before, so no server writes them any more.
        underWay.removeAll { if case .mark = $0.parcel { true } else { false } }
        for shard in shards.indices { tell(.renewed, shard) }
    }

    private func tell(_ input: ShardInput, _ shard: Int) {
        underWay.append((.store(to: shard), .input(input, to: shard)))
    }

    /// Lets some time pass. Alarms may be late.
    func pass(_ time: Duration) throws {
        now += time
        for index in shards.indices {
            let due = shards[index].alarms.filter { $0.value <= now }.keys.sorted { "\($0)" < "\($1)" }
            for alarm in due where !isTroubled || chance(0.5) {
                shards[index].alarms[alarm] = nil
                try take([.woken(alarm)], on: index)
            }
        }
    }

    /// Lets everything come to rest, with all devices there.
    func settle() throws {
        isTroubled = false
        defer { isTroubled = true }
        var isTold = false
        for _ in 0..<20_000 {
            if !underWay.isEmpty {
                try deliver()
            } else if let next = shards.flatMap(\.alarms.values).min() {
                try pass(max(.zero, next - now))
            } else if let device = devices.first(where: \.isAway) {
                post(device.subscribe(), from: device)
            } else if !isTold {
                isTold = true
                tellPresences()
            } else {
                return
            }
        }
        throw Restless()
    }
}

// MARK: - What is under way

extension InboxWorld {
    /// Lets something arrive, with some of what comes the same way.
    func deliver() throws {
        guard let way = underWay.randomElement(using: &random)?.way else { return }
        var inputs: [ShardInput] = []
        var shard = 0
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard let index = underWay.firstIndex(where: { $0.way == way }) else { break }
            if case .input(let input, let to) = underWay[index].parcel {
                guard inputs.isEmpty || to == shard else { break }
                inputs.append(input)
                shard = to
                underWay.remove(at: index)
            } else {
                try arrive(underWay.remove(at: index).parcel, way)
            }
        }
        try take(inputs, on: shard)
    }

    private func arrive(_ parcel: Parcel, _ way: Way) throws {
        switch parcel {
        case .input: break
        case .ask(let query, let shard):
            underWay.append((way, .input(.foundMemberships(try answer(to: query)), to: shard)))
        case .read(.reading(let room, let query, let epoch), let shard):
            let reading = try store.read(
                room, tail: query.tail, since: query.since, atMost: query.atMost, standings: query.standings)
            let answer = StoreAnswer.reading(room, of: epoch, .success(store.epoch == epoch ? reading : nil))
            underWay.append((way, .input(.found(answer), to: shard)))
        case .read: throw Unexpected()
        case .commit(let commit): try arrive(commit)
        case .mark(let mark):
            _ = try store.commit([], marking: [mark])
            tell(.message(.marked([mark], of: store.epoch)), map.shard(of: mark.user))
        }
    }

    private func arrive(_ commit: ShardDecision.Commit) throws {
        let entry = RoomOperation(room: commit.room, operation: commit.operation)
        let outcomes = try store.commit([entry])
        written.append(entry)
        let rooms = [(name: commit.room, outcomes: outcomes.map { (ticket: commit.ticket, outcome: $0) })]
        tell(.committed(CommittedRooms(rooms, of: store.epoch)), map.shard(of: commit.room))
    }

    private func answer(to query: InboxQuery) throws -> InboxAnswer {
        let error = WireError(.storeDown, "try again", retryAfter: 300)
        let fails = isTroubled && chance(0.1)
        switch query {
        case .person(let user, let number, let epoch):
            let places = try store.reachablePlaces(of: user)
            return .person(
                user, number: number, of: epoch, fails ? .failure(error) : .success(store.epoch == epoch ? places : nil)
            )
        case .rooms(let user, let rooms, let number, let epoch):
            let readings = try store.reachableMemberships(of: user, in: rooms)
            return .rooms(
                user, rooms, number: number, of: epoch,
                fails ? .failure(error) : .success(store.epoch == epoch ? readings : nil))
        case .room(let room, let users, let number, let epoch):
            let readings = try store.memberships(of: users, in: room)
            return .room(
                room, users, number: number, of: epoch,
                fails ? .failure(error) : .success(store.epoch == epoch ? readings : nil))
        case .mentions(let user, let rooms, let list, let epoch):
            let readings = try store.reachableMentions(of: user, in: rooms, before: nil, limit: MentionList.most)
            return .mentions(
                user, list: list, of: epoch, fails ? .failure(error) : .success(store.epoch == epoch ? readings : nil))
        case .mentionsPage(let query):
            let readings = try query.readings(in: store)
            return .mentionsPage(query, fails ? .failure(error) : .success(store.epoch == query.epoch ? readings : nil))
        case .profiles, .drafts, .later, .blocks: preconditionFailure("the world has rooms only")
        }
    }

    private func take(_ inputs: [ShardInput], on index: Int) throws {
        var rest = inputs[...]
        while !rest.isEmpty {
            let conditions = ShardConditions(now: now, time: 0, epoch: store.epoch)
            try perform(shards[index].state.handle(&rest, conditions), of: index)
        }
    }

    private func perform(_ decision: ShardDecision, of shard: Int) throws {
        for (alarm, time) in decision.alarms { shards[shard].alarms[alarm] = time }
        for command in decision.loops[0].commands { try perform(command, of: shard) }
        for (reader, _) in decision.regranted { devices.first { $0.reader == reader }?.regranted() }
        for commit in decision.commits { underWay.append((.commits, .commit(commit))) }
        for (mark, _) in decision.marks { self.mark(mark) }
        for query in decision.queries { ask(.read(query, for: shard)) }
        for query in decision.inboxQueries { ask(.ask(query, for: shard)) }
        for (to, letter) in decision.messages {
            if losesLetters, case .changed = letter { continue }
            underWay.append((.letters(from: shard, to: to), .input(.message(letter), to: to)))
        }
    }

    private func ask(_ question: Parcel) {
        questions += 1
        underWay.append((.question(questions), question))
    }

    private func perform(_ command: LoopCommand, of shard: Int) throws {
        for device in devices where map.shard(of: device.user) == shard && command.isFor(device) {
            var isBehind = false
            if case .append = command { isBehind = isTroubled && chance(0.05) }
            if case .cut = command { isBehind = true }
            if isBehind, let topic = command.topic, let place = device.fallOff(topic) {
                post(.fellBehind(device.reader, topic, place.revision, since: .now), from: device)
            }
            try device.take(command)
            if case .close = command { post(device.unsubscribe(), from: device) }
            try checkRights(of: device)
        }
    }

    private func checkRights(of device: InboxDevice) throws {
        // A device that was detached has yet to get the list that its fresh token grants.
        guard device.isFollowing, device.isAttached else { return }
        for row in device.rooms?.rows ?? [] {
            guard row.id.isThread == (device.list == .threads) else { throw Leaked(room: row.id, user: device.user) }
            let isGranted = device.grants.contains { $0.role(in: row.id) >= .read }
            let isAppointed = appointed[row.id.ruling]?.contains(device.user) == true
            // In an open room one of the two is enough, in the others both are needed.
            guard row.id.kind == .open ? isGranted || isAppointed : isGranted && isAppointed else {
                throw Leaked(room: row.id, user: device.user)
            }
        }
    }
}

extension LoopCommand {
    fileprivate var topic: TopicID? {
        switch self {
        case .append(_, let topic, _), .cut(let topic), .attach(_, let topic, _, _), .detach(_, let topic): topic
        case .send, .close: nil
        }
    }

    /// Whether it may concern the device.
    func isFor(_ device: InboxDevice) -> Bool {
        switch self {
        case .send(_, let connection), .attach(let connection, _, _, _), .detach(let connection, _),
            .close(let connection, _, _, _):
            connection == device.reader.connection
        case .append, .cut: true
        }
    }
}
