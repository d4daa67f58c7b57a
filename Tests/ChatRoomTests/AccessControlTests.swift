import ChatRoom
import ChatWire
import TestSupport
import Testing

/// The admission of readers to a room, and their removal.
struct AccessControlTests {
    private let bob = UserName("bob")!
    private let lobby = RoomName("lobby")!

    private func state() -> RoomState {
        RoomState(room: lobby, epoch: RoomWorld.epoch, limits: WireLimits(), isShared: true)
    }

    private func reading(at revision: Revision, _ standing: Standing = Standing()) -> RoomReading {
        RoomReading(
            revision: revision, count: 0, tail: [], changes: .none,
            rules: RoomRules(of: .open, standings: [bob: standing]))
    }

    /// A room in which bob follows both lists, at revision 3.
    private func followed(grant: Role = .write) -> RoomState {
        var state = state()
        let visitor = Visitor(user: bob, grant: grant, visit: 5)
        _ = state.handle(.subscribe(Reader(1), visitor, ref: 1, limit: 50, nil))
        _ = state.handle(.enter(Reader(1), visitor, .list(.members, ref: 2, nil)))
        _ = state.handle(.read(reading(at: 3)))
        return state
    }

    private func commit(_ standing: Standing, at revision: Revision, in state: inout RoomState) -> [RoomState.Effect] {
        let operation = Operation(
            command: .random(), author: UserName("ann")!, role: .own, time: 0, action: .moderate(.kick(bob)))
        let commits = state.handle(.operate(Reader(9), ref: 7, operation))
        guard case .commit(_, let ticket)? = commits.first else { return [] }
        let row = Message(
            id: .random(), section: .socket, sort: revision + 1, rev: revision + 1, author: bob, time: 0,
            content: "late")
        return state.handle(
            .committed([
                (ticket, .committed(revision, .ruled(.standing(bob, standing)))),
                (ticket + 1, .committed(revision + 1, .inserted(row, at: row.time))),
            ]))
    }

    /// Returns the lists that effects end, if they begin with those ends.
    private func ends(_ effects: [RoomState.Effect], _ why: ServerFrame.Ending.Why) -> Set<RoomList> {
        let ends = effects.prefix {
            guard case .end(Reader(1), _, visit: 5, let ending) = $0 else { return false }
            return ending.why == why
        }
        return Set(ends.compactMap { if case .end(_, let list, _, _) = $0 { list } else { nil } })
    }

    // MARK: - Rooms with many standings

    private func partial(at revision: Revision, _ standings: [UserName: Standing]) -> RoomReading {
        let named = standings.filter { $0.value != Standing() }
        let rules = RoomRules(RoomConfiguration(of: .open), standings: named, of: Set(standings.keys))
        return RoomReading(revision: revision, count: 0, tail: [], changes: .none, rules: rules)
    }

    /// Returns the users about whom the only read of some effects asks.
    private func asked(_ effects: [RoomState.Effect]) -> Set<UserName>? {
        let scopes = effects.compactMap { effect -> StandingScope? in
            if case .read(let query) = effect { query.standings } else { nil }
        }
        guard scopes.count == 1, case .upTo(256, or: let users) = scopes[0] else { return nil }
        return users
    }

    @Test func ofManyStandingsThoseOfTheVisitorsAreRead() {
        var state = state()
        let (ann, carl) = (UserName("ann")!, UserName("carl")!)
        func page(_ user: UserName, _ ref: UInt64) -> RoomState.Input {
            .enter(Reader(ref), Visitor(user: user, grant: .write), .page(ref: ref, .before(9), limit: 50))
        }

        #expect(asked(state.handle(page(ann, 1))) == [ann])
        let admitted = state.handle(.read(partial(at: 5, [ann: Standing()])))
        #expect(
            admitted == [.admit(Reader(1), Visitor(user: ann, grant: .write), .page(ref: 1, .before(9), limit: 50))])
        #expect(asked(state.handle(page(bob, 2))) == [bob])
        #expect(state.handle(page(carl, 3)) == [], "a read is under way")

        let turnedAway = state.handle(.read(partial(at: 5, [bob: Standing(isBanned: true)])))

        guard case .answer(Reader(2), .error(ref: 2, let error))? = turnedAway.first else {
            Issue.record("\(turnedAway)")
            return
        }
        #expect(error.code == .forbidden)
        #expect(asked(Array(turnedAway.dropFirst())) == [carl])
    }

    /// A reading that misses a later ban must not undo it, and nothing is published to a follower of whom nothing is known.
    @Test func nothingIsSentToAFollowerWhoseStandingIsUnknown() {
        var state = state()
        _ = state.handle(.subscribe(Reader(1), Visitor(user: bob, grant: .write, visit: 5), ref: 1, limit: 50, nil))
        _ = state.handle(.read(partial(at: 3, [bob: Standing()])))
        let query = state.handle(.announced(7))
        #expect(asked(query) == [bob])

        // The reading was made for others.
        let reading = RoomReading(
            revision: 7, count: 0, tail: [], changes: .all([]),
            rules: RoomRules(RoomConfiguration(of: .open), standings: [:], of: [UserName("ann")!]))
        #expect(asked(state.handle(.read(reading))) == [bob])

        let banned = RoomReading(
            revision: 7, count: 0, tail: [], changes: .all([]),
            rules: RoomRules(RoomConfiguration(of: .open), standings: [bob: Standing(isBanned: true)], of: [bob]))
        let effects = state.handle(.read(banned))
        #expect(ends(effects, .banned) == [.messages])
        #expect(!effects.contains { if case .publish = $0 { true } else { false } })
    }

    /// A page that was asked for before must not be sent then.
    @Test func aNewerReadingForOthersLeavesAStandingUnknown() {
        var state = state()
        let visitor = Visitor(user: bob, grant: .write)
        _ = state.handle(.enter(Reader(1), visitor, .page(ref: 1, .before(9), limit: 50)))
        _ = state.handle(.read(partial(at: 3, [bob: Standing()])))
        let wasKnown = state.knowsStanding(of: bob)
        _ = state.handle(.announced(4))

        _ = state.handle(.read(partial(at: 4, [UserName("ann")!: Standing()])))

        let isKnown = state.knowsStanding(of: bob)
        #expect(wasKnown && !isKnown)
    }

    @Test func anOlderReadingDoesNotUndoAChange() {
        var state = state()
        _ = state.handle(.subscribe(Reader(1), Visitor(user: bob, grant: .write, visit: 5), ref: 1, limit: 50, nil))
        _ = state.handle(.read(partial(at: 3, [bob: Standing()])))
        let carl = Visitor(user: UserName("carl")!, grant: .write)
        _ = state.handle(.enter(Reader(2), carl, .page(ref: 2, .before(9), limit: 50)))
        let ended = commit(Standing(isBanned: true), at: 4, in: &state)
        #expect(ends(ended, .banned) == [.messages])

        _ = state.handle(.read(partial(at: 3, [bob: Standing(), carl.user: Standing()])))

        let again = state.handle(
            .enter(Reader(1), Visitor(user: bob, grant: .write), .page(ref: 9, .before(9), limit: 50)))
        guard case .answer(Reader(1), .error(ref: 9, let error))? = again.first else {
            Issue.record("\(again)")
            return
        }
        #expect(error.code == .forbidden)
    }

    // MARK: - Rooms whose standings are all known

    @Test func rulesThatAreNotKnownLetNobodyIn() {
        var state = state()

        let effects = state.handle(.enter(Reader(1), .ann, .page(ref: 1, .before(9), limit: 50)))

        guard case .read? = effects.first, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
        #expect(
            state.handle(.read(reading(at: 0))) == [.admit(Reader(1), .ann, .page(ref: 1, .before(9), limit: 50))])
        #expect(state.isIdle == false, "the rules stay known until the page is answered")
        #expect(state.handle(.pageAnswered) == [])
        #expect(state.isIdle == true)
    }

    @Test(arguments: [
        (Role.none, Standing()), (.moderate, Standing(isBanned: true)), (.write, Standing(isBanned: true)),
    ])
    func whoMayNotReadIsTurnedAwayInTheSameWords(grant: Role, standing: Standing) {
        var state = state()
        let visitor = Visitor(user: bob, grant: grant, visit: 5)
        _ = state.handle(.subscribe(Reader(1), visitor, ref: 1, limit: 50, nil))
        _ = state.handle(.enter(Reader(1), visitor, .list(.members, ref: 2, nil)))
        _ = state.handle(.enter(Reader(1), visitor, .page(ref: 3, .before(9), limit: 50)))

        let error: WireError =
            standing.isBanned ? .shutOut(.read, from: lobby) : .notGranted(.read, in: lobby, .none)
        #expect(error.message == WireError.notGranted(.read, in: lobby, .none).message)
        #expect(
            state.handle(.read(reading(at: 3, standing))) == [
                .turnAway(Reader(1), .messages, visit: 5, ref: 1, error),
                .turnAway(Reader(1), .members, visit: 5, ref: 2, error),
                .answer(Reader(1), .error(ref: 3, error)),
            ])
        #expect(state.isIdle == true)
    }

    @Test(arguments: [Standing(kicked: 4), Standing(isBanned: true)])
    func whoIsPutOutIsGoneBeforeTheModeratorIsAnsweredAndAnythingIsPublished(standing: Standing) {
        var state = followed()

        let effects = commit(standing, at: 4, in: &state)

        #expect(ends(effects, standing.isBanned ? .banned : .kicked) == [.messages, .members])
        #expect(effects.count == 3)
        guard case .answer(Reader(9), .ok)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(state.isIdle == true)
    }

    @Test func anOwnerStays() {
        var state = followed(grant: .own)

        #expect(ends(commit(Standing(isBanned: true, kicked: 4), at: 4, in: &state), .banned).isEmpty)
        #expect(state.isIdle == false)
    }

    /// The room learns of another server's moderation by a reading.
    @Test(arguments: [Standing(kicked: 4), Standing(isBanned: true)])
    func whatAReadingTellsPutsOutToo(standing: Standing) {
        var state = followed()
        _ = state.handle(.announced(6))

        let effects = state.handle(.read(reading(at: 6, standing)))

        #expect(ends(effects, standing.isBanned ? .banned : .kicked) == [.messages, .members])
    }

    @Test func aReadingThatIsOlderThanTheRulesChangesNothing() {
        var state = followed(grant: .own)
        _ = commit(Standing(isBanned: true), at: 4, in: &state)
        _ = state.handle(.announced(9))

        // It also refutes the announcement of 9: from now on the room serves what it holds.
        _ = state.handle(.read(reading(at: 3)))
        let effects = state.handle(
            .subscribe(Reader(2), Visitor(user: bob, grant: .write), ref: 8, limit: 50, nil))

        let error = WireError.shutOut(.read, from: lobby)
        #expect(effects.contains(.turnAway(Reader(2), .messages, visit: 0, ref: 8, error)))
    }

    @Test func whoWasKickedMayComeBackAtOnce() {
        var state = followed()
        _ = commit(Standing(kicked: 4), at: 4, in: &state)

        _ = state.handle(.subscribe(Reader(1), Visitor(user: bob, grant: .write, visit: 6), ref: 3, limit: 50, nil))
        let effects = state.handle(.read(reading(at: 5, Standing(kicked: 4))))

        guard case .deliver(Reader(1), ref: 3, _)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(effects.count == 1)
    }

    @Test func whatIsNotTheUsualIsToldBeforeTheAnswerAndWhenItChanges() {
        var state = state()
        _ = state.handle(.subscribe(Reader(1), Visitor(user: bob, grant: .read), ref: 1, limit: 50, nil))

        let first = state.handle(.read(reading(at: 3)))
        #expect(first.first == .send(Reader(1), .standing(lobby, RoomStanding(role: .read))))
        let later = commit(Standing(role: .moderate), at: 4, in: &state)
        #expect(later.first == .send(Reader(1), .standing(lobby, RoomStanding(role: .moderate))))
    }

    /// The span that a client is told ends when the mute does, whatever the client's clock shows.
    @Test func aMuteIsToldAsTheRestOfIt() {
        var state = followed()
        state.advance(to: 10_000)
        let muted = commit(Standing(mutedUntil: 14_000), at: 4, in: &state)
        #expect(muted.first == .send(Reader(1), .standing(lobby, RoomStanding(mutedFor: 4_000))))

        state.advance(to: 13_000)
        #expect(comeBack(muted: 14_000, to: &state) == [RoomStanding(mutedFor: 1_000)])
        state.advance(to: 14_000)
        #expect(comeBack(muted: 14_000, to: &state) == [RoomStanding()])
        #expect(comeBack(muted: 14_000, to: &state) == [])
    }

    /// A server whose clock was put right tells a longer rest, as it is.
    @Test func aMuteIsToldAnewAfterTheClockWasSetBack() {
        var state = followed()
        state.advance(to: 10_000)
        _ = commit(Standing(mutedUntil: 14_000), at: 4, in: &state)

        state.advance(to: 2_000)
        #expect(comeBack(muted: 14_000, to: &state) == [RoomStanding(mutedFor: 12_000)])
    }

    /// Bob subscribes again on the same connection. Returns the rights that he is told.
    private func comeBack(muted end: Milliseconds, to state: inout RoomState) -> [RoomStanding] {
        let visitor = Visitor(user: bob, grant: .write, visit: 6)
        let effects =
            state.handle(.subscribe(Reader(1), visitor, ref: 3, limit: 50, nil))
            + state.handle(.read(reading(at: 5, Standing(mutedUntil: end))))
        return effects.compactMap { if case .send(_, .standing(_, let standing)) = $0 { standing } else { nil } }
    }
}
