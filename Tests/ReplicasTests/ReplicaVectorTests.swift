import ChatWire
import Replicas
import TestSupport
import Testing

/// The vectors of replicas in docs/protocol/vectors, which any language can replay.
struct ReplicaVectorTests {
    @Test(arguments: ["operations", "windows", "refusals", "ranges"])
    func aReplicaLivesAsTheVectorsSay(file: String) throws {
        try live(file, "room/lobby/messages") { ListFrame(messages: $0) }
    }

    @Test func aReplicaOfMembersLivesAsTheVectorsSay() throws {
        try live("members", "room/lobby/members") { ListFrame(members: $0) }
    }

    @Test(arguments: ["rooms", "threads"])
    func aReplicaOfRoomsLivesAsTheVectorsSay(file: String) throws {
        try live(file, "me/\(file)") { ListFrame(rooms: $0) }
    }

    private func live<Row>(_ file: String, _ list: String, _ read: (ServerFrame) -> ListFrame<Row>?) throws {
        for life in try ProtocolDocuments.vectors(file) {
            let title = "\(life["title"] ?? "")"
            var replica: Replica<Row>?
            for step in try #require(life["steps"] as? [[String: Any]]) {
                let outcome = Self.take(try ProtocolDocuments.json(try #require(step["frame"])), &replica, read)
                let after = try #require(step["after"] as? [String: Any])

                #expect(outcome == step["outcome"] as? String, "\(title)")
                let expected = try read(ServerFrame(json: Self.insertion(of: after, list)))
                guard case .diff(_, let diff) = expected else { throw FrameError.notAnObject(title) }
                #expect(replica?.rows == diff.insertions && replica?.counts == diff.counts, "\(title)")
                #expect(replica?.missing == diff.missing, "\(title)")
                #expect(replica?.revision == after["revision"] as? UInt64, "\(title)")
                #expect(replica?.more == after["more"] as? Bool, "\(title)")
                if let ranges = after["ranges"] as? [[UInt64]] {
                    // The last range is open at its end.
                    #expect(replica?.held.ranges.map { Self.bounds($0) } == ranges, "\(title)")
                }
            }
        }
    }

    private static func bounds(_ keys: SortKeys) -> [UInt64] {
        keys.upperBound == .max ? [keys.lowerBound] : [keys.lowerBound, keys.upperBound]
    }

    /// Returns the outcome, as the vectors name it.
    private static func take<Row>(
        _ json: [UInt8], _ replica: inout Replica<Row>?, _ read: (ServerFrame) -> ListFrame<Row>?
    ) -> String {
        do {
            switch try read(ServerFrame(json: json)) {
            case .snapshot(let snapshot): replica = try Replica(snapshot)
            case .diff(let epoch, let diff):
                let before = replica?.revision
                try replica?.apply(diff, epoch: epoch)
                let isIgnored = replica?.revision == before && diff.ranges == nil && diff.kept == nil
                return isIgnored ? "ignored" : "applied"
            case .page(let epoch, let page): try replica?.insert(page, epoch: epoch)
            case nil: return "unexpected"
            }
            return "applied"
        } catch let error as ReplicaError {
            return name(error)
        } catch {
            return "\(error)"
        }
    }

    private static func name(_ error: ReplicaError) -> String {
        switch error {
        case .otherEpoch: "other_epoch"
        case .gap: "gap"
        case .unknownOperation: "unknown_operation"
        case .malformed: "malformed"
        case .diverged: "diverged"
        case .stalePage: "stale_page"
        }
    }

    /// A diff that inserts all rows, so that they are read with their sections.
    private static func insertion(of state: [String: Any], _ list: String) throws -> [UInt8] {
        var frame: [String: Any] = [
            "type": "diff", "list": list, "epoch": "e", "from": 0, "to": 1, "count": 0, "digest": 0,
        ]
        frame["ins"] = state["rows"]
        frame["counts"] = state["counts"]
        frame["missing"] = state["missing"]
        return try ProtocolDocuments.json(frame)
    }
}

/// The content of a frame of one list.
private enum ListFrame<Row: ListRow> {
    case snapshot(ServerFrame.Snapshot<Row>)
    case diff(Epoch, ListDiff<Row>)
    case page(Epoch, ListPage<Row>)
}

extension ListFrame<Message> {
    init?(messages frame: ServerFrame) {
        switch frame {
        case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>): self = .snapshot(snapshot)
        case .diff(_, _, let epoch, let diff as ListDiff<Message>): self = .diff(epoch, diff)
        case .page(_, _, let epoch, let page as ListPage<Message>): self = .page(epoch, page)
        default: return nil
        }
    }
}

extension ListFrame<Member> {
    init?(members frame: ServerFrame) {
        switch frame {
        case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Member>): self = .snapshot(snapshot)
        case .diff(_, _, let epoch, let diff as ListDiff<Member>): self = .diff(epoch, diff)
        default: return nil
        }
    }
}

extension ListFrame<MyRoom> {
    fileprivate init?(rooms frame: ServerFrame) {
        switch frame {
        case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<MyRoom>): self = .snapshot(snapshot)
        case .diff(_, _, let epoch, let diff as ListDiff<MyRoom>): self = .diff(epoch, diff)
        default: return nil
        }
    }
}
