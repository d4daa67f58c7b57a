import ChatWire
import Testing

@testable import ChatClient

@Suite struct CommandTests {
    typealias Probe = SessionProbe

    @Test func aCommandGoesOutAndItsAnswerIsReported() {
        var probe = Probe.ready()
        let effect = ServerFrame.Effect(list: Probe.list, revision: 7)

        #expect(probe.tell(.command(Probe.command(9))) == [.send(2, Probe.send(9))])
        #expect(probe.tell(.received(.ok(ref: 2, effect))) == [.answered(Probe.id(9), .done(effect))])
        #expect(probe.session.unanswered == 0)
    }

    @Test func whatWasNotAnsweredIsSaidAgainUnderTheSameIDsAndInOrder() {
        var probe = Probe.ready()
        for number in UInt64(10)...12 { probe.tell(.command(Probe.command(number))) }
        probe.tell(.received(.ok(ref: 3, nil)), .disconnected(.silent))
        probe.tell(.command(Probe.command(13)))
        _ = probe.tick(at: 1_000)
        probe.tell(.connected)

        let effects = probe.tell(.received(.welcome(ref: 5, probe.welcome)))

        #expect(effects.dropFirst() == [.send(6, Probe.send(10)), .send(7, Probe.send(12)), .send(8, Probe.send(13))])
    }

    @Test func noMoreAreInFlightThanTheServerTakes() {
        var probe = Probe.ready(pending: 2)
        for number in UInt64(10)...12 { probe.tell(.command(Probe.command(number))) }

        #expect(probe.session.unanswered == 3)
        #expect(
            probe.tell(.received(.ok(ref: 2, nil))) == [.answered(Probe.id(10), .done(nil)), .send(4, Probe.send(12))])
    }

    @Test(arguments: WireError.Code.allCases.filter { $0 != .rateLimited && $0 != .unavailable })
    func anErrorIsReportedAndNotTriedAgain(code: WireError.Code) {
        var probe = Probe.ready()
        probe.tell(.command(Probe.command(9)))
        let error = WireError(code: code, "no")

        #expect(probe.tell(.received(.error(ref: 2, error))) == [.answered(Probe.id(9), .refused(error))])
        #expect(probe.session.unanswered == 0)
    }

    @Test(arguments: [WireError.Code.rateLimited, .unavailable])
    func notNowMeansTheSameAgainLaterAndInOrder(code: WireError.Code) {
        var probe = Probe.ready()
        probe.tell(.command(Probe.command(10)), .command(Probe.command(11)))

        #expect(probe.tell(.received(.error(ref: 2, WireError(code: code, "later", retryAfter: 400)))) == [])
        #expect(probe.tell(.received(.error(ref: 3, WireError(code: code, "later", retryAfter: 300)))) == [])
        #expect(probe.session.deadline == 400)
        #expect(probe.tick(at: 399) == [])
        #expect(probe.tick(at: 400) == [.send(4, Probe.send(10)), .send(5, Probe.send(11))])
    }

    /// A deadline that is always in the past would keep a processor busy until the answers arrive.
    @Test func aTimeThatHasPassedIsNotWaitedForWhileOtherRoomsFillTheConnection() throws {
        let attic = try #require(RoomName("attic"))
        var probe = Probe.ready(pending: 2)
        for number in UInt64(10)...11 { probe.tell(.command(Probe.command(number))) }
        for number in UInt64(20)...21 {
            let action = RoomAction.send("elsewhere")
            probe.tell(.command(Command(id: Probe.id(number), room: attic, action: action)))
        }
        for ref in UInt64(2)...3 {
            probe.tell(.received(.error(ref: ref, WireError(.storeDown, "later", retryAfter: 400))))
        }

        #expect(probe.tick(at: 400) == [])

        #expect(try #require(probe.session.deadline) > 400)
        let effects = probe.tell(.received(.ok(ref: 4, nil)))
        #expect(effects.last == .send(6, Probe.send(10)))
    }

    @Test func aCommandAboutAMessageWaitsUntilTheMessageIsThere() {
        var probe = Probe.ready()
        let edit = Probe.command(20, .edit(Probe.id(10), "better"))
        probe.tell(.command(Probe.command(10)))

        #expect(probe.tell(.command(edit)) == [])
        #expect(
            probe.tell(.received(.ok(ref: 2, nil)))
                == [
                    .answered(Probe.id(10), .done(nil)),
                    .send(3, .edit(room: Probe.room, command: Probe.id(20), id: Probe.id(10), "better")),
                ])
    }

    @Test func joinsAndLeavesAreSaidAgainInTheOldOrderAfterACut() {
        var probe = Probe.ready()
        probe.tell(.command(Probe.command(9)), .command(Probe.command(20, .join)), .command(Probe.command(10)))
        probe.tell(.received(.ok(ref: 2, nil)), .disconnected(.silent))
        _ = probe.tick(at: 1_000)
        probe.tell(.connected)

        let effects = probe.tell(.received(.welcome(ref: 5, probe.welcome)))

        #expect(effects.dropFirst() == [.send(6, .join(Probe.room, command: Probe.id(20))), .send(7, Probe.send(10))])
        let effect = ServerFrame.Effect(list: Probe.list, revision: 7)
        #expect(probe.tell(.received(.ok(ref: 6, effect))) == [.answered(Probe.id(20), .done(effect))])
    }

    @Test func settingsAreOfAMemberSoTheyComeAfterTheJoin() {
        var probe = Probe.ready()
        let change = SettingsChange(pinned: .at(5), isMuted: true)
        #expect(probe.tell(.command(Probe.command(20, .join))) == [.send(2, .join(Probe.room, command: Probe.id(20)))])
        #expect(probe.tell(.command(Probe.command(21, .settings(change)))) == [])

        #expect(
            probe.tell(.received(.ok(ref: 2, nil)))
                == [
                    .answered(Probe.id(20), .done(nil)), .send(3, .settings(Probe.room, change, command: Probe.id(21))),
                ])
        probe.tell(.command(Probe.command(22, .settings(SettingsChange(pinned: .off)))), .disconnected(.silent))
        _ = probe.tick(at: 1_000)
        probe.tell(.connected)
        let effects = probe.tell(.received(.welcome(ref: 4, probe.welcome)))

        #expect(effects.dropFirst() == [.send(5, .settings(Probe.room, change, command: Probe.id(21)))])
        #expect(
            probe.tell(.received(.ok(ref: 5, nil)))
                == [
                    .answered(Probe.id(21), .done(nil)),
                    .send(6, .settings(Probe.room, SettingsChange(pinned: .off), command: Probe.id(22))),
                ])
    }

    /// The server may ask for the first one again. It must not come after the second one then.
    @Test func ofJoinsAndLeavesTheLastOneCountsWhateverIsAskedForAgain() throws {
        let attic = try #require(RoomName("attic"))
        var probe = Probe.ready()
        #expect(probe.tell(.command(Probe.command(20, .join))) == [.send(2, .join(Probe.room, command: Probe.id(20)))])
        #expect(
            probe.tell(.command(Command(id: Probe.id(21), room: attic, action: .leave))) == [
                .send(3, .leave(attic, command: Probe.id(21)))
            ])

        #expect(probe.tell(.command(Probe.command(22, .leave))) == [])
        #expect(probe.tell(.received(.error(ref: 2, WireError(.storeDown, "later", retryAfter: 400)))) == [])
        #expect(probe.tick(at: 400) == [.send(4, .join(Probe.room, command: Probe.id(20)))])
        #expect(
            probe.tell(.received(.ok(ref: 4, nil)))
                == [.answered(Probe.id(20), .done(nil)), .send(5, .leave(Probe.room, command: Probe.id(22)))])
    }

    // MARK: - Rooms that are made

    private static let plans = Command(
        id: Probe.id(20), creating: .private(people: [Probe.user], title: RoomTitle("Plans")))
    private static let asked = ClientFrame.Request.create(
        Probe.id(20), .private(people: [Probe.user], title: RoomTitle("Plans")))

    private func hello(_ number: UInt64) throws -> Command {
        Command(id: Probe.id(number), room: try #require(Self.plans.room), action: .send("hello"))
    }

    @Test func aPrivateRoomIsNamedAfterItsCommandAndWhatIsSaidThereWaitsUntilItIsThere() throws {
        var probe = Probe.ready()
        let (room, hello) = (try #require(Self.plans.room), try hello(21))
        #expect(room.description == "~\(Probe.id(20))")

        #expect(probe.tell(.command(Self.plans)) == [.send(2, Self.asked)])
        #expect(probe.tell(.command(hello)) == [])
        let effect = ServerFrame.Effect(list: .messages(room), revision: 1)
        #expect(
            probe.tell(.received(.ok(ref: 2, effect))) == [
                .answered(Probe.id(20), .done(effect)),
                .send(3, .send(room: room, id: hello.id, "hello")),
            ])
    }

    @Test func aRoomIsAskedForUnderTheSameIDAfterACutAndBeforeWhatIsSaidThere() throws {
        var probe = Probe.ready()
        probe.tell(.command(Self.plans), .command(try hello(21)), .disconnected(.silent))
        _ = probe.tick(at: 1_000)
        probe.tell(.connected)

        #expect(probe.tell(.received(.welcome(ref: 3, probe.welcome))).dropFirst() == [.send(4, Self.asked)])
        #expect(probe.session.unanswered == 2)
    }

    /// As many rooms an hour as one may make: the next one is made later, and what is said there comes later still.
    @Test func aRoomThatMayNotBeMadeYetHoldsUpOnlyWhatIsSaidThere() throws {
        var probe = Probe.ready()
        probe.tell(.command(Self.plans), .command(try hello(21)))

        let refused = probe.tell(.received(.error(ref: 2, WireError(.sends, "later", retryAfter: 400))))

        #expect(refused == [])
        #expect(probe.tell(.command(Probe.command(9))) == [.send(3, Probe.send(9))])
        #expect(probe.tick(at: 400) == [.send(4, Self.asked)])
    }

    /// The server knows the repeat by its id, so an error means what it says.
    @Test func aRepeatedLeaveHasTheIdOfTheFirstAndIsRefusedLikeIt() throws {
        let forbidden = WireError(.role, "no")
        let leave = Command(id: Probe.id(20), room: try #require(Self.plans.room), action: .leave)
        var (first, repeated) = (Probe.ready(), Probe.ready())
        first.tell(.command(leave))
        repeated.tell(.command(leave), .disconnected(.silent))
        _ = repeated.tick(at: 1_000)
        repeated.tell(.connected, .received(.welcome(ref: 3, repeated.welcome)))

        #expect(leave.request == .leave(try #require(leave.room), command: leave.id))
        #expect(first.tell(.received(.error(ref: 2, forbidden))) == [.answered(leave.id, .refused(forbidden))])
        #expect(repeated.tell(.received(.error(ref: 4, forbidden))) == [.answered(leave.id, .refused(forbidden))])
    }

    @Test func aDirectRoomHasNoNameBeforeItsAnswer() throws {
        let command = Command(id: Probe.id(20), creating: .direct(people: [Probe.user]))
        let room = try #require(RoomName("@97049da5464956062d0e94be5f061ee5"))
        let effect = ServerFrame.Effect(list: .messages(room), revision: 1)

        #expect(command.room == nil)
        #expect(ChatClient.Answer(command: command, outcome: .done(effect)).room == room)
        #expect(ChatClient.Answer(command: command, outcome: .refused(WireError(.role, "no"))).room == nil)
    }

    @Test func whatWouldCostTheConnectionIsRefusedHere() {
        var probe = Probe.ready()
        let tooLong = String(repeating: "x", count: probe.limits.text + 1)

        let effects = probe.tell(.command(Probe.command(9, .send(MessageContent(tooLong)))))

        guard case .answered(Probe.id(9), .refused(let error)) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.code == .tooLarge)
        #expect(effects.count == 1)
    }

    @Test func moreThanTheOutboxHoldsIsRefused() {
        var probe = Probe()
        for number in UInt64(0)..<10_000 { probe.tell(.command(Probe.command(number))) }

        let effects = probe.tell(.command(Probe.command(10_000)))

        guard case .answered(Probe.id(10_000), .refused(let error)) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.code == .tooLarge)
        #expect(probe.session.unanswered == 10_000)
    }
}
