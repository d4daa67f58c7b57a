import ChatClient
import ChatWire
import Testing

@Suite struct ConnectingTests {
    typealias Probe = SessionProbe
    let broken = ConnectionLoss.closed(code: 1006, reason: "")

    @Test func startingConnectsAndSaysHello() {
        var probe = Probe()

        #expect(probe.tell(.start) == [.state(.connecting), .connect])
        #expect(probe.tell(.connected) == [.send(1, .hello(.user(Probe.user)))])
        #expect(probe.tell(.received(.welcome(ref: 1, probe.welcome))) == [.state(.online(probe.welcome))])
    }

    @Test func startingTwiceIsStartingOnce() {
        var probe = Probe()
        probe.tell(.start)

        #expect(probe.tell(.start) == [])
    }

    @Test func aConnectionThatCannotBeMadeIsTriedAgainWhenItsTimeHasCome() throws {
        var probe = Probe()
        probe.tell(.start)

        let effects = probe.tell(.disconnected(.failed("refused")))
        let due = try #require(probe.session.deadline)

        #expect(effects == [.state(.waiting(due, .failed("refused")))])
        #expect((0...500).contains(due))
        #expect(probe.tick(at: due - 1) == [])
        #expect(probe.tick(at: due) == [.state(.connecting), .connect])
    }

    @Test func eachWaitMayBeTwiceTheOneBeforeUpToHalfAMinute() throws {
        var longest: [Milliseconds] = Array(repeating: 0, count: 10)
        for seed in UInt64(0)..<300 {
            var session = ClientSession(credential: .user(Probe.user), backoff: Backoff(seed: seed))
            _ = session.handle(.start, at: 0)
            var now: Milliseconds = 0
            for attempt in 0..<10 {
                _ = session.handle(.disconnected(.failed("")), at: now)
                let due = try #require(session.deadline)
                longest[attempt] = max(longest[attempt], due - now)
                now = due
                _ = session.handle(.tick, at: now)
            }
        }

        let ceilings: [Milliseconds] = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]
        for (found, ceiling) in zip(longest, ceilings) { #expect((ceiling * 9 / 10...ceiling).contains(found)) }
    }

    @Test func aConnectionThatLastedMakesTheNextWaitAShortOne() throws {
        var probe = Probe()
        probe.tell(.start)
        for _ in 0..<8 {
            probe.tell(.disconnected(.failed("")))
            _ = probe.tick(at: try #require(probe.session.deadline))
        }
        probe.tell(.connected, .received(.welcome(ref: 1, probe.welcome)))

        probe.now += 5_000
        probe.tell(.disconnected(broken))

        #expect(try #require(probe.session.deadline) - probe.now <= 500)
    }

    @Test func whatTheServerSaysBeforeItClosesIsBelievedAndWaitedFor() throws {
        var probe = Probe.ready()

        let quiet = probe.tell(.received(.bye(code: 1012, reason: "restart", retryAfter: 7_000)))
        let effects = probe.tell(.disconnected(.closed(code: 1002, reason: "")))
        let due = try #require(probe.session.deadline)

        #expect(quiet == [])
        #expect(effects == [.state(.waiting(due, .closed(code: 1012, reason: "restart")))])
        #expect((7_000...7_500).contains(due))
    }

    @Test(arguments: [4500, 4501, 4999] as [UInt16])
    func aCodeThatSaysToStayAwayIsObeyed(code: UInt16) {
        var probe = Probe.ready()

        let effects = probe.tell(.disconnected(.closed(code: code, reason: "no")))

        #expect(effects == [.state(.ended(.closed(code: code, reason: "no")))])
        #expect(probe.session.deadline == nil)
        #expect(probe.tell(.start) == [.state(.connecting), .connect])
    }

    @Test(arguments: [1000, 1001, 1008, 1009, 1011, 1012, 1013, 4000, 4002, 4499] as [UInt16])
    func anyOtherCodeMeansComeBack(code: UInt16) {
        var probe = Probe.ready()

        probe.tell(.disconnected(.closed(code: code, reason: "")))

        #expect(probe.session.deadline != nil)
    }

    /// A short pause of the network must not keep a client away.
    @Test func whoseHelloCameTooLateComesBack() {
        var probe = Probe.greeting()

        probe.tell(.disconnected(.closed(code: CloseCode.helloTimeout, reason: "no hello in time")))

        #expect(probe.session.deadline != nil)
    }

    @Test func aRefusedHelloIsFinalUnlessItIsForNow() {
        var refused = Probe.greeting()
        let error = WireError(.tokenInvalid, "who?")
        #expect(
            refused.tell(.received(.error(ref: 1, error)))
                == [.disconnect(CloseCode.normal), .state(.ended(.refused(error)))])

        var later = Probe.greeting()
        later.tell(.received(.error(ref: 1, WireError(.storeDown, "busy", retryAfter: 3_000))))
        #expect(later.session.deadline.map { (3_000...3_500).contains($0) } == true)
    }

    @Test func noWelcomeInTimeEndsTheConnection() {
        var probe = Probe.greeting()

        #expect(probe.tick(at: 9_999) == [])
        #expect(probe.tick(at: 10_000).first == .disconnect(CloseCode.silent))
    }

    @Test func silenceOfAHeartbeatIsBrokenByAPing() {
        var probe = Probe.ready()

        #expect(probe.session.deadline == 25_000)
        #expect(probe.tick(at: 24_999) == [])
        #expect(probe.tick(at: 25_000) == [.send(2, .ping)])
        #expect(probe.tell(.received(.pong(ref: 2))) == [])
        #expect(probe.session.deadline == 50_000)
    }

    @Test func whoOnlyListensPingsAllTheSame() {
        var probe = Probe.live()
        probe.now = 20_000
        probe.tell(.received(Probe.news(4)))

        #expect(probe.tick(at: 25_000) == [.send(3, .ping)])
    }

    @Test func aServerSilentForAHeartbeatAndTenSecondsIsDead() {
        var probe = Probe.ready()
        _ = probe.tick(at: 25_000)

        #expect(probe.tick(at: 34_999) == [])
        #expect(probe.tick(at: 35_000).first == .disconnect(CloseCode.silent))
    }

    @Test func stoppingClosesAndForgetsNothingThatWaits() {
        var probe = Probe.ready()
        probe.tell(.command(Probe.command(9)))

        #expect(probe.tell(.stop) == [.disconnect(CloseCode.normal), .state(.offline)])
        #expect(probe.session.deadline == nil)
        probe.tell(.start, .connected)
        #expect(probe.tell(.received(.welcome(ref: 3, probe.welcome))).last == .send(4, Probe.send(9)))
    }

    @Test func anAuditLogIsAskedForWhenThereIsAConnectionAndAgainWhenItsAnswerIsLost() {
        var probe = Probe()
        probe.tell(.audit(Probe.room, limit: 50), .start, .connected)
        let request = ClientFrame.Request.audit(Probe.room, before: 1 << 53 - 1, limit: 50)

        #expect(probe.tell(.received(.welcome(ref: 1, probe.welcome))).last == .send(2, request))
        probe.tell(.disconnected(broken))
        _ = probe.tick(at: 60_000)
        probe.tell(.connected)
        #expect(probe.tell(.received(.welcome(ref: 3, probe.welcome))).last == .send(4, request))
        let page = AuditPage(entries: [], more: false)
        #expect(probe.tell(.received(.audit(ref: 4, Probe.room, page))) == [.notice(.audit(Probe.room, page))])
    }

    @Test func aSearchIsSentWhenThereIsAConnectionAndAgainWhenItsAnswerIsLost() throws {
        var probe = Probe()
        let (search, id) = (try SearchRequest("needle"), UniqueID.random())
        probe.tell(.search(search, id: id), .start, .connected)

        #expect(probe.tell(.received(.welcome(ref: 1, probe.welcome))).last == .send(2, .search(search)))
        probe.tell(.disconnected(broken))
        _ = probe.tick(at: 60_000)
        probe.tell(.connected)
        #expect(probe.tell(.received(.welcome(ref: 3, probe.welcome))).last == .send(4, .search(search)))
        let page = SearchPage(results: [], before: nil)
        #expect(probe.tell(.received(.found(ref: 4, page))) == [.notice(.found(page, id: id))])
    }

    @Test func aQuestionAboutFilesIsSentAgainWhenItsAnswerIsLost() throws {
        let file = try #require(
            FileDescription(name: "a", media: "text/plain", size: 1, sha256: String(repeating: "0", count: 64)))
        let upload = UploadRequest(room: Probe.room, message: Probe.id(7), file: file)
        let links = LinksRequest(room: Probe.room, files: [FilePlace(message: Probe.id(7), file: Probe.id(8))])
        let (one, other) = (UniqueID.random(), UniqueID.random())
        var probe = Probe()
        probe.tell(.upload(upload, id: one), .links(links, id: other), .start, .connected)

        #expect(
            probe.tell(.received(.welcome(ref: 1, probe.welcome))).suffix(2) == [
                .send(2, .upload(upload)), .send(3, .links(links)),
            ])
        probe.tell(.disconnected(broken))
        _ = probe.tick(at: 60_000)
        probe.tell(.connected)
        #expect(
            probe.tell(.received(.welcome(ref: 4, probe.welcome))).suffix(2) == [
                .send(5, .upload(upload)), .send(6, .links(links)),
            ])
        let permit = UploadPermit(file: Probe.id(8), url: "/u", until: 9)
        let refusal = WireError(.noFiles, "none")
        #expect(probe.tell(.received(.uploading(ref: 5, permit))) == [.notice(.uploading(permit, id: one))])
        #expect(probe.tell(.received(.error(ref: 6, refusal))) == [.notice(.linksRefused(refusal, id: other))])
    }

    @Test func linksToAnotherNumberOfFilesAreNoAnswer() {
        var probe = Probe.ready()
        let links = LinksRequest(room: Probe.room, files: [FilePlace(message: Probe.id(7), file: Probe.id(8))])
        probe.tell(.links(links, id: .random()))

        let seen = probe.tell(.received(.links(ref: 2, FileLinks(urls: [], until: 9))))

        #expect(seen.contains(.disconnect(CloseCode.policyViolation)))
    }

    @Test func whatAConnectionBringsThatWasGivenUpIsIgnored() {
        for var probe in [Probe(), Probe.ready()] {
            probe.tell(.stop)
            #expect(probe.tell(.connected, .received(Probe.news(4)), .disconnected(broken), .tick) == [])
            #expect(probe.tell(.unreadable(.notAnObject("x"))) == [])
        }
    }

    @Test func aServerThatSpeaksOutOfTurnIsLeft() {
        let wrong: [ServerFrame] = [.pong(ref: 1), .ok(ref: 1, nil), Probe.snapshot(ref: 1, of: 1...2)]
        for frame in wrong {
            var probe = Probe.greeting()
            #expect(probe.tell(.received(frame)).first == .disconnect(CloseCode.policyViolation))
        }
        var probe = Probe.live()
        #expect(probe.tell(.unreadable(.notAnObject("array"))).first == .disconnect(CloseCode.policyViolation))
    }

    @Test func whatCannotBeReadOrAnswersNothingIsPassedOverAndSaid() {
        var probe = Probe.live()
        let unreadable = FrameError.bad(ref: nil, WireError(.invalid, "type: 'typing' is not known"))

        #expect(
            probe.tell(.unreadable(unreadable)) == [.notice(.passedOver("type: 'typing' is not known"))])
        #expect(
            probe.tell(.received(.pong(ref: 77))) == [.notice(.passedOver("an answer without a request"))])
    }
}
