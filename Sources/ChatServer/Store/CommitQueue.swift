package import ChatRoom
package import ChatWire
package import RoomStore

/// An operation on its way to the disk, with the way back to those who wait for its outcome.
package protocol CommitSubmission: Sendable {
    var room: RoomName { get }
    var operation: Operation { get }
}

/// The operations and read marks that wait for the disk, in order, and the decision when each is written.
///
/// One transaction takes all that waits, because its cost is mostly that of a transaction. Only while one takes long, as
/// when another server has one of its rooms, the other rooms go on in another lane.
///
/// It has no thread, clock or store. Its owner carries out the decisions.
package struct CommitQueue<Submission: CommitSubmission>: Sendable {
    /// An operation or a read mark. Their order counts: settings may take a mark back.
    package enum Entry: Sendable {
        case operation(Submission)
        case mark(ReadMark, Epoch)
    }

    /// A user and a room that the user reads.
    private struct Reading: Hashable, Sendable {
        let room: RoomName
        let user: UserName
    }

    /// A transaction under way.
    private struct Work: Sendable {
        /// 0 until a batch was taken.
        let number: Int
        /// The rooms whose other entries wait for it.
        let rooms: Set<RoomName>
        var isLate = false
    }

    private let limits: CommitLimits
    /// The transaction of each lane; `nil` for a lane that is idle.
    private var lanes: [Work?]
    /// The number of transactions that were begun.
    private var begun = 0
    private var entries: [Entry] = []
    /// The number of operations among them.
    private var operations = 0
    /// The bytes of the operations that have no outcome yet.
    private var bytes = 0
    /// The places of read marks that the persons' next ones may take, counted from the first entry ever.
    private var places: [Reading: Int] = [:]
    /// The number of entries that went.
    private var gone = 0
    /// All that came with some of the operations is there.
    private var isReady = false
    /// True when the read marks before all operations have waited long enough.
    private var areMarksDue = false
    /// True when the last transaction said that another one follows.
    private var isAnnounced = false
    /// True when a transaction for the marks alone is planned.
    private var isMarking = false
    /// True when a start is planned.
    private var isStarting = false

    /// - Parameter lanes: the number of transactions that may be under way at the same time.
    package init(limits: CommitLimits, lanes: Int = 1) {
        self.limits = limits
        self.lanes = Array(repeating: nil, count: lanes)
    }
}

// MARK: - In

extension CommitQueue {
    /// Adds operations until there are as many as may wait.
    ///
    /// - Returns: the number of those that were added, and their bytes.
    package mutating func add(_ submissions: [Submission]) -> (count: Int, bytes: Int) {
        let before = bytes
        for (index, submission) in submissions.enumerated() {
            let size = submission.operation.bytes
            guard operations < limits.operations, bytes == 0 || bytes + size <= limits.bytes else {
                return (index, bytes - before)
            }
            append(.operation(submission))
            bytes += size
        }
        return (submissions.count, bytes - before)
    }

    /// Adds read marks. They go with the operations that come next, or by themselves after a pause. Marks beyond the limit are
    /// dropped: the person's next mark in the room makes up for them.
    ///
    /// - Returns: true when the owner must call ``startMarks()`` after the pause.
    package mutating func add(_ marks: [(mark: ReadMark, epoch: Epoch)]) -> Bool {
        for (mark, epoch) in marks { add(mark, epoch) }
        defer { isMarking = true }
        return !isMarking
    }

    /// Puts read marks back that could not be written, before what came after them. All marks wait for another pause: the
    /// store would fail again at once.
    ///
    /// - Returns: true when the owner must call ``startMarks()`` after the pause.
    package mutating func requeue(_ marks: [(mark: ReadMark, epoch: Epoch)]) -> Bool {
        areMarksDue = false
        let rest = removeAll()
        let isToBeStarted = add(marks)
        for entry in rest {
            if case .mark(let mark, let epoch) = entry { add(mark, epoch) } else { append(entry) }
        }
        return isToBeStarted
    }

    private mutating func removeAll() -> [Entry] {
        defer { (entries, operations, places) = ([], 0, [:]) }
        return entries
    }

    private mutating func add(_ mark: ReadMark, _ epoch: Epoch) {
        let reading = Reading(room: mark.room, user: mark.user)
        if let place = places[reading], case .mark(let earlier, epoch) = entries[place - gone] {
            if earlier.revision < mark.revision { entries[place - gone] = .mark(mark, epoch) }
        } else if entries.count - operations < limits.marks {
            append(.mark(mark, epoch))
        }
    }

    private mutating func append(_ entry: Entry) {
        switch entry {
        case .operation(let submission):
            operations += 1
            let people = submission.operation.readSet(in: submission.room.kind).memberships
            for user in people { places[Reading(room: submission.room, user: user)] = nil }
        case .mark(let mark, _): places[Reading(room: mark.room, user: mark.user)] = gone + entries.count
        }
        entries.append(entry)
    }

    /// Some operations have their outcomes, and wait no longer.
    package mutating func release(_ bytes: Int) {
        self.bytes -= bytes
    }
}

// MARK: - Out

extension CommitQueue {
    /// Notes that all entries that came together were added.
    ///
    /// - Returns: the lane on which the owner must begin to commit what ``next(on:atMost:)`` returns, until there is nothing
    ///   more; `nil` if none is to begin.
    package mutating func start() -> Int? {
        isReady = operations > 0
        return reserveLane()
    }

    /// Notes that entries were added to which others may belong that come soon.
    ///
    /// - Returns: true when the owner must call ``startPlanned()`` after ``CommitLimits/patience``.
    package mutating func startSoon() -> Bool {
        guard operations > 0, !isReady, !isStarting else { return false }
        isStarting = true
        return true
    }

    /// Does the same as ``start()``, some time after ``startSoon()``.
    package mutating func startPlanned() -> Int? {
        isStarting = false
        return start()
    }

    /// The pause for read marks is over. Returns as ``start()`` does.
    package mutating func startMarks() -> Int? {
        isMarking = false
        areMarksDue = !entries.isEmpty
        return reserveLane()
    }

    /// A transaction is under way for ``CommitLimits/lateness``, and may have ended. Returns as ``start()`` does.
    package mutating func markLate(_ batch: Batch) -> Int? {
        guard let lane = lanes.firstIndex(where: { $0?.number == batch.number }) else { return nil }
        lanes[lane]?.isLate = true
        return reserveLane()
    }

    /// Returns an idle lane, for which ``next(on:atMost:)`` will be called.
    private mutating func reserveLane() -> Int? {
        guard isDue, let lane = lanes.firstIndex(where: { $0 == nil }) else { return nil }
        lanes[lane] = Work(number: 0, rooms: [])
        return lane
    }

    /// True when something is to go, and no transaction is under way that what waits can wait for.
    private var isDue: Bool { (isReady || areMarksDue) && lanes.allSatisfy { $0?.isLate ?? true } }

    /// True while the owner has a lane to work on.
    package var isAtWork: Bool { lanes.contains { $0 != nil } }

    /// Removes the first operations, at most so many, with the read marks before, between and behind them, but nothing of the
    /// rooms that are under way on other lanes. The operations taken before on this lane have their outcomes.
    package mutating func next(on lane: Int, atMost limit: Int) -> Batch? {
        lanes[lane] = nil
        guard isDue else { return nil }
        let busy = lanes.reduce(into: Set()) { $0.formUnion($1?.rooms ?? []) }
        let taken = dequeue(limit, without: busy)
        isReady = operations > 0
        if busy.isEmpty { areMarksDue = false }
        guard !taken.isEmpty else { return nil }
        begun += 1
        lanes[lane] = Work(number: begun, rooms: Set(taken.map(\.room)))
        return Batch(number: begun, entries: taken)
    }

    /// Read marks go with an operation, or by themselves when they are due.
    private mutating func dequeue(_ limit: Int, without busy: Set<RoomName>) -> [Entry] {
        let isWithOperation = isReady && hasOperation(without: busy)
        guard isWithOperation || areMarksDue else { return [] }
        let limit = isWithOperation ? limit : 0
        return busy.isEmpty ? dequeueFirst(limit) : dequeueOthers(than: busy, atMost: limit)
    }

    private func hasOperation(without busy: Set<RoomName>) -> Bool {
        entries.contains { if case .operation(let submission) = $0 { !busy.contains(submission.room) } else { false } }
    }

    private mutating func dequeueFirst(_ limit: Int) -> [Entry] {
        var operations = 0
        let taken = Array(
            entries.prefix { entry in
                if case .operation = entry { operations += 1 }
                return operations <= limit
            })
        entries.removeFirst(taken.count)
        gone += taken.count
        for entry in taken {
            switch entry {
            case .operation: self.operations -= 1
            case .mark(let mark, _):
                let reading = Reading(room: mark.room, user: mark.user)
                if let place = places[reading], place < gone { places[reading] = nil }
            }
        }
        return taken
    }

    private mutating func dequeueOthers(than busy: Set<RoomName>, atMost limit: Int) -> [Entry] {
        var (taken, rest, operations): ([Entry], [Entry], Int) = ([], [], 0)
        for entry in removeAll() {
            let isFree = !busy.contains(entry.room)
            if isFree, case .operation = entry { operations += 1 }
            if isFree, operations <= limit { taken.append(entry) } else { rest.append(entry) }
        }
        for entry in rest { append(entry) }
        return taken
    }

    /// A transaction's outcomes are about to be handed on.
    ///
    /// - Returns: whether the transaction before said that this one follows, and whether this one says so of the next.
    package mutating func announce() -> (follows: Bool, isFollowed: Bool) {
        defer { isAnnounced = operations > 0 }
        return (isAnnounced, operations > 0)
    }
}

// MARK: - Batches

extension CommitQueue {
    /// The entries of one transaction, in order.
    package struct Batch: Sendable {
        fileprivate let number: Int
        fileprivate let entries: [Entry]

        package var isEmpty: Bool { entries.isEmpty }

        package var submissions: [Submission] {
            entries.compactMap { if case .operation(let submission) = $0 { submission } else { nil } }
        }

        package var marks: [(mark: ReadMark, epoch: Epoch)] {
            entries.compactMap { if case .mark(let mark, let epoch) = $0 { (mark, epoch) } else { nil } }
        }

        /// The entries for the store, without the read marks of another history: they are revisions of that.
        ///
        /// - Parameter instant: returns the present instant of the store's time of a room; `nil` if it has none. The order of
        ///   the instants is that of the commits.
        package func entries(of now: Epoch, at instant: (RoomName) -> Milliseconds?) -> [BatchEntry] {
            entries.compactMap { entry in
                switch entry {
                case .operation(let submission):
                    var operation = submission.operation
                    if let instant = instant(submission.room) { operation.instant = instant }
                    return .operation(RoomOperation(room: submission.room, operation: operation))
                case .mark(let mark, let epoch): return epoch == now ? .mark(mark) : nil
                }
            }
        }

        func filter(_ isIncluded: (RoomName) -> Bool) -> Batch {
            Batch(number: number, entries: entries.filter { isIncluded($0.room) })
        }

        /// The entries of half of the rooms, and those of the others; `nil` when there is one room.
        var halves: [Batch]? {
            let rooms = Set(entries.map(\.room)).sorted()
            guard rooms.count > 1 else { return nil }
            let first = Set(rooms.prefix(rooms.count / 2))
            return [filter { first.contains($0) }, filter { !first.contains($0) }]
        }
    }
}

extension CommitQueue.Entry {
    fileprivate var room: RoomName {
        switch self {
        case .operation(let submission): submission.room
        case .mark(let mark, _): mark.room
        }
    }
}
