import ChatRoom
import ChatWire
import TestSupport

extension Visitor {
    static let ann = Visitor(user: UserName("ann")!, grant: .write)
}

/// A room's state among readers and a store that answer at any time.
struct RoomWorld: ~Copyable {
    static let epoch = Epoch("e")!

    struct Replica {
        var revision: Revision
        var rows: [Message]
        /// What it holds; the last range is open.
        var held: [SortKeys]
    }

    private(set) var model = RoomModel()
    var state: RoomState
    private(set) var attached: [Reader: Replica] = [:]
    private(set) var unanswered: Set<UInt64> = []
    private(set) var complaints: [String] = []
    private(set) var lastReason: ServerFrame.SnapshotReason?

    private var random: SplitMix64
    private var gone: [(Reader, Replica)] = []
    /// The readers that the room must bring up to date, and their positions.
    private var returning: [Reader: Replica] = [:]
    /// The readers that fell off the log, before the room knows.
    private var fallen: [Reader] = []
    private var commits: [(ticket: Ticket, operation: Operation)] = []
    private var outcomes: [(ticket: Ticket, outcome: CommitOutcome)] = []
    /// The readings under way: taken from the store at one moment, delivered at a later one.
    private var readings: [RoomReading] = []
    private var heldReadings: [(ticket: Ticket, reading: HeldReading)] = []
    private var limits: [Reader: Int] = [:]
    private var lastRef: UInt64 = 0
    private var lastReader: UInt64 = 0

    /// The difficulties for the room.
    enum Trouble {
        case none
        /// The store trims the list's first rows now and then.
        case trimming
        /// Other servers commit more at once than a reading has.
        case crowds
        /// Other servers announce revisions that do not exist.
        case rumours
    }

    private let trouble: Trouble

    init(seed: UInt64, _ trouble: Trouble = .none) {
        random = SplitMix64(seed: seed)
        self.trouble = trouble
        var limits = WireLimits()
        if trouble == .crowds { limits.rows = 32 }
        state = RoomState(room: RoomName("lobby")!, epoch: Self.epoch, limits: limits, isShared: true)
    }

    mutating func step() {
        if trouble == .crowds, Int.random(in: 0..<6, using: &random) == 0 { return crowd() }
        if trouble == .rumours, Int.random(in: 0..<6, using: &random) == 0 { return spread() }
        switch Int.random(in: 0..<(trouble == .trimming ? 16 : 13), using: &random) {
        case 12: handHeldReading()
        case 13: model.trim(Int.random(in: 1...30, using: &random))
        case 14, 15: perform(.announced(model.revision))
        case 0: join(resuming: nil)
        case 1: comeBack()
        case 2: leave()
        case 3: fallBehind()
        case 4, 5, 6: operate()
        case 7, 8: commitSome()
        case 9: handOutcomes()
        case 10: handReading()
        default:
            commitElsewhere()
            if Bool.random(using: &random) { sendElsewhere() }
        }
    }

    /// Delivers everything under way.
    mutating func settle() {
        proceed()
        for _ in 0..<1_000 where !isAtRest {
            proceed()
            commitSome()
            handOutcomes()
            handReading()
            handHeldReading()
            tellOfFallen()
        }
        perform(.announced(model.revision))
        proceed()
        for _ in 0..<200 where !isAtRest {
            proceed()
            handReading()
            handHeldReading()
            tellOfFallen()
        }
        if !isAtRest { complaints.append("it reads without end") }
    }

    private var isAtRest: Bool {
        commits.isEmpty && outcomes.isEmpty && readings.isEmpty && heldReadings.isEmpty && fallen.isEmpty
            && !state.isServing
    }

    private mutating func crowd() {
        tellOfFallen()
        for _ in 0..<Int.random(in: 1...90, using: &random) { commitElsewhere() }
        if Bool.random(using: &random) { perform(.announced(model.revision)) }
    }

    /// Announces a revision that the store may never have.
    private mutating func spread() {
        perform(.announced(model.revision + [1, 3, 1_000, .max - model.revision].randomElement(using: &random)!))
    }

    /// Reports the readers that fell off the log, with their positions.
    private mutating func tellOfFallen() {
        for reader in fallen { if let replica = returning[reader] { perform(.behind(reader, replica.revision)) } }
        fallen = []
    }

    /// Commits on another server: the store has it, and the room does not know.
    mutating func commitElsewhere() {
        while model.commit(model.randomOperation(using: &random)) == nil {}
    }

    /// Another server's news has its last messages: late, twice, or without those before.
    private mutating func sendElsewhere() {
        let first = model.revision - min(model.revision - 1, Revision.random(in: 0...3, using: &random))
        perform(
            .sent(
                model.changes[Int(first)...].compactMap { change in
                    if case .inserted(let row, let instant, _) = change {
                        InsertedMessage(row, at: instant)
                    } else {
                        nil
                    }
                }))
    }

    /// A room serves readers as far as its allowance reaches, and the others once it has one again.
    mutating func perform(_ input: RoomState.Input) {
        let allowance = [Int.max, .max, 1, 0][Int.random(in: 0..<4, using: &random)]
        for effect in state.handle(input, delivering: allowance) { perform(effect) }
    }

    private mutating func proceed() {
        while state.isServing {
            for effect in state.handle(.proceed, delivering: 1) { perform(effect) }
        }
    }
}

// MARK: - Events

extension RoomWorld {
    private mutating func ref() -> UInt64 {
        lastRef += 1
        unanswered.insert(lastRef)
        return lastRef
    }

    private mutating func join(resuming replica: Replica?) {
        lastReader += 1
        let ranges = Bool.random(using: &random) ? replica?.named : nil
        let resume = replica.map { Resume(epoch: Self.epoch, revision: $0.revision, joined: 0, ranges: ranges) }
        let reader = Reader(lastReader)
        returning[reader] = replica
        let limit = Int.random(in: 32...80, using: &random)
        limits[reader] = limit
        perform(.subscribe(reader, .ann, ref: ref(), limit: limit, resume))
    }

    private mutating func comeBack() {
        guard !gone.isEmpty else { return }
        var replica = gone.remove(at: Int.random(in: 0..<gone.count, using: &random)).1
        // It has been elsewhere in the room's past before it left, or has let go of a part.
        if Bool.random(using: &random), let tail = replica.held.last, tail.lowerBound > 2 {
            let low = UInt64.random(in: 0...tail.lowerBound - 2, using: &random)
            replica.held = [low...UInt64.random(in: low...tail.lowerBound - 2, using: &random), tail]
            replica.rows = model.rows(in: replica.held, at: replica.revision)
        }
        join(resuming: replica)
    }

    private mutating func leave() {
        guard let (reader, replica) = attached.randomElement(using: &random) else { return }
        attached[reader] = nil
        gone.append((reader, replica))
        perform(.unsubscribe(reader))
    }

    private mutating func fallBehind() {
        guard let (reader, replica) = attached.randomElement(using: &random) else { return }
        attached[reader] = nil
        returning[reader] = replica
        perform(.behind(reader, replica.revision))
    }

    private mutating func operate() {
        perform(.operate(Reader(0), ref: ref(), model.randomOperation(using: &random)))
    }

    private mutating func commitSome() {
        for _ in 0..<Int.random(in: 1...3, using: &random) where !commits.isEmpty {
            let (ticket, operation) = commits.removeFirst()
            let outcome =
                model.commit(operation).map { CommitOutcome.committed(model.revision, $0) }
                ?? .refused(.notFound(operation.command))
            outcomes.append((ticket, outcome))
        }
    }

    private mutating func handOutcomes() {
        guard !outcomes.isEmpty else { return }
        let batch = outcomes
        outcomes = []
        perform(.committed(batch))
    }

    private mutating func handReading() {
        guard !readings.isEmpty else { return }
        perform(.read(readings.removeFirst()))
    }

    private mutating func handHeldReading() {
        guard !heldReadings.isEmpty else { return }
        let place = Int.random(in: 0..<heldReadings.count, using: &random)
        let (ticket, reading) = heldReadings.remove(at: place)
        perform(.held(ticket, .success(reading)))
    }

    /// The parts of what a reader holds that the store vouches for: now and then not all of them.
    private mutating func vouched(_ query: HeldQuery) -> [SortKeys] {
        let ranges = query.ranges ?? [0...query.since]
        guard Int.random(in: 0..<4, using: &random) == 0 else { return ranges }
        return ranges.compactMap { keys in
            let low = UInt64.random(in: keys, using: &random)
            return Bool.random(using: &random) ? low...keys.upperBound : nil
        }
    }
}

// MARK: - Effects

extension RoomWorld {
    private mutating func perform(_ effect: RoomState.Effect) {
        switch effect {
        case .commit(let operation, let ticket):
            commits.append((ticket, operation))
        case .read(let query):
            readings.append(model.reading(tail: query.tail, since: query.since, atMost: query.atMost))
        case .readHeld(let query, let ticket, _):
            heldReadings.append((ticket, model.held(query, vouchingFor: vouched(query))))
        case .answer(_, .ok(let ref, _)), .answer(_, .error(.some(let ref), _)):
            answered(ref)
        case .answer(_, let frame):
            complaints.append("\(frame) is no answer")
        case .deliver(let reader, let ref, let delivery):
            if let ref { answered(ref) }
            deliver(delivery, to: reader)
        case .cutLog:
            for (reader, replica) in attached {
                returning[reader] = replica
                fallen.append(reader)
            }
            attached = [:]
        case .publish(let diff):
            for reader in attached.keys { attached[reader]?.apply(diff, complaints: &complaints) }
        case .admit, .turnAway, .end, .send, .readMembership:
            complaints.append("\(effect), where nobody moderates")
        case .compare: break  // there is no other server
        case .close(let reader, let error):
            complaints.append("\(reader) was sent away: \(error)")
        }
    }

    private mutating func answered(_ ref: UInt64) {
        if unanswered.remove(ref) == nil { complaints.append("ref \(ref) was answered twice, or never asked") }
    }

    private mutating func deliver(_ delivery: ListDelivery<Message>, to reader: Reader) {
        var replica = returning.removeValue(forKey: reader)
        switch delivery {
        case .diff(let diff, _):
            if diff.insertions.count > limits[reader] ?? 80 {
                complaints.append("\(diff.insertions.count) newest rows")
            }
            replica?.apply(diff, complaints: &complaints)
            if replica == nil { complaints.append("\(reader) has nothing to apply a diff to") }
        case .snapshot(let snapshot, let why, _):
            lastReason = why
            let first = snapshot.more ? snapshot.rows.first?.sort ?? .max : 0
            replica = Replica(revision: snapshot.revision, rows: snapshot.rows, held: [first...(.max)])
        }
        attached[reader] = replica
    }
}

extension RoomWorld.Replica {
    /// Applies a diff as the protocol describes it, in the plainest form.
    /// Its ranges as a reader names them when it returns.
    var named: [SortKeys] {
        let named = held.filter { $0.lowerBound <= revision }.map { $0.clamped(to: 0...revision) }
        return named.last?.upperBound == revision ? named : named + [revision...revision]
    }

    mutating func apply(_ diff: ListDiff<Message>, complaints: inout [String]) {
        guard diff.from == revision else {
            complaints.append("a diff from \(diff.from) for a reader at \(revision)")
            return
        }
        rows.removeAll { diff.deletions.contains($0.id) }
        rows += diff.insertions
        for reload in diff.reloads { rows = rows.map { $0.id == reload.id ? reload : $0 } }
        for change in diff.reconfigurations {
            guard let place = rows.firstIndex(where: { $0.id == change.id }) else { continue }
            rows[place].light = change.light
            rows[place].rev = change.rev
        }
        for change in diff.patches {
            guard let place = rows.firstIndex(where: { $0.id == change.id }) else { continue }
            if !change.patch.apply(to: &rows[place]) { complaints.append("\(change) for \(rows[place])") }
            rows[place].rev = change.rev
        }
        rows.removeAll { $0.sort < diff.start }
        revision = diff.to
        if let ranges = diff.ranges { keep(ranges, complaints: &complaints) }
        let rows = rows.filter { $0.sort >= held.last?.lowerBound ?? 0 }
        guard rows.count >= min(ListDigest.window, diff.proof.count) else { return }
        let digest = ListDigest(rows.suffix(ListDigest.window)).value
        if digest != diff.proof.digest {
            complaints.append("digest \(digest), not \(diff.proof.digest), at \(revision)")
        }
    }

    private mutating func keep(_ ranges: [ListRange], complaints: inout [String]) {
        held = held.flatMap { held in ranges.filter { $0.keys.overlaps(held) }.map { $0.keys.clamped(to: held) } }
        rows.removeAll { row in !held.contains { $0.contains(row.sort) } }
        for range in ranges {
            guard let proof = range.proof else { continue }
            let rows = rows.filter { range.keys.contains($0.sort) }
            let found = ListProof(count: rows.count, digest: ListDigest(rows).value)
            if found != proof { complaints.append("\(range.keys) has \(found), not \(proof), at \(revision)") }
        }
    }
}
