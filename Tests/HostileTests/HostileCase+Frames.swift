import TestSupport

extension HostileCase {
    private static func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] { RawPeer.frame(first, payload) }
    private static let hello = Array(#"{"type": "hello", "ref": 1, "user": "eve"}"#.utf8)

    private static let padding = [UInt8](repeating: 0x61, count: 60_000)

    /// A message that is answered with `too_large`, after which the connection goes on.
    private static func tooLong(_ name: String, _ frames: [UInt8]...) -> HostileCase {
        HostileCase(name, "too_large, then welcome") { server in
            let peer = try server.open()
            peer.write(Array(frames.joined()) + frame(0x81, hello))
            let answers = [try peer.next()?.text, try peer.next()?.text]
            return ["too_large", "welcome"].enumerated().allSatisfy { answers[$0]?.contains($1) == true }
                ? "too_large, then welcome" : "\(answers)"
        }
    }

    /// Frames that break the protocol, or test its limits.
    static let frames: [HostileCase] = [
        .frames("a reserved bit", "1002", frame(0xC1, hello)),
        .frames("the second reserved bit", "1002", frame(0xA1, hello)),
        .frames("a data frame that is none", "1002", frame(0x83, hello)),
        .frames("a control frame that is none", "1002", frame(0x8B)),
        .frames("a continuation of nothing", "1002", frame(0x80, hello)),
        .frames("a message within a message", "1002", frame(0x01, [0x7B]), frame(0x81, [0x7D])),
        .frames("a ping in fragments", "1002", frame(0x09, [1])),
        .frames("a ping of 126 bytes", "end", frame(0x89, [UInt8](repeating: 0, count: 126))),
        .frames("a close of 126 bytes", "end", frame(0x88, [UInt8](repeating: 0, count: 126))),
        .frames("a close of one byte", "1002", frame(0x88, [0x03])),
        .frames("a close code that is reserved", "1002", frame(0x88, [0x03, 0xED])),
        .frames("a close code out of range", "1002", frame(0x88, [0xFF, 0xFF])),
        .frames("a close reason that is no text", "1007", frame(0x88, [0x03, 0xE8, 0xFF])),
        .frames("a binary message", "1003", frame(0x82, hello)),
        .frames("an overlong character", "1007", frame(0x81, [0xC0, 0xAF])),
        .frames("half a surrogate", "1007", frame(0x81, [0xED, 0xA0, 0x80])),
        .frames("above Unicode", "1007", frame(0x81, [0xF4, 0x90, 0x80, 0x80])),
        .frames("half a character at the end", "1007", frame(0x01, [0x61, 0xC3]), frame(0x80)),
        .frames("a character that goes wrong later", "1007", frame(0x01, [0xE2, 0x82]), frame(0x00, [0x61])),
        .frames("a message of 2^63 - 1 bytes", "1009", RawPeer.frame(0x81, [0x61], announced: UInt64.max >> 1)),
        .frames("a message of 2^63 bytes", "end", RawPeer.frame(0x81, [0x61], announced: 1 << 63)),
        .frames("a message of a GB", "1009", RawPeer.frame(0x81, [0x61], announced: 1 << 30)),
        .frames(
            "a message that grows and grows", "1009",
            frame(0x01) + (0..<20).flatMap { _ in frame(0x00, [UInt8](repeating: 0x61, count: 60_000)) }),
        .tooLong("a message that grows over the limit", frame(0x01, padding), frame(0x80, padding)),
        .tooLong("a long message that is no text", frame(0x81, [0xC0] + padding + padding)),
        .tooLong(
            "a long message of bits of JSON",
            frame(0x81, Array(repeatElement(Array(#"{"ref":"#.utf8), count: 20_000).joined()))),
        .tooLong("a long message of commas", frame(0x81, [UInt8](repeating: 0x2C, count: 100_000))),
        .frames("2,000 empty fragments", "1009", frame(0x01), (0..<2_000).flatMap { _ in frame(0x00) }),
        .frames("a byte that is no JSON", "4501", frame(0x81, [0x7B])),
        .frames("an array", "4501", frame(0x81, Array("[]".utf8))),
        .tooLong("100,000 brackets", frame(0x81, [UInt8](repeating: 0x5B, count: 100_000))),
        .frames("15,000 brackets", "4501", frame(0x81, [UInt8](repeating: 0x5B, count: 15_000))),
        .frames("30,000 brackets before hello", "4004", frame(0x81, [UInt8](repeating: 0x5B, count: 30_000))),
        .frames("compressed, though nobody agreed to it", "1002", frame(0xC1, [0x4A, 0x04, 0x00])),
        HostileCase("a frame before the handshake is answered", "welcome") { server in
            let peer = try server.peer()
            let request = (["GET /ws HTTP/1.1"] + RawPeer.upgrade + ["", ""]).joined(separator: "\r\n")
            peer.write(Array(request.utf8) + frame(0x81, hello))
            _ = try peer.readHeader()
            return try peer.next()?.text.contains("welcome") == true ? "welcome" : "nothing"
        },
    ]
}
