import ChatWire
import Foundation
import Testing

/// The frames in docs/protocol.md.
struct DocumentedFrameTests {
    private static func frames(after arrow: String) throws -> [[UInt8]] {
        let page = try String(contentsOf: Vectors.docs.appending(path: "protocol.md"), encoding: .utf8)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("    \(arrow) {") }
        try #require(lines.count > 9)
        return lines.map { Array($0.drop { $0 != "{" }.utf8) }
    }

    @Test func whatAClientSaysThereIsRead() throws {
        for json in try Self.frames(after: "→") {
            #expect(throws: Never.self, "\(String(decoding: json, as: UTF8.self))") { try ClientFrame(json: json) }
        }
    }

    @Test func whatAServerSaysThereIsReadAndWrittenTheSame() throws {
        for json in try Self.frames(after: "←") {
            let written = String(decoding: try ServerFrame(json: json).json, as: UTF8.self)
            #expect(written == String(decoding: json, as: UTF8.self))
        }
    }

    @Test func theSessionThereCanBeFollowed() throws {
        var replica: Replica<Message>?
        for json in try Self.frames(after: "←").prefix(6) {
            switch try ServerFrame(json: json) {
            case .snapshot(_, _, let snapshot): replica = try Replica(snapshot)
            case .diff(_, _, let epoch, let diff): try replica?.apply(diff, epoch: epoch)
            default: continue
            }
        }

        #expect(replica?.revision == 9)
        #expect(replica?.rows.map(\.text) == ["I am"])
    }

    @Test func theMembersThereCanBeFollowed() throws {
        var replica: Replica<Member>?
        for json in try Self.frames(after: "←") {
            switch try ServerFrame(json: json) {
            case .memberSnapshot(_, _, let snapshot): replica = try Replica(snapshot)
            case .memberDiff(_, _, let epoch, let diff): try replica?.apply(diff, epoch: epoch)
            default: continue
            }
        }

        #expect(replica?.revision == 13 && replica?.counts == [.online: 2, .offline: 2])
        #expect(replica?.rows.map(\.id.description) == ["ann", "dan", "cid", "bob"])
    }
}
