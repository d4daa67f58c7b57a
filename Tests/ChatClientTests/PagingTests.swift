import ChatClient
import ChatWire
import Replicas
import Testing

/// The pages that a client asks for: one at a time.
@Suite struct PagingTests {
    typealias Probe = SessionProbe

    /// Holds 41 to 80 of 80.
    private func reader() -> Probe {
        var probe = Probe.ready()
        probe.tell(.open(Probe.room, limit: 50), .received(Probe.snapshot(ref: 2, of: 41...80, more: 40)))
        return probe
    }

    private func go(to number: UInt64) -> RoomPage { .around(.id(Probe.id(number))) }

    private func request(_ place: PagePlace) -> ClientFrame.Request { .page(Probe.list, place, limit: 40) }

    private func news(_ page: ListPage<Message>, ref: UInt64) -> SessionInput {
        .received(.page(ref: ref, Probe.list, Probe.epoch, page))
    }

    @Test func aPageAroundAMessageMakesAGapThatIsFilledFromEitherSide() throws {
        var probe = reader()

        #expect(
            probe.tell(.page(Probe.room, go(to: 10), limit: 40)) == [.send(3, request(.around(.id(Probe.id(10)))))])
        let seen = probe.tell(news(Probe.page(0...20, at: 80), ref: 3))
        let gap = try #require(probe.session.view(of: Probe.room)?.gaps.first)

        #expect(seen == [.changed(.page(go(to: 10)), inserted: (1...20).map(Probe.id), deleted: [])])
        #expect((gap.after, gap.before) == (20, 41))
        #expect(probe.session.view(of: Probe.room)?.missing == 20)
        #expect(
            probe.tell(.page(Probe.room, .gap(gap.id, from: .beginning), limit: 40))
                == [.send(4, request(.after(20)))])
        probe.tell(news(Probe.page(21...30, at: 80), ref: 4))
        #expect(
            probe.tell(.page(Probe.room, .gap(gap.id, from: .end), limit: 40))
                == [.send(5, request(.between(after: 30, before: 41)))])
        probe.tell(news(Probe.page(31...40, at: 80), ref: 5))
        #expect(probe.session.view(of: Probe.room)?.gaps == [])
        #expect(probe.session.view(of: Probe.room)?.messages.map(\.sort) == Array(1...80))
    }

    @Test func aGapThatIsNoLongerThereIsAnsweredByAnEmptyChange() {
        let page = RoomPage.gap(7, from: .end)
        var probe = reader()

        #expect(
            probe.tell(.page(Probe.room, page, limit: 40)) == [.changed(.page(page), inserted: [], deleted: [])])
        #expect(probe.tell(.page(Probe.room, .older, limit: 40)) == [.send(3, request(.before(41)))])
    }

    @Test func aMessageThatIsNotThereIsSaid() {
        let error = WireError(.noMessage, "there is no such message")
        var probe = reader()
        probe.tell(.page(Probe.room, go(to: 99), limit: 40))

        #expect(
            probe.tell(.received(.error(ref: 3, error))) == [
                .notice(.pageRefused(.messages(Probe.room), go(to: 99), error))
            ])
        #expect(probe.tell(.page(Probe.room, .older, limit: 40)) == [.send(4, request(.before(41)))])
    }

    /// Whoever clicks on one place and then on another wants the other. What a view wants for its gaps it asks again.
    @Test func whileAPageIsAwaitedOnlyTheLastPlaceToGoToIsKept() {
        var probe = reader()
        probe.tell(.page(Probe.room, .older, limit: 40))

        #expect(probe.tell(.page(Probe.room, go(to: 3), limit: 40)) == [])
        #expect(probe.tell(.page(Probe.room, go(to: 5), limit: 40), .page(Probe.room, .older, limit: 40)) == [])
        let seen = probe.tell(news(Probe.page(31...40, at: 80), ref: 3))

        #expect(seen.last == .send(4, request(.around(.id(Probe.id(5))))))
    }

    @Test func whoReturnsTellsWhatTheyHoldAndWhereTheyLook() {
        var probe = reader()
        probe.tell(.page(Probe.room, go(to: 10), limit: 40))
        probe.tell(news(Probe.page(0...20, at: 80), ref: 3))
        probe.tell(.look(Probe.room, at: Probe.id(10)), .disconnected(.silent))
        _ = probe.tick(at: 1_000)
        probe.tell(.connected)

        let resume = Resume(epoch: Probe.epoch, revision: 80, joined: 80, ranges: [0...20, 41...80], at: 10)
        #expect(
            probe.tell(.received(.welcome(ref: 4, probe.welcome))).last
                == .send(5, .subscribe(Probe.list, limit: 50, resume: resume)))
    }

    @Test func whatTheServerLetsGoOfIsNotHeldAnyMoreAndNotToldAsDeletedByAnybody() {
        var probe = reader()
        probe.tell(.disconnected(.silent))
        _ = probe.tick(at: 1_000)
        probe.tell(.connected, .received(.welcome(ref: 3, probe.welcome)))
        var diff = ListDiff<Message>(
            from: 80, to: 200, insertions: (151...200).map { Probe.message($0) },
            proof: ListProof(count: 200, digest: ListDigest((169...200).map { Probe.message($0) }).value))
        diff.ranges = [ListRange(61...80), ListRange(151...UInt64.max)]

        let seen = probe.session.handle(.received(.diff(ref: 4, Probe.list, Probe.epoch, diff)), at: 1_000)

        guard case .changed(let change as RoomChange)? = seen.first else {
            Issue.record("\(seen)")
            return
        }
        #expect(change.cause == .caughtUp)
        #expect(Set(change.changes.deleted) == Set((41...60).map(Probe.id)))
        #expect(change.deleted.isEmpty)
        #expect(change.gaps.appeared.map(\.before) == [151])
        #expect(change.view.messages.map(\.sort) == Array(61...80) + Array(151...200))
        #expect(change.view.missing == nil)
    }
}
