import ChatRoom
import ChatWire
import RoomStore
import SQLiteStore
import TestSupport

/// The data that survives a server: the operations, and a store of the rows that they lead to.
///
/// A restart does it anew in an ``InMemoryStore``, so that nothing survives in another way, and opens a file anew.
final class Disk {
    enum Kind { case memory, file }

    /// Each is of a later history than those with lower numbers.
    let number: Int
    let epoch: Epoch
    private let limits: WireLimits
    private let kind: Kind
    /// The store, once something was asked of it, and the folder of its file, if it has one.
    private var opened: (any RoomStore)?
    private var folder: TemporaryFolder?
    private(set) var log: [Deed] = []
    /// The store's time, once something was asked of it, and what the disk has of it.
    private var time: StoreTime?
    private var lead: Milliseconds = 0
    private var latest: Milliseconds = 0
    /// The operations that the world may know.
    private var truths: [RoomName: Truth] = [:]

    enum Deed {
        /// - Parameter at: the world's own time.
        case operation(RoomOperation, at: Milliseconds)
        case trimming(Trim)
        case mark(ReadMark)

        var operation: RoomOperation? {
            if case .operation(let operation, _) = self { operation } else { nil }
        }
    }

    /// One step of a pass over the rooms.
    struct Trim {
        /// The number of rows that each list keeps; `nil` for all.
        let count: Int?
        /// The time before which operations are forgotten; no age, because the servers' clocks jump.
        var time: Milliseconds = 0
        /// The last room of the step before.
        var room: RoomName?
    }

    init(_ number: Int, limits: WireLimits, _ kind: Kind) {
        self.number = number
        epoch = Epoch("disk \(number)")!
        self.limits = limits
        self.kind = kind
    }

    /// Returns the instant of the store's time.
    func instant(at time: Milliseconds, elapsed: Milliseconds) -> Milliseconds {
        var clock = self.time ?? StoreTime(at: time, elapsed: elapsed, lead: lead, after: latest)
        defer { self.time = clock }
        return clock.instant(elapsed: elapsed)
    }

    private func note(_ operation: Operation) {
        latest = max(latest, operation.instant)
        lead = operation.instant - operation.time
    }

    private func store() throws(RoomStoreError) -> any RoomStore {
        if let opened { return opened }
        let store: any RoomStore
        switch kind {
        case .memory: store = InMemoryStore(limits: limits)
        case .file:
            let folder = folder ?? TemporaryFolder()
            self.folder = folder
            store = try SQLiteStore(path: folder.file("rooms.db"), limits: limits)
        }
        opened = store
        return store
    }

    func truth(of room: RoomName) -> Truth { truths[room] ?? Truth(of: room.kind) }

    /// Carries out a batch; it is durable when ``confirm(_:at:)`` has been told.
    ///
    /// - Parameter now: the world's own time.
    @discardableResult
    func commit(_ batch: [BatchEntry], at now: Milliseconds) throws(RoomStoreError) -> [CommitOutcome] {
        let outcomes = try store().commit(inOrder: batch)
        var rest = outcomes[...]
        for entry in batch {
            switch entry {
            case .operation(let operation):
                note(operation.operation)
                if case .committed = rest.removeFirst() { log.append(.operation(operation, at: now)) }
            case .mark(let mark): log.append(.mark(mark))
            }
        }
        return outcomes
    }

    /// - Returns: what should have come out.
    func confirm(_ batch: [BatchEntry], at now: Milliseconds) -> [CommitOutcome] {
        batch.compactMap { entry in
            switch entry {
            case .operation(let entry):
                return truths[entry.room, default: Truth(of: entry.room.kind)]
                    .commit(entry.operation, limits: limits, at: now)
            case .mark(let mark):
                truths[mark.room, default: Truth(of: mark.room.kind)].mark(mark.user, upTo: mark.revision)
                return nil
            }
        }
    }

    /// The same for a batch for one room, of which nobody can see more than the end.
    func confirmUnseen(_ operations: [Operation], for room: RoomName, at now: Milliseconds) -> [CommitOutcome] {
        defer { truths[room]?.reveal() }
        return operations.map { operation in
            truths[room, default: Truth(of: room.kind)].commitUnseen(operation, limits: limits, at: now)
        }
    }

    /// Reads a room, and holds the store to the standings that were asked for: all of them if they are few, and else those of
    /// the people asked for, each as it is in the whole rules of the same moment.
    func read(_ room: RoomName, _ query: RoomState.Query) throws(RoomStoreError) -> RoomReading {
        let store = try store()
        let reading = try store.soundReading(
            of: room, tail: query.tail, since: query.since, atMost: query.atMost, standings: query.standings)
        let all = try store.read(room, tail: 0, since: nil, atMost: 0).rules.standings
        switch query.standings {
        case .all: precondition(reading.rules.standings == all, "of all standings some are missing")
        case .upTo(let few, or: let users):
            let scope = all.count > few ? users : nil
            let found = scope.map { scope in all.filter { scope.contains($0.key) } } ?? all
            precondition(reading.rules.scope == scope, "\(all.count) standings, and up to \(few) are few")
            precondition(reading.rules.standings == found, "the standings that were read are not those of the room")
        }
        return reading
    }

    func memberships(of user: UserName) throws(RoomStoreError) -> [MembershipReading] {
        try store().memberships(of: user)
    }

    func memberships(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MembershipReading] {
        try store().memberships(of: user, in: rooms)
    }

    func places(of user: UserName) throws(RoomStoreError) -> [MembershipPlace] {
        try store().places(of: user)
    }

    func memberships(
        of users: [UserName], in room: RoomName
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try store().memberships(of: users, in: room)
    }

    func members(_ query: MembersQuery, of room: RoomName) throws(RoomStoreError) -> MembersReading {
        try store().members(query, of: room)
    }

    func mentions(of user: UserName, in rooms: [RoomName]) throws(RoomStoreError) -> [MentionReading] {
        try store().mentions(of: user, in: rooms, before: nil, limit: MentionList.most)
    }

    func page(_ room: RoomName, _ place: PagePlace, limit: Int) throws(RoomStoreError) -> ListPage<Message>? {
        try store().page(room, place, limit: limit)
    }

    func rows(at sorts: [UInt64], in room: RoomName) throws(RoomStoreError) -> ListPage<Message> {
        try store().rows(at: sorts, in: room)
    }

    func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing {
        try store().standing(of: user, in: room)
    }

    func held(_ query: HeldQuery, in room: RoomName) throws(RoomStoreError) -> HeldReading {
        try store().soundHeld(query, in: room)
    }

    /// The revision of a room.
    func head(of room: RoomName) throws(RoomStoreError) -> Revision {
        try store().read(room, tail: 0, since: nil, atMost: 0).revision
    }

    /// In what the store differs from what it should hold of a room.
    func deviation(of room: RoomName) -> String? {
        guard let held = try? store().read(room, tail: .max, since: nil, atMost: 0) else { return "the disk is dead" }
        let truth = truth(of: room)
        return held.revision == truth.revision && held.tail.elementsEqual(truth.rows)
            ? nil : "the disk is at \(held.revision) of room \(room), must be at \(truth.revision)"
    }

    /// Lets go of the lists' first rows, and of what happened long ago; returns where the next step goes on, and the
    /// revisions at which lists begin later, of those that do.
    func trim(_ trim: Trim) throws(RoomStoreError) -> Trimming {
        let trimming = try carryOut(trim)
        if !trimming.shortened.isEmpty || trim.time > 0 { log.append(.trimming(trim)) }
        for room in trimming.shortened.keys { truths[room, default: Truth(of: room.kind)].trim(to: trim.count ?? .max) }
        return trimming
    }

    private func carryOut(_ trim: Trim) throws(RoomStoreError) -> Trimming {
        let retention = Retention(.init(messages: trim.count))
        return try store().trim(retention, part: 0, after: trim.room, at: trim.time + retention.resumeTime)
    }
}

// MARK: - Restarts, and lost histories

extension Disk {
    /// Reads everything again, as a server that starts does.
    ///
    /// - Parameter lost: how many of the last operations, and what was trimmed since them, are not there any more. What
    ///   is trimmed without them would be trimmed again.
    func restart(losing lost: Int = 0) throws(RoomStoreError) {
        log.removeSubrange(end(losing: lost)...)
        opened = nil
        time = nil
        for room in truths.keys { truths[room]?.forgetMutes() }
        if lost == 0, case .file = kind { return }
        folder = nil
        for deed in log {
            switch deed {
            case .operation(let operation, _): _ = try store().commit([operation])
            case .trimming(let trim): _ = try carryOut(trim)
            case .mark(let mark): _ = try store().commit([], marking: [mark])
            }
        }
    }

    /// A standby takes over, which lacks the last operations: that is another history, of which nobody saw the beginning.
    func fork(_ number: Int, losing lost: Int) throws(RoomStoreError) -> Disk {
        let fork = Disk(number, limits: limits, kind)
        (fork.time, fork.latest, fork.lead) = (time, latest, lead)
        for deed in log[..<end(losing: lost)] {
            switch deed {
            case .operation(let operation, let time):
                try fork.commit([.operation(operation)], at: time)
                _ = fork.truths[operation.room, default: Truth(of: operation.room.kind)]
                    .commitUnseen(operation.operation, limits: limits, at: time)
            case .trimming(let trim):
                _ = try fork.trim(trim)
            case .mark(let mark):
                try fork.commit([.mark(mark)], at: 0)
                _ = fork.confirm([.mark(mark)], at: 0)
            }
        }
        for room in fork.truths.keys { fork.truths[room]?.reveal() }
        return fork
    }

    /// The operations that a later history does not have.
    func operations(notIn later: Disk) -> [RoomOperation] {
        log.dropFirst(later.log.count).compactMap(\.operation)
    }

    /// Where the log ends without so many of its last operations.
    private func end(losing lost: Int) -> Int {
        let operations = log.indices.filter { log[$0].operation != nil }
        return lost == 0 ? log.count : operations.suffix(lost).first ?? log.count
    }
}
