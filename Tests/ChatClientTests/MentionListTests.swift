import ChatClient
import ChatWire
import Replicas
import Testing

/// The list of the messages that mention the user, as a session follows it.
struct MentionListTests {
    typealias Probe = SessionProbe

    private static func row(_ number: UInt64, rev: Revision? = nil, read isRead: Bool = false) -> MyMention {
        MyMention(
            id: .init(room: Probe.room, message: MessageID(high: 0, low: number)), sort: number, rev: rev ?? number,
            author: UserName("bob")!, time: 0, light: .init(text: "@ann?", isRead: isRead))
    }

    private static func proof(_ rows: [MyMention]) -> ListProof {
        ListProof(count: rows.count, digest: ListDigest(rows).value)
    }

    @Test func itIsFollowedAndLeft() {
        let (one, two, read) = (Self.row(1), Self.row(2), Self.row(1, rev: 3, read: true))
        var probe = Probe.ready()
        #expect(
            probe.tell(.follow(.myMentions)) == [
                .send(2, .subscribe(.myMentions, limit: ListDigest.window, resume: nil))
            ])
        let snapshot = ListSnapshot(revision: 2, rows: [one, two], more: false, proof: Self.proof([one, two]))
        #expect(
            probe.tell(
                .received(
                    .snapshot(
                        ref: 2, .myMentions,
                        ServerFrame.Snapshot(epoch: Probe.epoch, joined: 2, why: .fresh, snapshot: snapshot))))
                == [.mentions(.snapshot(.fresh), [one.id, two.id], unread: 2)])
        let diff = ListDiff<MyMention>(
            from: 2, to: 3, reconfigurations: [ListReconfiguration(id: one.id, rev: 3, light: read.light)],
            proof: Self.proof([read, two]))
        #expect(
            probe.tell(.received(.diff(ref: nil, .myMentions, Probe.epoch, diff)))
                == [.mentions(.live, [one.id, two.id], unread: 1)])
        #expect(probe.tell(.closeMentions) == [.send(3, .unsubscribe(.myMentions))])
    }

    @Test func aRefusalIsTold() {
        let forbidden = WireError(.role, "not you")
        var probe = Probe.ready()
        probe.tell(.follow(.myMentions))

        #expect(probe.tell(.received(.error(ref: 2, forbidden))) == [.notice(.refused(.myMentions, forbidden))])
    }
}
