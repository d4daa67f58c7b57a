import CChatSocket
import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct UTF8Tests {
    private func accepts(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { chatsock_is_utf8($0.baseAddress, $0.count) }
    }

    /// The same question to the standard library.
    private func isText(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    @Test
    func everySequenceOfUpToTwoBytesIsJudgedAsTheStandardLibraryDoes() {
        for a in UInt8.min...UInt8.max {
            #expect(accepts([a]) == isText([a]))
            for b in UInt8.min...UInt8.max {
                guard accepts([a, b]) == isText([a, b]) else {
                    Issue.record("\([a, b])")
                    continue
                }
            }
        }
    }

    @Test
    func everyLongCharacterIsJudgedAsTheStandardLibraryDoes() {
        let edges: [UInt8] = [0x00, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x9F, 0xA0, 0xBE, 0xBF, 0xC0, 0xFF]
        for a in UInt8(0xE0)...UInt8.max {
            for b in UInt8.min...UInt8.max {
                for c in edges {
                    for tail in [[c], [c, 0x80], [c, 0xBF], [c, 0xC0], [c, 0x41]]
                    where accepts([a, b] + tail) != isText([a, b] + tail) {
                        Issue.record("\([a, b] + tail)")
                    }
                }
            }
        }
    }

    @Test
    func everyScalarIsAccepted() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            guard accepts(Array(String(scalar).utf8)) else {
                Issue.record("U+\(String(value, radix: 16))")
                continue
            }
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func randomTextWithRandomDamageIsJudgedAsTheStandardLibraryDoes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let pieces = ["hello", "ü", "→", "😀", "\u{0}", "日本語"]
            var bytes = (0..<Int.random(in: 0...12, using: &random)).flatMap { _ in
                Array(pieces.randomElement(using: &random)!.utf8)
            }
            if let index = bytes.indices.randomElement(using: &random), Bool.random(using: &random) {
                bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            }
            #expect(accepts(bytes) == isText(bytes), "\(bytes)")
        }
    }

    static let bad: [[UInt8]] = [
        [0xC3, 0x28], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x82],
        [0xF0, 0x80, 0x80, 0x80],
    ]

    @Test(arguments: bad)
    func aMessageThatIsNoUTF8IsNeverDeliveredAndCloses(message: [UInt8]) throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        peer.send(0x81, message)

        #expect(try peer.closeCode() == 1007)
        #expect(try server.closed(connection) == 1007)
        #expect(try server.answers())
    }

    @Test
    func halfACharacterAndAnEmptyEndIsNoUTF8() throws {
        let server = try TestServer()
        let (peer, _) = try server.rawPeer()

        peer.send(0x01, [0xE2, 0x82])
        peer.send(0x80, [])

        #expect(try peer.closeCode() == 1007)
    }

    @Test
    func textThatCannotBecomeUTF8ClosesBeforeItsEnd() throws {
        let server = try TestServer()
        let (peer, _) = try server.rawPeer()

        peer.send(0x01, Array("so far so good".utf8))
        peer.send(0x00, [0xE2, 0x28])

        #expect(try peer.closeCode() == 1007)
    }

    @Test
    func aCharacterMayBeCutBetweenFragments() throws {
        let server = try TestServer()
        let (peer, connection) = try server.rawPeer()

        peer.send(0x01, [0xE2])
        peer.send(0x00, [0x82])
        peer.send(0x80, [0xAC])
        peer.send("next")

        #expect(try server.received(on: connection) == Array("€".utf8))
        #expect(try server.received(on: connection) == Array("next".utf8))
    }
}
