import ChatRoom
import ChatWire
import RoomStore

// What servers ask of the disk, and how it fails.

extension World {
    /// Commits a server's operations and read marks.
    ///
    /// - Returns: the outcomes of the operations.
    func commit(_ batch: [BatchEntry], on disk: Disk) throws(RoomStoreError) -> [CommitOutcome] {
        try requireWriting(batch.operations)
        var operations = batch.operations
        swap(&operations, on: disk)
        let batch = batch.with(operations)
        var outcomes = rewritten(
            try disk.commit(batch.with(mistaken(operations, on: disk)), at: clock.now), of: operations, on: disk)
        if strikes(.earlyPublication) {
            clock.after(3_000) { [self, outcomes] in check(batch, outcomes, on: disk) }
        } else {
            check(batch, outcomes, on: disk)
        }
        falsify(&outcomes)
        return outcomes
    }

    /// Commits operations of another server, or what nobody hears the outcome of.
    func commitUnheard(_ batch: [BatchEntry], on disk: Disk) {
        let batch = batch.with(timed(batch.operations, on: disk))
        do throws(RoomStoreError) {
            try requireWriting(batch.operations)
            let outcomes = try disk.commit(batch.with(mistaken(batch.operations, on: disk)), at: clock.now)
            check(batch, outcomes, on: disk)
        } catch {
            tell("the disk fails: \(error)")
        }
    }

    /// Commits several operations of other servers to one room in one transaction: nobody sees a part of it.
    func commitUnseen(_ operations: [Operation], to room: RoomName) {
        do throws(RoomStoreError) {
            let batch = timed(operations.map { RoomOperation(room: room, operation: $0) }, on: disk)
            try requireWriting(batch)
            let outcomes = try disk.commit(batch.map { .operation($0) }, at: clock.now)
            check(disk.confirmUnseen(batch.map(\.operation), for: room, at: clock.now), against: outcomes)
        } catch {
            tell("the disk fails: \(error)")
        }
    }

    /// The instant of the store's time, which does not follow the servers' clock when it jumps.
    func instant(on disk: Disk) -> Milliseconds { disk.instant(at: timeOfDay, elapsed: clock.now) }

    /// Returns operations as they are committed now.
    func timed(_ operations: [RoomOperation], on disk: Disk) -> [RoomOperation] {
        operations.map { entry in
            var operation = entry.operation
            operation.instant = instant(on: disk)
            return RoomOperation(room: entry.room, operation: operation)
        }
    }

    private func requireWriting(_ batch: [RoomOperation]) throws(RoomStoreError) {
        guard clock.now < max(failsUntil, readOnlyUntil) else { return }
        postpone(batch.map(\.operation))
        if clock.now < failsUntil { throw .full("the disk is full") }
        throw .readOnly("the disk is read-only")
    }

    /// They need not stand in the order in which they were given, nor come to what their author was told first.
    func postpone(_ operations: [Operation]) {
        postponed.formUnion(operations.map(\.command))
    }

    private func check(_ batch: [BatchEntry], _ outcomes: [CommitOutcome], on disk: Disk) {
        check(disk.confirm(batch, at: clock.now), against: outcomes)
        for room in allRooms { if let confusion = disk.truth(of: room).confusion { complain(confusion) } }
        for (entry, outcome) in zip(batch.operations, outcomes) {
            if case .refused = outcome { refused.insert(entry.operation.command) }
            if outcome.isPassing || misses(postponed, outcome) { postponed.insert(entry.operation.command) }
        }
    }

    /// True if a command found no message because that was not sent yet: the network may repeat both.
    private func misses(_ postponed: Set<CommandID>, _ outcome: CommitOutcome) -> Bool {
        if case .refused(.notFound(let message)) = outcome { postponed.contains(message) } else { false }
    }

    /// For how long commits hang yet, if they do.
    var commitsHang: Milliseconds? { clock.now < hangsUntil ? hangsUntil - clock.now : nil }

    /// The time that a server waits for one.
    var commitDeadline: Milliseconds { 3_000 }

    /// Returns the revisions at which lists begin later, of those that do.
    func trim(_ disk: Disk, to count: Int) -> [RoomName: Revision] {
        guard clock.now >= max(failsUntil, readOnlyUntil, hangsUntil) else { return [:] }
        return (try? disk.trim(.init(count: count)))?.shortened ?? [:]
    }

    func read(_ query: RoomState.Query, of room: RoomName, on disk: Disk) throws(RoomStoreError) -> RoomReading {
        try requireReading()
        return falsified(try disk.read(room, query))
    }

    func page(
        _ place: PagePlace, limit: Int, of room: RoomName, for user: UserName, on disk: Disk
    ) throws(RoomStoreError) -> (ListPage<Message>?, Standing) {
        try requireReading()
        return (try disk.page(room, place, limit: limit), try disk.standing(of: user, in: room))
    }

    func rows(at sorts: [UInt64], of room: RoomName, on disk: Disk) throws(RoomStoreError) -> ListPage<Message> {
        try requireReading()
        return try disk.rows(at: sorts, in: room)
    }

    func memberships(
        of user: UserName, in rooms: [RoomName], on disk: Disk
    ) throws(RoomStoreError) -> [MembershipReading] {
        try requireReading()
        return try disk.memberships(of: user, in: rooms).map { falsified($0, on: disk) }
    }

    func places(of user: UserName, on disk: Disk) throws(RoomStoreError) -> [MembershipPlace] {
        try requireReading()
        return try disk.places(of: user)
    }

    func memberships(
        of users: [UserName], in room: RoomName, on disk: Disk
    ) throws(RoomStoreError) -> [UserName: MembershipReading] {
        try requireReading()
        return try disk.memberships(of: users, in: room).mapValues { falsified($0, on: disk) }
    }

    func members(_ query: MembersQuery, of room: RoomName, on disk: Disk) throws(RoomStoreError) -> MembersReading {
        try requireReading()
        return try disk.members(query, of: room)
    }

    func mentions(
        of user: UserName, in rooms: [RoomName], on disk: Disk
    ) throws(RoomStoreError) -> [MentionReading] {
        try requireReading()
        return falsified(try disk.mentions(of: user, in: rooms), of: user, in: rooms, on: disk)
    }

    func held(_ query: HeldQuery, in room: RoomName, on disk: Disk) throws(RoomStoreError) -> HeldReading {
        try requireReading()
        return falsified(try disk.held(query, in: room))
    }

    /// `nil` while nothing can be read.
    func head(of room: RoomName, on disk: Disk) -> Revision? {
        clock.now < failsUntil ? nil : try? disk.head(of: room)
    }

    private func requireReading() throws(RoomStoreError) {
        guard clock.now >= failsUntil else { throw .unavailable("the disk does not answer") }
    }
}

extension [BatchEntry] {
    var operations: [RoomOperation] {
        compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
    }

    /// Returns the batch with other operations in the places of its own.
    fileprivate func with(_ operations: [RoomOperation]) -> [BatchEntry] {
        var rest = operations[...]
        return map { if case .operation = $0 { .operation(rest.removeFirst()) } else { $0 } }
    }
}

extension CommitOutcome {
    /// Refused by the rules of the moment: said again, by the network too, it may be taken.
    fileprivate var isPassing: Bool {
        switch self {
        case .refused(.notGranted), .refused(.shutOut), .refused(.muted), .refused(.readOnly), .refused(.tooSoon),
            .refused(.full), .refused(.notMember), .refused(.onlyInvited),
            .refused(.notPinned):
            true
        case .committed, .repeated, .conflict, .refused: false
        }
    }
}
