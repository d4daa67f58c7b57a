import ChatClient
import ChatWire
import Diffable
import Replicas
import Testing

/// The list of the user's rooms, as a session follows it.
@Suite struct RoomsTests {
    typealias Probe = SessionProbe

    private static let (attic, lobby, tea) = (RoomName("attic")!, Probe.room, RoomName("tea")!)
    private static let resume = Resume(epoch: Probe.epoch, revision: 4, joined: 4, ranges: [0...4])

    private static func row(
        _ room: RoomName, _ sort: UInt64, rev: Revision? = nil, unread: UInt64 = 0, in section: MyRoom.Section = .rooms
    ) -> MyRoom {
        MyRoom(id: room, section: section, sort: sort, rev: rev ?? sort, light: .init(unread: unread, read: 7))
    }

    private static func proof(_ rows: [MyRoom], flaw: UInt32 = 0) -> ListProof {
        ListProof(count: rows.count, digest: ListDigest(rows).value ^ flaw)
    }

    static func snapshot(ref: UInt64?, _ rows: [MyRoom], epoch: Epoch = Probe.epoch) -> ServerFrame {
        .snapshot(
            ref: ref, .myRooms,
            ServerFrame.Snapshot(
                epoch: epoch, joined: 4, why: .fresh,
                snapshot: ListSnapshot(revision: 4, rows: rows, more: false, proof: proof(rows))))
    }

    /// Following the rooms: the attic has 2 unread messages, and in the lobby something was said later.
    private static func live() -> Probe {
        var probe = Probe.ready()
        probe.tell(.openRooms(limit: 100))
        probe.tell(.received(snapshot(ref: 2, [row(attic, 3, unread: 2), row(lobby, 4)])))
        return probe
    }

    /// Something is said in the attic.
    private static func news(
        ref: UInt64? = nil, from: Revision = 4, to: Revision = 5, epoch: Epoch = Probe.epoch, flaw: UInt32 = 0
    ) -> ServerFrame {
        let attic = row(attic, 5, rev: to, unread: 3)
        let diff = ListDiff<MyRoom>(
            from: from, to: to, moves: [ListMove(id: attic.id, section: .rooms, sort: 5, rev: to)],
            reconfigurations: [ListReconfiguration(id: attic.id, rev: to, light: attic.light)],
            proof: proof([row(lobby, 4), attic], flaw: flaw))
        return .diff(ref: ref, .myRooms, epoch, diff)
    }

    /// Tells the session that the connection was lost, and connects again.
    private func comeBack(_ probe: inout Probe) -> Probe.Seen? {
        probe.tell(.disconnected(.silent))
        _ = probe.tick(at: probe.session.deadline ?? probe.now)
        guard case .send(let ref, .hello)? = probe.tell(.connected).last else { return nil }
        return probe.tell(.received(.welcome(ref: ref, probe.welcome))).last
    }

    @Test func roomsOpenedBeforeTheWelcomeAreSubscribedThen() {
        var probe = Probe.greeting()

        #expect(probe.tell(.openRooms(limit: 100)) == [])
        #expect(
            probe.tell(.received(.welcome(ref: 1, probe.welcome))).last
                == .send(2, .subscribe(.myRooms, limit: 100, resume: nil)))
        #expect(probe.tell(.openRooms(limit: 100)) == [])
    }

    @Test func theyComeNewestFirstAndWhatIsSaidBringsItsRoomToTheTop() {
        var probe = Probe.ready()
        probe.tell(.openRooms(limit: 100))

        let first = probe.tell(
            .received(Self.snapshot(ref: 2, [Self.row(Self.attic, 3, unread: 2), Self.row(Self.lobby, 4)])))
        let next = probe.tell(.received(Self.news()))

        #expect(first == [.rooms(.snapshot(.fresh), [Self.lobby, Self.attic], unread: 2)])
        #expect(next == [.rooms(.live, [Self.attic, Self.lobby], unread: 3)])
        #expect(probe.session.ownRooms?[Self.attic]?.light.read == 7)
        #expect(probe.session.ownRooms?[Self.tea] == nil)
    }

    @Test func invitationsStandApartAndWhatIsSaidThereIsNotUnread() {
        var probe = Probe.ready()
        probe.tell(.openRooms(limit: 100))
        let rows = [Self.row(Self.tea, 9, unread: 5, in: .invited), Self.row(Self.attic, 3, unread: 2)]

        let first = probe.tell(.received(Self.snapshot(ref: 2, rows)))

        #expect(first == [.rooms(.snapshot(.fresh), [Self.attic], unread: 2)])
        #expect(probe.session.ownRooms?.invitations.map(\.id) == [Self.tea])
        #expect(probe.session.ownRooms?.all.map(\.id) == [Self.tea, Self.attic])
        #expect(probe.session.ownRooms?.snapshot.itemIdentifiers(inSection: .invited) == [Self.tea])
    }

    @Test func anInvitationThatIsAcceptedMovesToTheRooms() {
        var probe = Probe.ready()
        probe.tell(.openRooms(limit: 100))
        probe.tell(.received(Self.snapshot(ref: 2, [Self.row(Self.tea, 4, in: .invited), Self.row(Self.attic, 3)])))
        let accepted = Self.row(Self.tea, 4, rev: 5)
        let diff = ListDiff<MyRoom>(
            from: 4, to: 5, moves: [ListMove(id: Self.tea, section: .rooms, sort: 4, rev: 5)],
            proof: Self.proof([Self.row(Self.attic, 3), accepted]))

        #expect(
            probe.tell(.received(.diff(ref: nil, .myRooms, Probe.epoch, diff)))
                == [.rooms(.live, [Self.tea, Self.attic], unread: 0)])
        #expect(probe.session.ownRooms?.invitations.isEmpty == true)
    }

    @Test func theSnapshotOfAChangeMarksTheRoomsToRefresh() throws {
        var probe = Self.live()
        var change: RoomsChange?
        for case .changed(let seen as RoomsChange) in probe.session.handle(.received(Self.news()), at: 0) {
            change = seen
        }

        let snapshot = try #require(change?.snapshot)

        #expect(snapshot.itemIdentifiers(inSection: .rooms) == [Self.attic, Self.lobby])
        #expect(snapshot.reconfiguredItemIdentifiers == [Self.attic])
        #expect(change?.changes.moved == [Self.attic])
    }

    @Test func aCutIsResumedByADiff() {
        var probe = Self.live()

        #expect(
            comeBack(&probe) == .send(4, .subscribe(.myRooms, limit: 100, resume: Self.resume)))
        #expect(
            probe.tell(.received(Self.news(ref: 4))) == [.rooms(.caughtUp, [Self.attic, Self.lobby], unread: 3)])
    }

    @Test func moreRoomsAreAskedForFromWhereTheListStands() {
        var probe = Self.live()

        #expect(
            probe.tell(.openRooms(limit: 200)) == [.send(3, .subscribe(.myRooms, limit: 200, resume: Self.resume))])
        #expect(probe.tell(.openRooms(limit: .max)) == [])  // once the answer is there
        #expect(probe.tell(.openRooms(limit: 150)) == [])
        let resume = Resume(epoch: Probe.epoch, revision: 5, joined: 4, ranges: [0...5])
        #expect(
            probe.tell(.received(Self.news(ref: 3))).last
                == .send(4, .subscribe(.myRooms, limit: 5_000, resume: resume)))
        #expect(probe.tell(.openRooms(limit: .max)) == [])
    }

    @Test func roomsWithoutARowAreCounted() {
        var probe = Self.live()
        #expect(probe.session.ownRooms?.more == false && probe.session.ownRooms?.count(of: .rooms) == 2)
        let rows = [Self.row(Self.attic, 3, unread: 2), Self.row(Self.lobby, 4)]
        let diff = ListDiff<MyRoom>(from: 4, to: 5, proof: Self.proof(rows), counts: [.rooms: 2, .archived: 3])

        probe.tell(.received(.diff(ref: nil, .myRooms, Probe.epoch, diff)))

        #expect(probe.session.ownRooms?.more == true)
        #expect(probe.session.ownRooms?.counts == [.invited: 0, .pinned: 0, .rooms: 2, .archived: 3])
    }

    @Test func aServerThatWasRestartedTellsWhatHasChangedOfTheRowsThatAreNamed() throws {
        let later = try #require(Epoch("later"))
        func tagged(_ row: MyRoom, _ tag: UInt64) -> MyRoom {
            var row = row
            row.tag = UniqueID(high: 0, low: tag)
            return row
        }
        let (attic, lobby) = (tagged(Self.row(Self.attic, 3), 1), tagged(Self.row(Self.lobby, 4), 2))
        var probe = Probe.ready()
        probe.tell(.openRooms(limit: 100), .received(Self.snapshot(ref: 2, [attic, lobby])))

        var resume = Self.resume
        resume.rows = [attic, lobby].compactMap { row in
            row.tag.map { Resume.HeldRow(id: row.id.description, tag: $0) }
        }
        #expect(comeBack(&probe) == .send(4, .subscribe(.myRooms, limit: 100, resume: resume)))
        let tea = tagged(Self.row(Self.tea, 9, rev: 1, unread: 1), 3)
        var kept = lobby
        kept.rev = 1
        var diff = ListDiff<MyRoom>(
            from: 4, to: 1, deletions: [Self.attic], insertions: [tea], proof: Self.proof([kept, tea]))
        diff.kept = 1

        #expect(
            probe.tell(.received(.diff(ref: 4, .myRooms, later, diff)))
                == [.rooms(.caughtUp, [Self.tea, Self.lobby], unread: 1)])
        let moved = ListMove<MyRoom>(id: Self.lobby, section: .rooms, sort: 10, rev: 2)
        let news = ListDiff<MyRoom>(
            from: 1, to: 2, moves: [moved], proof: Self.proof([tea, Self.row(Self.lobby, 10, rev: 2)]))
        #expect(
            probe.tell(.received(.diff(ref: nil, .myRooms, later, news)))
                == [.rooms(.live, [Self.lobby, Self.tea], unread: 1)])
    }

    @Test func aServerThatWasRestartedAnswersWithASnapshotOfAnotherEpoch() throws {
        let later = try #require(Epoch("later"))
        var probe = Self.live()
        _ = comeBack(&probe)

        #expect(
            probe.tell(.received(Self.snapshot(ref: 4, [Self.row(Self.tea, 1, unread: 1)], epoch: later)))
                == [.rooms(.snapshot(.fresh), [Self.tea], unread: 1)])
        #expect(
            probe.tell(.received(Self.news())).first
                == .notice(
                    .resynchronizing(.myRooms, .otherEpoch(held: later, found: Probe.epoch))))
    }

    @Test func aProofThatDiffersIsAnsweredByStartingAfresh() {
        var probe = Self.live()

        let effects = probe.tell(.received(Self.news(flaw: 1)))

        #expect(effects.last == .send(3, .subscribe(.myRooms, limit: 100, resume: nil)))
        guard case .notice(.resynchronizing(.myRooms, .diverged)) = effects.first else {
            Issue.record("said \(effects)")
            return
        }
        #expect(probe.session.ownRooms?.rooms.map(\.id) == [Self.lobby, Self.attic])
        #expect(
            probe.tell(.received(Self.snapshot(ref: 3, [Self.row(Self.lobby, 4)])))
                == [.rooms(.snapshot(.fresh), [Self.lobby], unread: 0)])
    }

    @Test func aGapIsResumedFromWhereWeAre() {
        var probe = Self.live()

        #expect(
            probe.tell(.received(Self.news(from: 5, to: 6))) == [
                .notice(.resynchronizing(.myRooms, .gap(held: 4, from: 5))),
                .send(3, .subscribe(.myRooms, limit: 100, resume: Self.resume)),
            ])
        #expect(probe.tell(.received(Self.news(from: 6, to: 7))) == [])  // of the time before the answer
    }

    @Test func whatTheServerDoesNotTellIsSaidAndWhatIsNotReadyIsAskedForLater() {
        let forbidden = WireError(.role, "not you")
        var refused = Probe.ready()
        refused.tell(.openRooms(limit: 100))
        #expect(refused.tell(.received(.error(ref: 2, forbidden))) == [.notice(.refused(.myRooms, forbidden))])

        var later = Probe.ready()
        later.tell(.openRooms(limit: 100))
        #expect(later.tell(.received(.error(ref: 2, WireError(.storeDown, "busy", retryAfter: 700)))) == [])
        #expect(later.session.deadline == 700)
        #expect(
            later.tick(at: 700) == [.send(3, .subscribe(.myRooms, limit: 100, resume: nil))])
    }

    @Test func aListThatTheServerEndsIsOpenedAgainOnRequest() {
        let ending = ServerFrame.Ending(why: .forbidden, message: "no more")
        var probe = Self.live()

        #expect(probe.tell(.received(.ended(.myRooms, ending))) == [.notice(.ended(.myRooms, ending))])
        #expect(probe.tell(.received(Self.news())) == [])
        #expect(
            probe.tell(.openRooms(limit: 100)) == [
                .send(3, .subscribe(.myRooms, limit: 100, resume: Self.resume))
            ])
    }

    @Test func anAnswerOfAnotherListIsAMisunderstanding() {
        var probe = Probe.ready()
        probe.tell(.openRooms(limit: 100))

        let effects = probe.tell(.received(Probe.snapshot(ref: 2, of: 1...3)))

        #expect(effects.first == .disconnect(CloseCode.policyViolation))
    }
}
