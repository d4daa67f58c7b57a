import ChatClient
import ChatWire
import Testing

/// A client with a token provider.
struct TokenTests {
    private var probe = SessionProbe(credential: nil)

    private mutating func connect(with token: String = "first") {
        probe.tell(.open(SessionProbe.room, limit: 50), .start, .connected)
        probe.tell(.token(.success(token)), .received(.welcome(ref: 1, probe.welcome)))
    }

    @Test mutating func itAsksForATokenWhenThereIsAConnectionAndSaysHelloWithIt() {
        #expect(probe.tell(.start) == [.state(.connecting), .connect])
        #expect(probe.tell(.connected) == [.wantToken])
        #expect(probe.tell(.token(.success("a.b.c"))) == [.send(1, .hello(.token("a.b.c")))])
    }

    @Test mutating func itAsksAnewForEachConnection() {
        connect()
        probe.tell(.disconnected(.closed(code: CloseCode.tokenExpired, reason: "")))

        #expect(probe.tick(at: 60_000) == [.state(.connecting), .connect])
        #expect(probe.tell(.connected) == [.wantToken])
    }

    @Test mutating func withoutATokenItTriesAgainLater() {
        probe.tell(.start, .connected)

        let seen = probe.tell(.token(.failure(TokenUnavailable("the file is gone"))))

        #expect(seen.first == .disconnect(CloseCode.normal))
        guard case .state(.waiting(_, .failed("no token: the file is gone"))) = seen.last else {
            Issue.record("\(seen)")
            return
        }
    }

    @Test mutating func whenTheTokenEndsSoonItSaysAnother() {
        connect()

        #expect(probe.tell(.received(.expiring(in: 9_000))) == [.wantToken])
        #expect(probe.tell(.token(.success("second"))) == [.send(3, .token("second"))])
        #expect(probe.tell(.received(.ok(ref: 3, nil))) == [])
    }

    @Test mutating func aFreshTokenThatIsNotTakenOrNotThereIsToldAndTheConnectionStays() {
        connect()
        probe.tell(.received(.expiring(in: 9_000)))
        #expect(probe.tell(.token(.failure(TokenUnavailable("gone")))) == [.notice(.noFreshToken("gone"))])

        probe.tell(.received(.expiring(in: 2_000)), .token(.success("stale")))
        let refusal = WireError(.tokenInvalid, "expired")
        #expect(probe.tell(.received(.error(ref: 3, refusal))) == [.notice(.noFreshToken("expired"))])
    }

    /// The token in the file ended while the client was away; a fresh one will be put there.
    @Test mutating func afterATokenThatWasTakenAStaleOneIsReplacedWhereItCameFrom() throws {
        connect()
        probe.tell(.disconnected(.closed(code: CloseCode.tokenExpired, reason: "")))
        _ = probe.tick(at: 60_000)
        probe.tell(.connected, .token(.success("first")))

        let seen = probe.tell(.received(.error(ref: 3, WireError(.tokenInvalid, "it has ended"))))

        guard case .state(.waiting(_, .refused)) = seen.last else {
            Issue.record("\(seen)")
            return
        }
        _ = probe.tick(at: try #require(probe.session.deadline))
        #expect(probe.tell(.connected) == [.wantToken])
        #expect(probe.tell(.token(.success("fresh"))) == [.send(4, .hello(.token("fresh")))])
    }

    @Test mutating func aFirstTokenThatIsNotTakenIsTheEnd() {
        probe.tell(.start, .connected, .token(.success("forged")))
        let error = WireError(.tokenInvalid, "no")

        #expect(probe.tell(.received(.error(ref: 1, error))).last == .state(.ended(.refused(error))))
    }

    @Test func aTokenWithoutAPlaceToComeFromIsNotReplaced() {
        var probe = SessionProbe(credential: .token("only"))
        probe.tell(.start, .connected, .received(.welcome(ref: 1, probe.welcome)))

        guard case .notice(.noFreshToken) = probe.tell(.received(.expiring(in: 9_000))).first else {
            Issue.record("no word of it")
            return
        }
        probe.tell(.disconnected(.closed(code: CloseCode.tokenExpired, reason: "")))
        _ = probe.tick(at: 60_000)
        probe.tell(.connected)
        let error = WireError(.tokenInvalid, "it has ended")
        #expect(probe.tell(.received(.error(ref: 2, error))).last == .state(.ended(.refused(error))))
    }

    @Test mutating func aTokenThatComesWhenNobodyWaitsForItIsLetBe() {
        #expect(probe.tell(.token(.success("early"))) == [])
        probe.tell(.start, .connected, .token(.success("once")))
        #expect(probe.tell(.token(.success("twice"))) == [])
    }

    @Test mutating func aRoomThatIsNoLongerGrantedHasEnded() {
        connect()
        probe.tell(.received(SessionProbe.snapshot(ref: 2, of: 1...3)))

        let ending = ServerFrame.Ending(why: .forbidden, message: "you may not")
        let seen = probe.tell(.received(.ended(SessionProbe.list, ending)))

        #expect(seen == [.notice(.ended(SessionProbe.list, ending))])
    }

    @Test mutating func aRoomThatIsOpenedAgainGoesOnFromWhatIsHeld() {
        connect()
        probe.tell(.received(SessionProbe.snapshot(ref: 2, of: 1...3)))
        probe.tell(.received(.ended(SessionProbe.list, .init(why: .kicked, message: "come back in peace"))))

        let seen = probe.tell(.open(SessionProbe.room, limit: 50))

        let resume = Resume(epoch: SessionProbe.epoch, revision: 3, joined: 3, ranges: [0...3])
        #expect(seen == [.send(3, .subscribe(SessionProbe.list, limit: 50, resume: resume))])
    }
}
