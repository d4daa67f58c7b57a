import ChatRoom
import ChatWire
import TestSupport
import Testing

@testable import ChatServer

/// A frame of a client over its limit is not read, so it costs next to nothing.
struct UnreadFrameTests {
    private static func server(commands: Int) -> ServerIdentity {
        var allowances = Allowances()
        allowances.commands = Allowances.perSecond(commands)
        return ServerIdentity(name: "test", heartbeat: 1_000, limits: WireLimits(), quotas: Quotas(allowances))
    }

    /// Sends as much as is allowed at once.
    private func spend(_ session: inout SessionState, _ server: ServerIdentity) {
        for ref in 0..<5 {
            #expect(session.handle(ClientFrame(ref: UInt64(ref), request: .ping), as: server, at: 0).count == 1)
        }
    }

    private func send(ref: String, at start: Bool) -> [UInt8] {
        let text = String(repeating: "x", count: SessionState.longestUnmeasured)
        let fields = #""type":"send","room":"lobby","id":"\#(UniqueID(high: 0, low: 1))","text":"\#(text)""#
        return Array((start ? #"{"ref":\#(ref),\#(fields)}"# : #"{\#(fields),"ref":\#(ref)}"#).utf8)
    }

    @Test(arguments: [true, false])
    func whoHasSaidTooMuchIsAnsweredByItsRefAndNotRead(isAtStart: Bool) {
        let server = Self.server(commands: 1)
        var session = SessionState()
        spend(&session, server)

        let effects = session.passOver(send(ref: "77", at: isAtStart), as: server, at: 0)

        #expect(effects.first == .held(to: .commandRate))
        guard case .answer(.error(77, let error))? = effects.last else { return #expect(Bool(false), "\(effects)") }
        #expect(error.code == .rateLimited && error.retryAfter != nil)
    }

    /// The bytes are no JSON, which would end the connection if they were read.
    @Test
    func whatIsNotReadIsNotJudged() {
        let server = Self.server(commands: 1)
        var session = SessionState()
        spend(&session, server)

        let effects = session.passOver(Array(repeating: 0x7B, count: 60_000), as: server, at: 0)

        #expect(effects.count == 2 && effects.first == .held(to: .commandRate))
    }

    @Test
    func whoMaySpeakIsReadAndPaysOnce() {
        let server = Self.server(commands: 1)
        var session = SessionState()

        for _ in 0..<100 { #expect(session.passOver(send(ref: "7", at: true), as: server, at: 0) == []) }

        spend(&session, server)
    }

    @Test
    func whoDoesNotListenIsSentAway() {
        let server = Self.server(commands: 1)
        var session = SessionState()
        spend(&session, server)
        var last: SessionState.Effect?

        for _ in 0..<10_000 where last == nil {
            let effects = session.passOver(send(ref: "7", at: true), as: server, at: 0)
            if case .dismiss? = effects.last { last = effects.last }
        }

        guard case .dismiss(CloseCode.flooding, _)? = last else {
            return #expect(Bool(false), "\(String(describing: last))")
        }
    }
}
