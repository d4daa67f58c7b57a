import ChatClient
import ChatWire
import Testing

/// The user's messages and reminders for later, while the connection comes and goes.
@Suite struct LaterTests {
    typealias Probe = SessionProbe

    private static let plan = LaterItem.Plan(.send("hello"), in: RoomName("lobby")!, at: 7)
    private static let ids = (1...2).map { UniqueID(high: 0, low: $0) }

    private static func request(_ sent: Probe.Seen) -> ClientFrame.Request? {
        if case .send(_, let request) = sent, case .later = request { request } else { nil }
    }

    @Test func anItemIsSentAtOnceAndNotAgainOnceItIsStored() {
        var probe = Probe.ready()

        #expect(probe.tell(.later(Self.ids[0], Self.plan)) == [.send(2, .later(Self.ids[0], Self.plan))])
        #expect(probe.tell(.received(.ok(ref: 2, nil))) == [.notice(.laterStored(Self.ids[0], Self.plan))])

        #expect(probe.reconnect().compactMap(Self.request) == [])
    }

    @Test func theLastChangeOfEachItemIsSentAfterACut() {
        var probe = Probe.ready()
        probe.tell(.later(Self.ids[0], Self.plan))
        probe.tell(.later(Self.ids[1], Self.plan))
        probe.tell(.later(Self.ids[0], nil))
        #expect(probe.tell(.received(.ok(ref: 2, nil))) == [])  // of the first, which was overtaken

        #expect(
            probe.reconnect().compactMap(Self.request) == [.later(Self.ids[1], Self.plan), .later(Self.ids[0], nil)])
    }

    @Test func aServerWithoutTimeIsAskedAgain() {
        var probe = Probe.ready()
        probe.tell(.later(Self.ids[0], Self.plan))
        #expect(probe.tell(.received(.error(ref: 2, WireError(.overloaded, "wait", retryAfter: 500)))) == [])

        let sent = probe.tick(at: probe.now + 500).compactMap(Self.request)

        #expect(sent == [.later(Self.ids[0], Self.plan)])
    }

    @Test func aRefusedItemIsReportedAndNotSentAgain() {
        var probe = Probe.ready()
        let error = WireError(.later, "too many")
        probe.tell(.later(Self.ids[0], Self.plan))

        #expect(
            probe.tell(.received(.error(ref: 2, error))) == [.notice(.laterRefused(Self.ids[0], Self.plan, error))])

        #expect(probe.reconnect().compactMap(Self.request) == [])
    }
}
