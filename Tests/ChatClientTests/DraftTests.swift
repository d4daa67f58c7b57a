import ChatClient
import ChatWire
import Testing

/// What the user has written and not sent.
@Suite struct DraftTests {
    typealias Probe = SessionProbe

    private static let (lobby, den) = (RoomName("lobby")!, RoomName("den")!)

    private static func draft(_ sent: Probe.Seen) -> ClientFrame.Request? {
        if case .send(_, let request) = sent, case .draft = request { request } else { nil }
    }

    /// Connects again, and returns the drafts that are sent then.
    private static func reconnect(_ probe: inout Probe) -> [ClientFrame.Request] {
        probe.tell(.disconnected(.silent))
        _ = probe.tick(at: probe.session.deadline ?? probe.now)
        guard case .send(let ref, .hello)? = probe.tell(.connected).last else {
            Issue.record("no hello")
            return []
        }
        return probe.tell(.received(.welcome(ref: ref, probe.welcome))).compactMap(draft)
    }

    @Test func aDraftIsSentAtOnceAndNotAgainOnceItIsStored() {
        var probe = Probe.ready()

        #expect(probe.tell(.keep("hello", Self.lobby)) == [.send(2, .draft(Self.lobby, "hello"))])
        #expect(probe.tell(.received(.ok(ref: 2, nil))) == [])

        #expect(Self.reconnect(&probe) == [])
    }

    @Test func theLastDraftOfEachRoomIsSentAfterACut() {
        var probe = Probe.ready()
        probe.tell(.keep("a", Self.lobby))
        probe.tell(.keep("b", Self.den))
        probe.tell(.keep("c", Self.lobby))
        probe.tell(.received(.ok(ref: 2, nil)))  // of the first, which was overtaken

        #expect(Self.reconnect(&probe) == [.draft(Self.den, "b"), .draft(Self.lobby, "c")])
    }

    @Test func aServerWithoutTimeIsAskedAgain() {
        var probe = Probe.ready()
        probe.tell(.keep("a", Self.lobby))
        probe.tell(.received(.error(ref: 2, WireError(.overloaded, "wait", retryAfter: 500))))

        #expect(probe.tell(.keep("b", Self.den)) == [])
        let sent = probe.tick(at: probe.now + 500).compactMap(Self.draft)

        #expect(sent == [.draft(Self.lobby, "a"), .draft(Self.den, "b")])
    }

    @Test func aDraftThatIsRefusedIsToldAndNotSentAgain() {
        var probe = Probe.ready()
        let error = WireError(.tooLong, "text: too long", field: "text")
        probe.tell(.keep("a", Self.lobby))

        #expect(probe.tell(.received(.error(ref: 2, error))) == [.notice(.draftRefused(Self.lobby, error))])

        #expect(Self.reconnect(&probe) == [])
    }
}
