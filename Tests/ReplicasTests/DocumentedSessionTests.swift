import ChatWire
import Replicas
import TestSupport
import Testing

/// The sessions in docs/protocol.md and docs/protocol-reference.md.
struct DocumentedSessionTests {
    @Test func theSessionThereCanBeFollowed() throws {
        var replica: Replica<Message>?
        for json in try ProtocolDocuments.frames(after: "←").prefix(6) {
            switch try ServerFrame(json: json) {
            case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>): replica = try Replica(snapshot)
            case .diff(_, _, let epoch, let diff as ListDiff<Message>): try replica?.apply(diff, epoch: epoch)
            default: continue
            }
        }

        #expect(replica?.revision == 9)
        #expect(replica?.rows.map(\.text) == ["I am"])
    }

    @Test func theMembersThereCanBeFollowed() throws {
        var replica: Replica<Member>?
        for json in try ProtocolDocuments.frames(after: "←") {
            switch try ServerFrame(json: json) {
            case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Member>): replica = try Replica(snapshot)
            case .diff(_, _, let epoch, let diff as ListDiff<Member>): try replica?.apply(diff, epoch: epoch)
            default: continue
            }
        }

        #expect(replica?.revision == 13 && replica?.counts == [.online: 2, .offline: 2, .invited: 1])
        #expect(replica?.rows.map(\.id.description) == ["ann", "dan", "bob", "cid", "eve"])
    }
}
