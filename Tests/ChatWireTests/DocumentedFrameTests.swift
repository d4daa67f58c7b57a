import ChatWire
import TestSupport
import Testing

/// The frames in docs/protocol.md and docs/protocol-reference.md.
struct DocumentedFrameTests {
    @Test func whatAClientSaysThereIsRead() throws {
        var limits = WireLimits()
        (limits.files, limits.fileBytes) = (10, 100 << 20)
        for json in try ProtocolDocuments.frames(after: "→") {
            #expect(throws: Never.self, "\(String(decoding: json, as: UTF8.self))") {
                try ClientFrame(json: json, limits: limits)
            }
        }
    }

    @Test func whatAServerSaysThereIsReadAndWrittenTheSame() throws {
        for json in try ProtocolDocuments.frames(after: "←") {
            let written = String(decoding: try ServerFrame(json: json).json, as: UTF8.self)
            #expect(written == String(decoding: json, as: UTF8.self))
        }
    }
}
