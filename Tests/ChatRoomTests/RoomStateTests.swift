import ChatRoom
import ChatWire
import TestSupport
import Testing

struct RoomStateTests {
    /// Any interleaving of joins, resumes, lags, commands, commits and late readings leaves every reader at the room's
    /// revision with the room's rows. Every command is answered once, and nothing is read in vain.
    ///
    /// This also holds while the store trims the list's first rows, which only readings tell, and while other servers
    /// commit more at once than a reading has: no follower of the log misses a revision. False announcements of other
    /// servers do not cause endless reads.
    @Test(arguments: UInt64(0)..<1_000)
    func everyReaderEndsWhereTheRoomIs(seed: UInt64) {
        let troubles: [RoomWorld.Trouble] = [.none, .none, .trimming, .crowds, .rumours]
        let trouble = troubles[Int(seed / 200)]
        var world = RoomWorld(seed: seed, trouble)

        for _ in 0..<(trouble == .crowds ? 70 : 150) { world.step() }
        world.settle()

        #expect(world.complaints == [])
        #expect(world.unanswered.isEmpty)
        for (reader, replica) in world.attached {
            #expect(replica.revision == world.model.revision, "\(reader)")
            #expect(replica.rows == world.model.rows(in: replica.held, at: replica.revision), "\(reader)")
        }
        #expect(world.state.isIdle == world.attached.isEmpty)
    }

    /// A room of 20 revisions that one reader follows.
    private var followed: RoomWorld {
        var world = RoomWorld(seed: 7)
        for _ in 0..<20 { world.commitElsewhere() }
        world.perform(.subscribe(Reader(1), .ann, ref: 1, limit: 50, nil))
        world.settle()
        return world
    }

    /// A room without an allowance asks the store, but delivers nothing. With one, it serves one reader after the other.
    @Test
    func readersAreServedAsFarAsTheAllowanceReaches() {
        var world = RoomWorld(seed: 7)
        for _ in 0..<20 { world.commitElsewhere() }
        for number in UInt64(1)...3 {
            _ = world.state.handle(.subscribe(Reader(number), .ann, ref: number, limit: 50, nil), delivering: 0)
        }

        let nothing = world.state.handle(.read(world.model.reading(tail: 64, since: nil)), delivering: 0)
        let steps = (0..<3).map { _ in
            (isServing: world.state.isServing, effects: world.state.handle(.proceed, delivering: 1))
        }

        #expect(nothing == [])
        #expect(steps.map(\.isServing) == [true, true, true] && !world.state.isServing)
        for (number, step) in zip(UInt64(1)..., steps) {
            guard case .deliver(Reader(number), ref: number, .snapshot) = step.effects.first, step.effects.count == 1
            else {
                Issue.record("\(step)")
                continue
            }
        }
    }

    /// However often a reader asks, it is owed one delivery.
    @Test
    func aSubscribeBeforeTheAnswerReplacesTheOneBefore() {
        var world = RoomWorld(seed: 7)
        world.commitElsewhere()
        _ = world.state.handle(.subscribe(Reader(1), .ann, ref: 1, limit: 50, nil))

        let second = world.state.handle(.subscribe(Reader(1), .ann, ref: 2, limit: 40, nil))
        let answers = world.state.handle(.read(world.model.reading(tail: 64, since: nil)))

        guard case .answer(Reader(1), .error(ref: 1, let error)) = second.first else {
            Issue.record("\(second)")
            return
        }
        #expect(error.code == .conflict && second.count == 1)
        guard case .deliver(Reader(1), ref: 2, .snapshot) = answers.first, answers.count == 1 else {
            Issue.record("\(answers)")
            return
        }
    }

    /// The report that a reader fell off the log may arrive after it has subscribed again.
    @Test
    func aReaderThatWasBroughtBackIsNotBehindAnyMore() {
        var world = followed

        let effects = world.state.handle(.behind(Reader(1), world.model.revision - 1))

        #expect(effects == [])
    }

    /// A reader that fell behind subscribes again while the store is asked for its rows: it needs those no more.
    @Test
    func aReaderThatSubscribesAgainIsNotBroughtBackFromWhereItFell() {
        var world = followed
        let revision = world.model.revision
        for _ in 0..<400 { world.commitElsewhere() }
        _ = world.state.handle(.announced(world.model.revision))
        _ = world.state.handle(.read(world.model.reading(tail: 128, since: nil)))
        let fallen = world.state.handle(.behind(Reader(1), revision))
        guard case .readHeld(let query, let ticket, for: Reader(1)) = fallen.first else {
            Issue.record("\(fallen)")
            return
        }

        let again = world.state.handle(.subscribe(Reader(1), .ann, ref: 2, limit: 50, nil))
        let late = world.state.handle(.held(ticket, .success(world.model.held(query, vouchingFor: [0...revision]))))

        guard case .deliver(Reader(1), ref: 2, .snapshot) = again.first else {
            Issue.record("\(again)")
            return
        }
        #expect(late == [])
    }

    @Test
    func aResumeFromWhereTheRoomIsGetsAnEmptyDiff() {
        var world = followed
        let revision = world.model.revision

        let resume = Resume(epoch: RoomWorld.epoch, revision: revision, joined: 3)
        let effects = world.state.handle(.subscribe(Reader(2), .ann, ref: 2, limit: 50, resume))

        guard case .deliver(Reader(2), ref: 2, .diff(let diff, joined: 3)) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(diff.changeCount == 0 && diff.from == revision && diff.to == revision)
    }

    @Test
    func aRevisionFromTheFutureGetsASnapshotThatSaysSo() {
        #expect(reason(Resume(epoch: RoomWorld.epoch, revision: 1_000, joined: 0)) == .future)
    }

    @Test
    func anotherEpochGetsASnapshotThatSaysSo() {
        #expect(reason(Resume(epoch: Epoch("other")!, revision: 3, joined: 3)) == .epoch)
    }

    @Test
    func whoMissedMoreThanTheLimitIsToldOfTheGap() {
        var world = RoomWorld(seed: 3)
        for _ in 0..<400 { world.commitElsewhere() }
        let resume = Resume(epoch: RoomWorld.epoch, revision: 3, joined: 0, ranges: [0...3])
        _ = world.state.handle(.subscribe(Reader(1), .ann, ref: 1, limit: 32, resume))

        let effects = world.state.handle(.read(world.model.reading(tail: 64, since: nil)))
        guard case .readHeld(let query, let ticket, for: Reader(1)) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        let reading = world.model.held(query, vouchingFor: [0...3])
        let answer = world.state.handle(.held(ticket, .success(reading)))

        guard case .deliver(Reader(1), ref: 1, .diff(let diff, joined: 0)) = answer.first else {
            Issue.record("\(answer)")
            return
        }
        #expect(diff.insertions == world.model.rows.suffix(32))
        #expect(diff.ranges?.map(\.keys) == [0...3, diff.insertions[0].sort...(.max)])
    }

    /// However much is deleted elsewhere in the room, it costs a returning reader nothing.
    @Test
    func whoReturnsIsNotToldOfDeletionsThatItDidNotHold() {
        var world = RoomWorld(seed: 3)
        for _ in 0..<400 { world.commitElsewhere() }
        world.perform(.subscribe(Reader(1), .ann, ref: 1, limit: 50, nil))
        world.settle()
        let (revision, rows) = (world.model.revision, world.model.rows)
        for row in [rows[0], rows[rows.count - 1]] {
            let delete = Operation(
                command: .random(), author: row.author, role: .write, time: 0, action: .delete(row.id))
            world.perform(.operate(Reader(0), ref: 2, delete))
        }
        world.settle()

        let held = [rows[rows.count - 40].sort...revision]
        let resume = Resume(epoch: RoomWorld.epoch, revision: revision, joined: 0, ranges: held)
        let effects = world.state.handle(.subscribe(Reader(2), .ann, ref: 3, limit: 50, resume))

        guard case .deliver(Reader(2), ref: 3, .diff(let diff, joined: 0)) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(diff.deletions == [rows[rows.count - 1].id])
    }

    @Test
    func aStoreThatCannotBeReadIsSaidToWhoAsked() {
        var world = RoomWorld(seed: 1)
        _ = world.state.handle(.subscribe(Reader(1), .ann, ref: 9, limit: 50, nil))
        let error = WireError(.storeDown, "no")

        #expect(world.state.handle(.readFailed(error)) == [.answer(Reader(1), .error(ref: 9, error))])
        #expect(world.state.isIdle == true)
    }

    @Test
    func aFailedCommitIsSaidToWhoAskedAndChangesNothing() {
        var world = RoomWorld(seed: 1)
        let operation = Operation(
            command: .random(), author: UserName("ann")!, role: .write, time: 0, action: .send("a"))
        let error = WireError(.storeDown, "full")

        #expect(world.state.handle(.operate(Reader(1), ref: 4, operation)) == [.commit(operation, 1)])
        #expect(world.state.handle(.commitFailed([1], error)) == [.answer(Reader(1), .error(ref: 4, error))])
        #expect(world.state.isIdle == true)
    }

    /// The store's count of a room's rows may be wrong. Servers still compare the room, and it answers.
    @Test
    func aCountThatIsTooLowEndsNothing() {
        var world = RoomWorld(seed: 3)
        let rows = (1...100).map { Message.plain($0) }
        _ = world.state.handle(.subscribe(Reader(1), .ann, ref: 1, limit: 50, nil))
        let reading = RoomReading(
            revision: 127, count: 64, tail: rows.suffix(64), changes: .none, rules: RoomRules(of: .open))
        _ = world.state.handle(.read(reading))

        var compared: [Revision] = []
        for (row, revision) in zip(rows.reversed(), Revision(128)...192) {
            let effects = world.state.handle(
                .committed([(ticket: 9, outcome: .committed(revision, .deleted(row.id, sort: row.sort)))]))
            for case .compare(let revision, _) in effects { compared.append(revision) }
        }

        #expect(compared == [128, 192])
    }

    private func reason(_ resume: Resume, limit: Int = 50, operations: Int = 20) -> ServerFrame.SnapshotReason? {
        var world = RoomWorld(seed: 3)
        for _ in 0..<operations { world.commitElsewhere() }
        world.perform(.subscribe(Reader(1), .ann, ref: 1, limit: limit, resume))
        world.settle()
        return world.lastReason
    }
}

extension Message {
    fileprivate static func plain(_ number: Int) -> Message {
        Message(
            id: MessageID(high: 0, low: UInt64(number)), section: .socket, sort: UInt64(number), rev: UInt64(number),
            author: UserName("ann")!, time: 0, content: "\(number)")
    }
}
