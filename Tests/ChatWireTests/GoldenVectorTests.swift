import ChatWire
import Foundation
import Testing

/// The vectors of docs/protocol/vectors, which any language can replay.
struct GoldenVectorTests {
    @Test(arguments: ["operations", "windows", "refusals"])
    func aReplicaLivesAsTheVectorsSay(file: String) throws {
        for life in try Vectors.read(file) {
            var replica: Replica<Message>?
            for step in try #require(life["steps"] as? [[String: Any]]) {
                let outcome = Self.take(try Vectors.json(step["frame"]), &replica)
                let after = try #require(step["after"] as? [String: Any])

                #expect(outcome == step["outcome"] as? String, "\(life["title"] ?? "")")
                try expect(replica, is: after, "\(life["title"] ?? "")")
            }
        }
    }

    @Test func framesAreTakenOrRefusedAsTheVectorsSay() throws {
        for example in try Vectors.read("client-frames") {
            let text = try #require(example["text"] as? String)
            let found: [String?]
            do {
                found = [nil, "\(try ClientFrame(json: Array(text.utf8)).ref)", nil]
            } catch FrameError.notAnObject {
                found = [nil, nil, "\(CloseCode.badFrame)"]
            } catch FrameError.bad(let ref, let error) {
                found = [error.code.rawValue, ref.map { "\($0)" }, nil]
            }
            let ref = (example["ref"] as? Int).map { "\($0)" }
            let close = (example["close"] as? Int).map { "\($0)" }

            #expect(found == [example["error"] as? String, ref, close], "\(text)")
        }
    }

    @Test func digestsAreWhatTheVectorsSay() throws {
        for example in try Vectors.read("digests") {
            let rows = try #require(example["rows"] as? [[String: Any]]).map { row in
                Message(
                    id: try #require(MessageID(row["id"] as? String ?? "")), section: .history,
                    sort: try #require(row["sort"] as? UInt64), rev: try #require(row["rev"] as? UInt64),
                    author: try #require(UserName("ann")), time: 0, text: "")
            }

            #expect(ListDigest(rows.suffix(ListDigest.window)).value == example["digest"] as? UInt32)
        }
    }

    /// Returns the outcome, as the vectors name it.
    private static func take(_ json: [UInt8], _ replica: inout Replica<Message>?) -> String {
        do {
            switch try ServerFrame(json: json) {
            case .snapshot(_, _, let snapshot): replica = try Replica(snapshot)
            case .diff(_, _, let epoch, let diff):
                let before = replica?.revision
                try replica?.apply(diff, epoch: epoch)
                return replica?.revision == before ? "ignored" : "applied"
            case .page(_, _, let epoch, let page): try replica?.insert(page, epoch: epoch)
            case let other: return "unexpected \(other)"
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

    private func expect(_ replica: Replica<Message>?, is state: [String: Any], _ title: String) throws {
        let rows = try #require(state["rows"] as? [[String: Any]])
        // A diff whose insertions they are reads them with their sections.
        let frame: [String: Any] = [
            "type": "diff", "list": "room/lobby/messages", "epoch": "e", "from": 0, "to": 1, "ins": rows, "count": 0,
            "digest": 0,
        ]
        guard case .diff(_, _, _, let expected) = try ServerFrame(json: Vectors.json(frame)) else { return }

        #expect(replica?.rows == expected.insertions, "\(title)")
        #expect(replica?.revision == state["revision"] as? UInt64, "\(title)")
        #expect(replica?.more == state["more"] as? Bool, "\(title)")
    }
}

/// The files under docs/protocol.
enum Vectors {
    static var docs: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs")
    }

    static func read(_ name: String) throws -> [[String: Any]] {
        let data = try Data(contentsOf: docs.appending(path: "protocol/vectors/\(name).json"))
        let cases = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        try #require(!cases.isEmpty)
        return cases
    }

    static func json(_ object: Any?) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: try #require(object)))
    }
}
