import ChatRoom
package import ChatWire
import Replicas
package import RoomStore
import TestSupport

/// A room that readers leave and come back to. All of it is real, up to the bytes of the frames: the store, the room's
/// state and the replicas. Only the network and the clock are not.
package final class AbsenceWorld {
    private static let lobby = RoomName("lobby")!
    private static let list = ListName.messages(lobby)
    private static let epoch = Epoch("absences")!
    private static let ann = UserName("ann")!

    /// A reader's place in the room.
    struct Seat {
        var replica: Replica<Message>?
        let limit: Int
        /// The request that is not answered yet; `nil` for the first one, and afterwards.
        var resume: Resume?
        /// The number of readings of what it holds for this request.
        var readings = 0
        /// The revision of the newest merged page: the rows may be ahead of the replica until then.
        var newestPage: Revision = 0
        /// Whether it follows what is published.
        var isAttached = false
    }

    /// A question to the store, or an answer that is on its way.
    enum Errand {
        case read(RoomState.Query)
        case held(HeldQuery, Ticket)
        case answer(RoomState.Input)
    }

    let store: any RoomStore
    let limits: WireLimits
    var model = PlainList()
    var random: SplitMix64
    /// The laws that were broken.
    package private(set) var complaints: [String] = []
    package internal(set) var tally = AbsenceTally()

    private var state: RoomState
    private(set) var seats: [Reader: Seat] = [:]
    /// Replicas of readers who went away, at any of their revisions.
    private(set) var absent: [Seat] = []
    private var errands: [Errand] = []
    private var commits: [(ticket: Ticket, operation: Operation)] = []
    private var outcomes: [RoomState.Input] = []
    private var lastReader: UInt64 = 0
    private var now: Milliseconds = 1_700_000_000_000

    package init(seed: UInt64, on make: (WireLimits) throws -> any RoomStore) rethrows {
        random = SplitMix64(seed: seed)
        var limits = WireLimits()
        limits.rows = [32, 32, 40, 500].randomElement(using: &random)!
        self.limits = limits
        store = try make(limits)
        state = RoomState(room: Self.lobby, epoch: Self.epoch, limits: limits, isShared: true)
    }

    func complain(_ what: String) {
        if complaints.count < 5 { complaints.append("at \(model.revision): \(what)") }
    }

    /// Plays a history, at the end of which everybody comes back.
    package func play() {
        do {
            try live()
        } catch {
            complain("\(error)")
        }
    }

    private func live() throws {
        try commitElsewhere(operations(upTo: 80))
        for _ in 0..<Int.random(in: 1...2, using: &random) { try join(nil) }
        try settle()
        for _ in 0..<Int.random(in: 6...14, using: &random) {
            try happen()
            while !errands.isEmpty, Int.random(in: 0..<3, using: &random) > 0 { try run() }
        }
        while !absent.isEmpty { try comeBack() }
        try settle()
    }

    private func happen() throws {
        now += Milliseconds.random(
            in: 0...[1_000, Retention.day, 3 * Retention.day].randomElement(using: &random)!, using: &random)
        switch Int.random(in: 0..<18, using: &random) {
        case 0, 1, 2, 3: try comeBack()
        case 4, 5, 6: try leave()
        case 7, 8: try page()
        case 9: try fallBehind()
        case 10, 11: try trim()
        case 12: restart()
        case 13: try commitElsewhere(operations(upTo: 90))
        case 14: try operate(operations(upTo: 40))
        case 15: try commitElsewhere(model.rows.map { touch($0, "storm") })
        default: try operate(operations(upTo: 5))
        }
    }

    // MARK: - What is written

    private func operations(upTo most: Int) -> [Operation] {
        let rows = model.rows
        let sends = [0.1, 0.6, 0.95].randomElement(using: &random)!
        // Rare, as it is costly: more than a room remembers.
        let count = Int.random(in: 1...(Int.random(in: 0..<200, using: &random) == 0 ? 1_500 : most), using: &random)
        return (0..<count).map { number in
            guard let row = rows.randomElement(using: &random), Double.random(in: 0..<1, using: &random) > sends else {
                let growth: Growth? = Int.random(in: 0..<4, using: &random) == 0 ? .open : nil
                return operation(.send(MessageContent("message \(number)", growth: growth)))
            }
            return touch(row, "edit \(number)")
        }
    }

    private func touch(_ row: Message, _ text: String) -> Operation {
        if row.content.growth == .open, Bool.random(using: &random) {
            let isLast = Int.random(in: 0..<8, using: &random) == 0
            return operation(.grow(row.id, isLast ? .close() : .append(" é\(model.revision)", at: row.text.utf8.count)))
        }
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: operation(.edit(row.id, "\(text) at \(model.revision)"))
        case 1: operation(.delete(row.id))
        default: operation(.react(row.id, emoji: "+", row.light.reactions.isEmpty ? .on : .off))
        }
    }

    private func operation(_ action: RoomAction) -> Operation {
        Operation(command: .random(using: &random), author: Self.ann, role: .write, time: now, action: action)
    }

    private func commit(_ batch: [Operation]) throws -> [CommitOutcome] {
        let outcomes = try store.commit(batch.map { RoomOperation(room: Self.lobby, operation: $0) })
        for (operation, outcome) in zip(batch, outcomes) {
            let isAccepted = model.apply(operation)
            let isRight =
                switch outcome {
                case .committed(let revision, _): isAccepted && revision == model.revision
                case .repeated, .conflict, .refused: !isAccepted
                }
            if !isRight { complain("\(operation) became \(outcome)") }
        }
        return outcomes
    }

    private func commitElsewhere(_ batch: [Operation]) throws {
        _ = try commit(batch)
        if Bool.random(using: &random) { try perform(.announced(model.revision)) }
    }

    private func operate(_ operations: [Operation]) throws {
        for operation in operations { try perform(.operate(Reader(0), ref: 1, operation)) }
        try commitSome()
    }

    private func commitSome() throws {
        guard !commits.isEmpty else { return }
        let batch = commits
        commits = []
        let done = try commit(batch.map(\.operation))
        outcomes.append(.committed(zip(batch, done).map { (ticket: $0.ticket, outcome: $1) }))
        if Bool.random(using: &random) { try handOutcomes() }
    }

    private func handOutcomes() throws {
        while !outcomes.isEmpty { try perform(outcomes.removeFirst()) }
    }

    private func trim() throws {
        let count = model.rows.count * Int.random(in: 0...4, using: &random) / 4
        let resumeTime = Retention.day * .random(in: 1...3, using: &random)
        let retention = Retention(.init(messages: count), resumeTime: resumeTime)
        var next = Trimming.Next.after(nil)
        while case .after(let room) = next {
            next = try store.trim(retention, part: store.part(of: Self.lobby), after: room, at: now).next
        }
        model.trim(to: count, forgettingBefore: now - resumeTime)
        if Bool.random(using: &random) { try perform(.announced(model.revision)) }
    }

    // MARK: - Readers

    private func join(_ seat: Seat?) throws {
        lastReader += 1
        let reader = Reader(lastReader)
        let newcomer = Int.random(in: ListDigest.window...min(40, limits.rows), using: &random)
        var seat = seat ?? Seat(replica: nil, limit: newcomer)
        seat.resume = seat.replica.map(resume)
        (seat.readings, seat.isAttached) = (0, false)
        seats[reader] = seat
        let request = ClientFrame.Request.subscribe(Self.list, limit: seat.limit, resume: seat.resume)
        let frame = try ClientFrame(json: ClientFrame(ref: lastReader, request: request).json, limits: limits)
        guard case .subscribe(_, let limit, let resume) = frame.request else { return complain("\(frame)") }
        let visitor = Visitor(user: Self.ann, grant: .write)
        try perform(.subscribe(reader, visitor, ref: frame.ref, limit: limit, resume))
    }

    /// A request to go on from where a replica is: mostly the client's own, now and then one that names less, or nothing.
    private func resume(_ replica: Replica<Message>) -> Resume {
        let at = Bool.random(using: &random) ? replica.rows.randomElement(using: &random)?.sort : nil
        var resume = replica.resume(at: at)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: resume.ranges = nil
        case 1: resume.at = .random(in: 0...replica.revision, using: &random)
        case 2, 3:
            for _ in 0..<Int.random(in: 1...6, using: &random) where replica.revision > 0 {
                let first = UInt64.random(in: 0..<replica.revision, using: &random)
                let last = min(replica.revision - 1, first + .random(in: 0...20, using: &random))
                resume.ranges = resume.ranges?.cut(first...last).suffix(Resume.mostRanges)
            }
        default: break
        }
        return resume
    }

    private func comeBack() throws {
        guard let place = absent.indices.randomElement(using: &random) else { return }
        // Its copy may be older than another one that was brought up to date.
        let seat =
            Int.random(in: 0..<3, using: &random) == 0 && absent.count < 4 ? absent[place] : absent.remove(at: place)
        try join(seat)
    }

    private func leave() throws {
        guard let (reader, seat) = someone else { return }
        seats[reader] = nil
        if seat.replica != nil { absent.append(seat) }
        try perform(.unsubscribe(reader))
    }

    private func fallBehind() throws {
        guard let (reader, seat) = someone, seat.isAttached else { return }
        try fallBehind(reader)
    }

    private func fallBehind(_ reader: Reader) throws {
        guard let replica = seats[reader]?.replica else { return }
        seats[reader]?.isAttached = false
        seats[reader]?.readings = 0
        seats[reader]?.resume = Resume(epoch: Self.epoch, revision: replica.revision, joined: replica.joined)
        try perform(.behind(reader, replica.revision))
    }

    private var someone: (Reader, Seat)? {
        seats.sorted { $0.key < $1.key }.randomElement(using: &random).map { ($0.key, $0.value) }
    }

    /// A page that a reader may want, as of what the store has and the room has published.
    private func page() throws {
        guard let (reader, seat) = someone, seat.isAttached, let replica = seat.replica else { return }
        let gap = replica.held.gaps.randomElement(using: &random)
        let places: [PagePlace?] = [
            replica.earliest.map { .before($0) }, .around(.revision(.random(in: 0...replica.revision, using: &random))),
            gap.map { .between(after: $0.after, before: $0.before) }, gap.map { .after($0.after) },
        ]
        guard let place = places.compactMap(\.self).randomElement(using: &random),
            let found = try store.page(Self.lobby, place, limit: ListDigest.window), let page = state.updated(found)
        else { return }
        let frame = try ServerFrame(json: ServerFrame.page(ref: 1, Self.list, Self.epoch, page).json)
        guard case .page(_, _, let epoch, let read as ListPage<Message>) = frame, read.revision >= replica.revision
        else { return }
        try seats[reader]?.replica?.insert(read, epoch: epoch)
        seats[reader]?.newestPage = max(seat.newestPage, read.revision)
        seats[reader].map(check)
    }

    /// The server starts anew, and nobody is there any more.
    private func restart() {
        for (_, seat) in seats.sorted(by: { $0.key < $1.key }) where seat.replica != nil { absent.append(seat) }
        (seats, errands, commits, outcomes) = ([:], [], [], [])
        state = RoomState(room: Self.lobby, epoch: Self.epoch, limits: limits, isShared: true)
    }

    // MARK: - What is under way

    /// Takes one errand a step further: an answer may be old when it arrives.
    private func run() throws {
        guard let place = errands.indices.randomElement(using: &random) else { return }
        let errand = errands.remove(at: place)
        let input: RoomState.Input
        switch errand {
        case .answer(let answer): return try perform(answer)
        case .read(let query):
            input = .read(
                try store.soundReading(
                    of: Self.lobby, tail: query.tail, since: query.since, atMost: query.atMost,
                    standings: query.standings))
        case .held(let query, let ticket):
            input = .held(ticket, .success(try store.soundHeld(query, in: Self.lobby)))
        }
        if Bool.random(using: &random) { try perform(input) } else { errands.append(.answer(input)) }
    }

    private func settle() throws {
        try perform(.announced(model.revision))
        for _ in 0..<1_000 where !(errands.isEmpty && commits.isEmpty && outcomes.isEmpty) {
            try commitSome()
            try handOutcomes()
            try run()
        }
        if state.holdsGrowth { try perform(.growthTick) }
        for (reader, seat) in seats where seat.replica?.revision != model.revision {
            complain("\(reader) is at \(seat.replica?.revision ?? 0)")
        }
    }
}

// MARK: - What the room does

extension AbsenceWorld {
    private func perform(_ input: RoomState.Input) throws {
        for effect in state.handle(input) { try perform(effect) }
    }

    private func perform(_ effect: RoomState.Effect) throws {
        switch effect {
        case .commit(let operation, let ticket): commits.append((ticket, operation))
        case .read(let query): errands.append(.read(query))
        case .readHeld(let query, let ticket, let reader):
            seats[reader]?.readings += 1
            errands.append(.held(query, ticket))
        case .deliver(let reader, let ref, let delivery): try deliver(delivery, to: reader, ref: ref)
        case .publish(let diff):
            let told = try wired(diff, ref: nil)
            for (reader, seat) in seats.sorted(by: { $0.key < $1.key }) where seat.isAttached {
                try seats[reader]?.replica?.apply(told, epoch: Self.epoch)
                seats[reader].map(check)
            }
        case .cutLog:
            for (reader, seat) in seats.sorted(by: { $0.key < $1.key }) where seat.isAttached { try fallBehind(reader) }
        case .answer, .compare, .readMembership: break
        case .admit, .turnAway, .end, .send, .close: complain("\(effect), where nobody moderates")
        }
    }

    /// The diff as it is read from its bytes.
    private func wired(_ diff: ListDiff<Message>, ref: UInt64?) throws -> ListDiff<Message> {
        let frame = diff.encoded(Self.list, Self.epoch)
        guard
            case .diff(_, _, _, let read as ListDiff<Message>) = try ServerFrame(
                json: ref.map(frame.answering) ?? frame.bytes)
        else {
            throw ReplicaError.malformed("no diff")
        }
        return read
    }

    private func deliver(_ delivery: ListDelivery<Message>, to reader: Reader, ref: UInt64?) throws {
        guard var seat = seats[reader] else { return complain("\(reader) is not there") }
        switch delivery {
        case .diff(let diff, _):
            guard let resume = seat.resume, let before = seat.replica else { return complain("a diff for a newcomer") }
            let told = try wired(diff, ref: ref)
            try seat.replica?.apply(told, epoch: Self.epoch)
            end(resume, of: seat, before, by: told)
        case .snapshot(let snapshot, let why, let joined):
            if seat.resume != nil { complain("a snapshot (\(why)) where a diff was promised") }
            let frame = ServerFrame.Snapshot(epoch: Self.epoch, joined: joined, why: why, snapshot: snapshot)
            let bytes = frame.encoded(Self.list, frame.epoch).answering(ref: ref ?? 0)
            guard case .snapshot(_, _, let read as ServerFrame.Snapshot<Message>) = try ServerFrame(json: bytes) else {
                return complain("no snapshot")
            }
            seat.replica = try Replica(read)
        }
        (seat.resume, seat.isAttached) = (nil, true)
        seats[reader] = seat
        check(seat)
    }
}

extension [SortKeys] {
    /// The ranges without the keys of another one.
    fileprivate func cut(_ gone: SortKeys) -> [SortKeys] {
        flatMap { keys in
            let isBefore = keys.lowerBound < gone.lowerBound
            let isAfter = gone.upperBound < keys.upperBound
            return [
                isBefore ? keys.lowerBound...Swift.min(keys.upperBound, gone.lowerBound - 1) : nil,
                isAfter ? Swift.max(keys.lowerBound, gone.upperBound + 1)...keys.upperBound : nil,
            ].compactMap(\.self)
        }
    }
}
