package import ChatRoom
package import ChatWire
package import RoomStore

/// An operation on its way to the disk, with whatever leads back to who waits for its outcome.
package protocol CommitSubmission: Sendable {
    var room: RoomName { get }
    var operation: Operation { get }
}

/// The operations and read marks that wait for the disk, in order, and the decision what goes when.
///
/// It has no thread, clock or store: its owner does what the methods return.
package struct CommitQueue<Submission: CommitSubmission>: Sendable {
    /// An operation or a read mark. Their order counts: settings may take a mark back.
    package enum Entry: Sendable {
        case operation(Submission)
        case mark(ReadMark, Epoch)
    }

    /// Somebody who reads a room.
    private struct Reading: Hashable, Sendable {
        let room: RoomName
        let user: UserName
    }

    private let limits: CommitLimits
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
    private var isCommitting = false
    /// True when the last transaction said that another one follows.
    private var isAnnounced = false
    /// True when a transaction for the marks alone is planned.
    private var isMarking = false
    /// True when a start is planned.
    private var isStarting = false

    package init(limits: CommitLimits) {
        self.limits = limits
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
            let people = submission.operation.members(in: submission.room.kind)
            for user in people { places[Reading(room: submission.room, user: user)] = nil }
            entries.append(.operation(submission))
            operations += 1
            bytes += size
        }
        return (submissions.count, bytes - before)
    }

    /// Adds read marks. They go with the operations that come next, or by themselves after a pause. Marks beyond the limit are
    /// dropped: the person's next mark in the room makes up for them.
    ///
    /// - Returns: true when the owner must call ``takeMarks()`` after the pause.
    package mutating func add(_ marks: [(mark: ReadMark, epoch: Epoch)]) -> Bool {
        for (mark, epoch) in marks { add(mark, epoch) }
        defer { isMarking = true }
        return !isMarking
    }

    private mutating func add(_ mark: ReadMark, _ epoch: Epoch) {
        let reading = Reading(room: mark.room, user: mark.user)
        if let place = places[reading], case .mark(let earlier, epoch) = entries[place - gone] {
            if earlier.revision < mark.revision { entries[place - gone] = .mark(mark, epoch) }
        } else if entries.count - operations < limits.marks {
            places[reading] = gone + entries.count
            entries.append(.mark(mark, epoch))
        }
    }

    /// Some operations have their outcomes, and wait no longer.
    package mutating func release(_ bytes: Int) {
        self.bytes -= bytes
    }
}

// MARK: - Out

extension CommitQueue {
    /// All has been added that came together.
    ///
    /// - Returns: true when the owner must begin to commit what ``next(atMost:)`` returns, until there is nothing more.
    package mutating func start() -> Bool {
        isReady = operations > 0
        guard isReady, !isCommitting else { return false }
        isCommitting = true
        return true
    }

    /// More may come that belongs together.
    ///
    /// - Returns: true when the owner must call ``startPlanned()`` after ``CommitLimits/patience``.
    package mutating func startSoon() -> Bool {
        guard operations > 0, !isReady, !isStarting else { return false }
        isStarting = true
        return true
    }

    /// As ``start()``.
    package mutating func startPlanned() -> Bool {
        isStarting = false
        return start()
    }

    /// Takes the first operations, at most so many entries, with the read marks between and behind them.
    package mutating func next(atMost limit: Int) -> Batch? {
        guard isReady, operations > 0 else {
            isCommitting = false
            return nil
        }
        defer { isReady = operations > 0 }
        return Batch(entries: take(limit) + takeFirstMarks())
    }

    /// Takes the read marks that are before all operations.
    package mutating func takeMarks() -> Batch {
        isMarking = false
        return Batch(entries: takeFirstMarks())
    }

    private mutating func takeFirstMarks() -> [Entry] {
        take(entries.prefix { if case .mark = $0 { true } else { false } }.count)
    }

    private mutating func take(_ count: Int) -> [Entry] {
        let taken = Array(entries.prefix(count))
        entries.removeFirst(taken.count)
        gone += taken.count
        for entry in taken {
            switch entry {
            case .operation: operations -= 1
            case .mark(let mark, _):
                let reading = Reading(room: mark.room, user: mark.user)
                if let place = places[reading], place < gone { places[reading] = nil }
            }
        }
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
        fileprivate let entries: [Entry]

        package var isEmpty: Bool { entries.isEmpty }

        package var submissions: [Submission] {
            entries.compactMap { if case .operation(let submission) = $0 { submission } else { nil } }
        }

        package var marks: [(mark: ReadMark, epoch: Epoch)] {
            entries.compactMap { if case .mark(let mark, let epoch) = $0 { (mark, epoch) } else { nil } }
        }

        /// The entries for the store, without the read marks of another history: they are revisions of that.
        package func entries(of now: Epoch) -> [BatchEntry] {
            entries.compactMap { entry in
                switch entry {
                case .operation(let submission):
                    .operation(RoomOperation(room: submission.room, operation: submission.operation))
                case .mark(let mark, let epoch): epoch == now ? .mark(mark) : nil
                }
            }
        }

        func filter(_ isIncluded: (RoomName) -> Bool) -> Batch {
            Batch(entries: entries.filter { isIncluded($0.room) })
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
