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

    @Test func aDraftIsSentAtOnceAndNotAgainOnceItIsStored() {
        var probe = Probe.ready()

        #expect(probe.tell(.keep("hello", Self.lobby)) == [.send(2, .draft(Self.lobby, "hello"))])
        #expect(probe.tell(.received(.ok(ref: 2, nil))) == [])

        #expect(probe.reconnect().compactMap(Self.draft) == [])
    }

    @Test func theLastDraftOfEachRoomIsSentAfterACut() {
        var probe = Probe.ready()
        probe.tell(.keep("a", Self.lobby))
        probe.tell(.keep("b", Self.den))
        probe.tell(.keep("c", Self.lobby))
        probe.tell(.received(.ok(ref: 2, nil)))  // of the first, which was overtaken

        #expect(probe.reconnect().compactMap(Self.draft) == [.draft(Self.den, "b"), .draft(Self.lobby, "c")])
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

        #expect(probe.reconnect().compactMap(Self.draft) == [])
    }
}
