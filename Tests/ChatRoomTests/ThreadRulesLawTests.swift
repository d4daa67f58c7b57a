import ChatRoom
import ChatWire
import TestSupport
import Testing

/// The readers of a thread under the rules of its room, which it hears of at once, later or only by a reading.
struct ThreadRulesLawTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func nothingIsPublishedToAReaderWhomTheRoomHasPutOut(seed: UInt64) {
        var world = ThreadWorld(seed: seed)

        world.begin()
        for _ in 0..<80 { world.step() }
        world.comeToRest()

        #expect(world.faults == [])
        #expect(world.deliveries > 0)
    }
}

/// A room, a thread of it and its readers. The room's rules are those of each of its revisions.
private struct ThreadWorld: ~Copyable {
    private static let room = RoomName("lobby")!
    private static let people = ["ann", "bob", "cid"].map { UserName($0)! }
    private static let thread = room.thread(of: MessageID(high: 1, low: 1))

    private var random: SplitMix64
    private var state = RoomState(
        room: thread, epoch: Epoch("epoch")!, limits: WireLimits(), isShared: true)
    private var rules = [RoomRules(of: .open)]
    private var rows: [Message] = []
    /// The revision of the rules when each row was committed.
    private var ruled: [Revision] = []
    /// The revisions of room and thread after each change.
    private var moments: [(ruled: Int, rows: Int)] = [(0, 0)]
    /// The query under way, and the moment of its request.
    private var asked: (query: RoomState.Query, moment: Int)?
    /// Changes of which the thread has not heard.
    private var unheard: [RoomState.Input] = []
    /// The readers on the published line, with the revision of the rules at which each came there.
    private var attached: [Reader: Revision] = [:]
    /// Those who are due to be there: not unsubscribed, turned away or put out since they subscribed.
    private var wanted: Set<Reader> = []
    /// The subscribes without an answer. One that comes while a reader is put out is answered after that.
    private var asking: Set<Reader> = []
    /// The highest revision of the rules of which the thread has heard.
    private var known: Revision = 0
    private var refs: UInt64 = 0

    private(set) var faults: [String] = []
    private(set) var deliveries = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func begin() {
        for person in Self.people.indices { subscribe(person) }
        answer()
    }

    mutating func step() {
        let person = Int.random(in: Self.people.indices, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: subscribe(person)
        case 1: unsubscribe(person)
        case 2, 3: change(.ruled(.standing(Self.people[person], standing(person) { $0.isBanned.toggle() })))
        case 4: change(.ruled(.standing(Self.people[person], standing(person, Self.kick(at: rules.count)))))
        case 5: change(.nothing)
        case 6, 7, 8: say()
        case 9: if !unheard.isEmpty { tell(unheard.removeFirst()) }
        default: answer()
        }
    }

    /// Everything is heard and read.
    mutating func comeToRest() {
        while !unheard.isEmpty { tell(unheard.removeFirst()) }
        tell(.ruleAnnounced(Revision(rules.count - 1)))
        for _ in 0..<9 { answer() }
        if Set(attached.keys) != wanted { faults.append("at rest \(attached.keys) are there, and not \(wanted)") }
    }

    private static func kick(at revision: Int) -> (inout Standing) -> Void {
        { $0.kicked = Revision(revision) }
    }

    private func standing(_ person: Int, _ body: (inout Standing) -> Void) -> Standing {
        var standing = rules[rules.count - 1].standing(of: Self.people[person])
        body(&standing)
        return standing
    }

    private func reader(_ person: Int) -> Reader { Reader(UInt64(person) + 1) }
    private func user(_ reader: Reader) -> UserName { Self.people[Int(reader.rawValue) - 1] }

    private mutating func subscribe(_ person: Int) {
        refs += 1
        wanted.insert(reader(person))
        asking.insert(reader(person))
        let visitor = Visitor(user: Self.people[person], grant: .write, visit: refs)
        tell(.subscribe(reader(person), visitor, ref: refs, limit: 50, nil))
    }

    private mutating func unsubscribe(_ person: Int) {
        wanted.remove(reader(person))
        asking.remove(reader(person))
        attached[reader(person)] = nil
        tell(.unsubscribe(reader(person)))
    }

    /// A change of the room. The thread hears of it at once, later, or of its revision only.
    private mutating func change(_ change: RowChange) {
        var next = rules[rules.count - 1]
        next.apply(change)
        rules.append(next)
        let revision = Revision(rules.count - 1)
        moments.append((rules.count - 1, rows.count))
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where unheard.isEmpty: tell(.ruled([(revision, change)]))
        case 1: unheard.append(.ruled([(revision, change)]))
        default: unheard.append(.ruleAnnounced(revision))
        }
    }

    private mutating func say() {
        let revision = Revision(rows.count + 1)
        let row = Message(
            id: MessageID(high: 2, low: revision), section: .socket, sort: revision, rev: revision,
            author: Self.people[0], time: 0, content: "reply")
        rows.append(row)
        ruled.append(Revision(rules.count - 1))
        moments.append((rules.count - 1, rows.count))
        tell(Bool.random(using: &random) ? .sent([InsertedMessage(row, at: 0)]) : .announced(revision))
    }

    /// Answers the query under way, as of any moment since its request.
    private mutating func answer() {
        guard let (query, first) = asked else { return }
        asked = nil
        let moment = moments[Int.random(in: first..<moments.count, using: &random)]
        let all = rows.prefix(moment.rows)
        let changes: RoomReading.Changes =
            query.since.map { since in
                since > UInt64(moment.rows)
                    ? .future : .all(all.filter { $0.rev > since }.map { .row($0, reloaded: $0.rev) })
            } ?? .none
        let reading = RoomReading(
            revision: Revision(moment.rows), count: all.count, tail: Array(all.suffix(query.tail)), changes: changes,
            rules: rules[moment.ruled].inThreads, ruled: Revision(moment.ruled))
        tell(.read(reading))
    }

    private mutating func tell(_ input: RoomState.Input) {
        switch input {
        case .ruled(let changes): known = max(known, changes.last?.revision ?? 0)
        case .ruleAnnounced(let revision): known = max(known, revision)
        case .read(let reading): known = max(known, reading.ruled)
        default: break
        }
        var fallen: [Reader] = []
        for effect in state.handle(input) {
            switch effect {
            case .read(let query): asked = (query, moments.count - 1)
            case .deliver(let reader, _, _):
                deliveries += 1
                if asking.remove(reader) != nil { wanted.insert(reader) }
                attached[reader] = known
                check(reader, "a delivery")
            case .publish(let diff):
                // Who was put out before a row was committed does not get it.
                known = max(known, ruled[Int(diff.to) - 1])
                for reader in attached.keys { check(reader, "a diff") }
            case .end(let reader, _, _, _):
                attached[reader] = nil
                wanted.remove(reader)
            case .turnAway(let reader, _, _, _, _):
                attached[reader] = nil
                asking.remove(reader)
                wanted.remove(reader)
            case .cutLog:
                fallen = attached.keys.sorted()
                attached = [:]
            default: break
            }
        }
        for reader in fallen { tell(.behind(reader, 0)) }
    }

    private mutating func check(_ reader: Reader, _ what: String) {
        let standing = rules[Int(known)].standing(of: user(reader))
        if standing.isBanned { faults.append("\(what) for \(user(reader)), who is banned at \(known)") }
        if let since = attached[reader], standing.kicked > since {
            faults.append("\(what) for \(user(reader)), who came at \(since) and was kicked at \(standing.kicked)")
        }
    }
}
