import ChatClient
import ChatWire
import Testing

/// A client gives up a command that the server can never accept.
@Suite struct BlameTests {
    typealias Probe = SessionProbe
    static let codes = [CloseCode.unsupported, CloseCode.invalidText, CloseCode.tooLarge]

    /// Ends the connection, reconnects after the wait, and is welcomed.
    private func comeBack(_ probe: inout Probe, after code: UInt16, ref: UInt64) throws -> [Probe.Seen] {
        var seen = probe.tell(.disconnected(.closed(code: code, reason: "")))
        _ = probe.tick(at: try #require(probe.session.deadline))
        probe.tell(.connected)
        seen += probe.tell(.received(.welcome(ref: ref, probe.welcome)))
        return seen
    }

    private func refusals(_ seen: [Probe.Seen]) -> [CommandID] {
        seen.compactMap { if case .answered(let id, .refused) = $0 { id } else { nil } }
    }

    private func sent(_ seen: [Probe.Seen]) -> [ClientFrame.Request] {
        seen.compactMap { if case .send(_, let request) = $0 { request } else { nil } }
    }

    @Test(arguments: codes)
    func aCommandOverWhichTheServerClosesIsNotSentAgain(code: UInt16) throws {
        var probe = Probe.ready()
        probe.tell(.command(Probe.command(9)))

        let seen = try comeBack(&probe, after: code, ref: 3)

        #expect(refusals(seen) == [Probe.id(9)])
        #expect(sent(seen) == [])
        #expect(probe.session.unanswered == 0)
    }

    @Test(arguments: codes)
    func ofSeveralTheGuiltyOneIsFoundAndTheOthersGetThrough(code: UInt16) throws {
        var probe = Probe.ready()
        for number in UInt64(10)...12 { probe.tell(.command(Probe.command(number))) }

        var seen = try comeBack(&probe, after: code, ref: 5)
        #expect(refusals(seen) == [])
        #expect(sent(seen) == [Probe.send(10)])
        #expect(sent(probe.tell(.received(.ok(ref: 6, nil)))) == [Probe.send(11)])
        seen = try comeBack(&probe, after: code, ref: 8)

        #expect(refusals(seen) == [Probe.id(11)])
        #expect(sent(seen) == [Probe.send(12)])
        probe.tell(.command(Probe.command(13)))
        #expect(sent(probe.tell(.received(.ok(ref: 9, nil)))) == [Probe.send(13)])
        #expect(sent(probe.tell(.command(Probe.command(14)))) == [Probe.send(14)])
    }

    @Test(arguments: codes)
    func whatTheServerSaysBeforeItClosesCounts(code: UInt16) throws {
        var probe = Probe.ready()
        probe.tell(.command(Probe.command(9)), .received(.bye(code: code, reason: "no", retryAfter: nil)))

        #expect(refusals(probe.tell(.disconnected(.closed(code: 1006, reason: "")))) == [Probe.id(9)])
    }

    @Test(arguments: codes)
    func aHelloOverWhichTheServerClosesIsNotSaidAgain(code: UInt16) {
        var probe = Probe.greeting()
        let loss = ConnectionLoss.closed(code: code, reason: "")

        #expect(probe.tell(.disconnected(loss)) == [.state(.ended(loss))])
    }

    @Test(arguments: [1001, 1006, 1008, 1011, 1012, 4000, 4002, 4005] as [UInt16])
    func aCodeThatBlamesNoCommandLeavesThemAll(code: UInt16) throws {
        var probe = Probe.ready()
        probe.tell(.command(Probe.command(9)))

        let seen = try comeBack(&probe, after: code, ref: 3)

        #expect(refusals(seen) == [])
        #expect(sent(seen) == [Probe.send(9)])
    }

    @Test func aTextWhoseEscapesMakeTheFrameTooLongIsRefusedHere() {
        var probe = Probe()
        probe.limits.frame = 10_000
        probe.tell(.start, .connected, .received(.welcome(ref: 1, probe.welcome)))
        let text = String(repeating: "\"", count: 6_000)

        let seen = probe.tell(
            .command(Probe.command(9, .send(MessageContent(text)))),
            .command(Probe.command(10, .send(MessageContent(String(text.prefix(3_000)))))))

        #expect(refusals(seen) == [Probe.id(9)])
        #expect(sent(seen).count == 1)
    }
}
