import ChatClient
import ChatWire
import Testing

/// Blocks that the server has not stored, while the connection comes and goes.
@Suite struct BlockTests {
    typealias Probe = SessionProbe

    private static let bob = UserName("bob")!
    private static let cid = UserName("cid")!

    private static func request(_ sent: Probe.Seen) -> ClientFrame.Request? {
        if case .send(_, let request) = sent, case .block = request { request } else { nil }
    }

    @Test func aBlockIsSentAtOnceAndNotAgainOnceItIsStored() {
        var probe = Probe.ready()

        #expect(probe.tell(.block(Self.bob, .on)) == [.send(2, .block(Self.bob, .on))])
        #expect(probe.tell(.received(.ok(ref: 2, nil))) == [.notice(.blockStored(Self.bob, .on))])

        #expect(probe.reconnect().compactMap(Self.request) == [])
    }

    @Test func theLastChangeOfEachUserIsSentAfterACut() {
        var probe = Probe.ready()
        probe.tell(.block(Self.bob, .on))
        probe.tell(.block(Self.cid, .on))
        probe.tell(.block(Self.bob, .off))
        #expect(probe.tell(.received(.ok(ref: 2, nil))) == [])  // of the first, which was overtaken

        #expect(probe.reconnect().compactMap(Self.request) == [.block(Self.cid, .on), .block(Self.bob, .off)])
    }

    @Test func aServerWithoutTimeIsAskedAgain() {
        var probe = Probe.ready()
        probe.tell(.block(Self.bob, .on))
        #expect(probe.tell(.received(.error(ref: 2, WireError(.overloaded, "wait", retryAfter: 500)))) == [])

        #expect(probe.tick(at: probe.now + 500).compactMap(Self.request) == [.block(Self.bob, .on)])
    }

    @Test func aRefusedBlockIsReportedAndNotSentAgain() {
        var probe = Probe.ready()
        let error = WireError(.blocked, "too many")
        probe.tell(.block(Self.bob, .on))

        #expect(probe.tell(.received(.error(ref: 2, error))) == [.notice(.blockRefused(Self.bob, .on, error))])

        #expect(probe.reconnect().compactMap(Self.request) == [])
    }
}
