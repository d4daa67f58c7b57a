import ChatClient
import ChatWire
import Replicas
import Testing

@Suite struct FollowingTests {
    typealias Probe = SessionProbe

    @Test func aRoomOpenedBeforeTheWelcomeIsSubscribedThen() {
        var probe = Probe.greeting()

        #expect(probe.tell(.open(Probe.room, limit: 50)) == [])
        #expect(
            probe.tell(.received(.welcome(ref: 1, probe.welcome)))
                == [.state(.online(probe.welcome)), .send(2, .subscribe(Probe.list, limit: 50, resume: nil))])
    }

    @Test func theWindowAskedForIsOneTheServerTakes() {
        var probe = Probe.ready()
        #expect(
            probe.tell(.open(Probe.room, limit: 1))
                == [.send(2, .subscribe(Probe.list, limit: ListDigest.window, resume: nil))])

        var greedy = Probe.ready()
        #expect(
            greedy.tell(.open(Probe.room, limit: 10_000))
                == [.send(2, .subscribe(Probe.list, limit: greedy.limits.rows, resume: nil))])
    }

    /// A moderator's command takes a revision and changes no row.
    @Test func aDiffWithoutRowsIsToldForItsRevision() {
        var probe = Probe.live()
        let rows = (1...3).map { Probe.message(UInt64($0)) }
        let diff = ListDiff<Message>(from: 3, to: 4, insertions: [], proof: Probe.proof(rows))

        let seen = probe.tell(.received(.diff(ref: nil, Probe.list, Probe.epoch, diff)))

        #expect(seen == [.changed(.live, inserted: [], deleted: [])])
        #expect(probe.session.view(of: Probe.room)?.revision == 4)
    }

    @Test func aSnapshotIsTheFirstStateAndDiffsFollow() {
        var probe = Probe.ready()
        probe.tell(.open(Probe.room, limit: 50))

        let first = probe.tell(.received(Probe.snapshot(ref: 2, of: 1...3)))
        let next = probe.tell(.received(Probe.news(4)))

        #expect(first == [.changed(.snapshot(.fresh), inserted: (1...3).map(Probe.id), deleted: [])])
        #expect(next == [.changed(.live, inserted: [Probe.id(4)], deleted: [])])
        #expect(probe.session.view(of: Probe.room)?.messages.map(\.sort) == [1, 2, 3, 4])
    }

    @Test func aDuplicateChangesNothing() {
        var probe = Probe.live()
        probe.tell(.received(Probe.news(4)))

        #expect(probe.tell(.received(Probe.news(4))) == [])
    }

    @Test func aGapIsResumedFromWhereWeAre() {
        var probe = Probe.live()
        let resume = Resume(epoch: Probe.epoch, revision: 3, joined: 3, ranges: [0...3])

        #expect(
            probe.tell(.received(Probe.news(5)))
                == [
                    .notice(.resynchronizing(Probe.list, .gap(held: 3, from: 4))),
                    .send(3, .subscribe(Probe.list, limit: 50, resume: resume)),
                ])
        #expect(probe.tell(.received(Probe.news(6))) == [])  // of the time before the answer
        #expect(
            probe.tell(.received(Probe.news(6, ref: 3, from: 3)))
                == [.changed(.caughtUp, inserted: [4, 5, 6].map(Probe.id), deleted: [])])
    }

    /// A server does not tell the usual rights when somebody comes back, so those told before are over then.
    @Test func rightsThatAreNotToldAfterACutAreTheUsualOnes() {
        let owner = RoomStanding(role: .own, title: RoomTitle("Plans"))
        var untold = Probe.live()
        #expect(untold.tell(.received(.standing(Probe.room, owner))) == [.notice(.standing(Probe.room, owner))])
        untold.tell(.disconnected(.silent))
        _ = untold.tick(at: 1_000)
        untold.tell(.connected, .received(.welcome(ref: 3, untold.welcome)))
        var told = untold
        told.tell(.received(.standing(Probe.room, owner)))

        let back = ServerFrame.diff(
            ref: 4, Probe.list, Probe.epoch,
            ListDiff<Message>(from: 3, to: 3, proof: Probe.proof((1...3).map { Probe.message($0) })))
        #expect(!told.tell(.received(back)).contains(.notice(.standing(Probe.room, RoomStanding()))))
        #expect(untold.tell(.received(back)).contains(.notice(.standing(Probe.room, RoomStanding()))))
    }

    @Test func aScreenThatComesLaterGetsTheRestOfAMute() {
        var probe = Probe.live()
        probe.tell(.received(.standing(Probe.room, RoomStanding(mutedFor: 5_000))))
        _ = probe.tick(at: 1_500)

        #expect(probe.session.standings == [.standing(Probe.room, RoomStanding(mutedFor: 3_500))])
        _ = probe.tick(at: 6_000)
        #expect(probe.session.standings == [.standing(Probe.room, RoomStanding())])
    }

    @Test func aDigestThatDiffersIsAnsweredByStartingAfresh() {
        var probe = Probe.live()

        let effects = probe.tell(.received(Probe.news(4, flaw: 1)))

        #expect(effects.last == .send(3, .subscribe(Probe.list, limit: 50, resume: nil)))
        guard case .notice(.resynchronizing(_, .diverged)) = effects.first else {
            Issue.record("said \(effects)")
            return
        }
        #expect(
            probe.tell(.received(Probe.snapshot(ref: 3, of: 1...4)))
                == [.changed(.snapshot(.fresh), inserted: [Probe.id(4)], deleted: [])])
    }

    @Test func doubtOutlivesTheConnection() {
        var probe = Probe.live()
        probe.tell(.received(Probe.news(4, flaw: 1)), .disconnected(.silent))
        _ = probe.tick(at: 1_000)
        probe.tell(.connected)

        #expect(
            probe.tell(.received(.welcome(ref: 4, probe.welcome))).last
                == .send(5, .subscribe(Probe.list, limit: 50, resume: nil)))
    }

    @Test func aServerThatIsWrongAgainAndAgainIsAskedEverLater() throws {
        var probe = Probe.live()
        probe.tell(.received(Probe.news(4, flaw: 1)))
        var pauses: [Milliseconds] = []
        for ref in UInt64(3)..<8 {
            var wrong = Probe.snapshot(ref: ref, of: 1...4)
            if case .snapshot(_, let list, let frame as ServerFrame.Snapshot<Message>) = wrong {
                var snapshot = frame.snapshot
                snapshot.proof = ListProof(count: 4, digest: 0)
                wrong = .snapshot(
                    ref: ref, list, ServerFrame.Snapshot(epoch: Probe.epoch, joined: 4, why: .fresh, snapshot: snapshot)
                )
            }
            probe.tell(.received(wrong))
            let due = try #require(probe.session.deadline)
            pauses.append(due - probe.now)
            #expect(probe.tick(at: due) == [.send(ref + 1, .subscribe(Probe.list, limit: 50, resume: nil))])
        }

        #expect(pauses == [500, 1_000, 2_000, 4_000, 8_000])
    }

    @Test func anotherEpochIsResumedSoThatTheServerSaysWhatIsThere() {
        var probe = Probe.live()
        let other = Epoch("other")!
        let diff = ListDiff<Message>(from: 3, to: 4, proof: ListProof(count: 3, digest: 0))

        let effects = probe.tell(.received(.diff(ref: nil, Probe.list, other, diff)))

        #expect(
            effects.last
                == .send(
                    3,
                    .subscribe(
                        Probe.list, limit: 50,
                        resume: .init(epoch: Probe.epoch, revision: 3, joined: 3, ranges: [0...3]))))
    }

    @Test func aReturningClientResumesAndAnEmptyDiffIsAnAnswer() {
        var probe = Probe.live()
        probe.tell(.disconnected(.silent))
        _ = probe.tick(at: 1_000)
        probe.tell(.connected)
        let resume = Resume(epoch: Probe.epoch, revision: 3, joined: 3, ranges: [0...3])

        #expect(
            probe.tell(.received(.welcome(ref: 3, probe.welcome))).last
                == .send(4, .subscribe(Probe.list, limit: 50, resume: resume)))
        #expect(
            probe.tell(.received(Probe.news(3, ref: 4, from: 3))) == [.changed(.caughtUp, inserted: [], deleted: [])])
    }

    @Test func aSnapshotNobodyAskedForIsTakenByOneWhoFellBehind() {
        var probe = Probe.live()

        #expect(
            probe.tell(.received(Probe.snapshot(ref: nil, of: 2...9, more: 0, why: .smaller)))
                == [.changed(.snapshot(.smaller), inserted: (4...9).map(Probe.id), deleted: [Probe.id(1)])])
    }

    @Test func olderMessagesComeInFront() {
        var probe = Probe.ready()
        probe.tell(.open(Probe.room, limit: 50), .received(Probe.snapshot(ref: 2, of: 41...80, more: 40)))

        #expect(
            probe.tell(.page(Probe.room, .older, limit: 40)) == [.send(3, .page(Probe.list, .before(41), limit: 40))])
        #expect(probe.tell(.page(Probe.room, .older, limit: 40)) == [])  // one at a time
        let page = Probe.page(0...40, at: 80)
        let effects = probe.tell(.received(.page(ref: 3, Probe.list, Probe.epoch, page)))

        #expect(effects == [.changed(.page(.older), inserted: (1...40).map(Probe.id), deleted: [])])
        #expect(probe.tell(.page(Probe.room, .older, limit: 40)) == [.notice(.nothingOlder(Probe.room))])
    }

    /// The page precedes the rows held when it was asked for, and would leave a gap before the new ones.
    @Test func aPageIsAskedForAnewWhenASnapshotTakesThePlaceOfWhatIsHeld() {
        let next = Epoch("next")!
        var probe = Probe.ready()
        probe.tell(.open(Probe.room, limit: 50), .received(Probe.snapshot(ref: 2, of: 41...80, more: 40)))
        probe.tell(.page(Probe.room, .older, limit: 40))

        let effects = probe.tell(.received(Probe.snapshot(ref: nil, of: 49...80, epoch: next, more: 48, why: .epoch)))

        #expect(effects.last == .send(4, .page(Probe.list, .before(49), limit: 40)))
        let page = Probe.page(0...40, at: 80)
        #expect(probe.tell(.received(.page(ref: 3, Probe.list, next, page))) == [])
    }

    @Test func anUnansweredPageIsAskedForAgainAfterTheReturn() {
        var probe = Probe.ready()
        probe.tell(.open(Probe.room, limit: 50), .received(Probe.snapshot(ref: 2, of: 41...80, more: 40)))
        probe.tell(.page(Probe.room, .older, limit: 40), .disconnected(.silent))
        _ = probe.tick(at: 1_000)
        probe.tell(.connected, .received(.welcome(ref: 4, probe.welcome)))

        let diff = ListDiff<Message>(
            from: 80, to: 80, proof: ListProof(count: 80, digest: ListDigest((49...80).map { Probe.message($0) }).value)
        )
        let effects = probe.tell(.received(.diff(ref: 5, Probe.list, Probe.epoch, diff)))

        #expect(effects.last == .send(6, .page(Probe.list, .before(41), limit: 40)))
    }

    @Test func aRoomThatIsRefusedIsSaidAndOneThatIsNotReadyIsAskedForLater() {
        let forbidden = WireError(.role, "members only")
        var probe = Probe.ready()
        probe.tell(.open(Probe.room, limit: 50))
        #expect(
            probe.tell(.received(.error(ref: 2, forbidden))) == [.notice(.refused(.messages(Probe.room), forbidden))])

        var later = Probe.ready()
        later.tell(.open(Probe.room, limit: 50))
        #expect(later.tell(.received(.error(ref: 2, WireError(.storeDown, "busy", retryAfter: 700)))) == [])
        #expect(later.tick(at: 700) == [.send(3, .subscribe(Probe.list, limit: 50, resume: nil))])
    }

    @Test func closingUnsubscribesAndWhatStillComesIsIgnored() {
        var probe = Probe.live()

        #expect(probe.tell(.close(Probe.room)) == [.send(3, .unsubscribe(Probe.list))])
        #expect(probe.tell(.received(Probe.news(4)), .received(.ok(ref: 3, nil))) == [])
    }
}

extension Message {
    var inHistory: Message {
        var message = self
        message.section = .history
        return message
    }
}
