import TestSupport

/// Chapters 1 to 5, 9 and 10: frames of every kind, size and order.
extension EchoCase {
    static let framing: [EchoCase] = sizes(chapter: 1, first: 0x81) + sizes(chapter: 2, first: 0x82)

    private static func sizes(chapter: Int, first: UInt8) -> [EchoCase] {
        [0, 125, 126, 127, 128, 65_535, 65_536, 65_536].enumerated().map { index, size in
            let payload = [UInt8](repeating: first == 0x81 ? 0x2A : 0xFE, count: size)
            let pieces = chopped(frame(first, payload), by: index == 7 ? 997 : .max)
            return EchoCase("1.\(chapter).\(index + 1)", pieces, pace: .frames, hears: [message(first, payload)])
        }
    }

    // MARK: - Pings

    private static let binary: [UInt8] = [0, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0, 0xFF]
    private static let most = [UInt8](repeating: 0xFE, count: 125)
    private static let ping = frame(0x89, text: "ping payload")
    private static let unsolicited = frame(0x8A, text: "unsolicited pong payload")

    /// 2.10 and 2.11, ten pings at once, are left out: libwebsockets answers the last that it has seen.
    static let pings: [EchoCase] = [
        EchoCase("2.1", [frame(0x89)], hears: [message(0x8A, [])]),
        EchoCase("2.2", [ping], hears: [pong("ping payload")]),
        EchoCase("2.3", [frame(0x89, binary)], hears: [message(0x8A, binary)]),
        EchoCase("2.4", [frame(0x89, most)], hears: [message(0x8A, most)]),
        EchoCase("2.5", [frame(0x89, most + [0xFE])], end: breach),
        EchoCase("2.6", [frame(0x89, most)], pace: .octets, hears: [message(0x8A, most)]),
        EchoCase("2.7", [frame(0x8A)]),
        EchoCase("2.8", [unsolicited]),
        EchoCase("2.9", [unsolicited, ping], hears: [pong("ping payload")]),
    ]

    // MARK: - Reserved bits and codes

    private static let hello = frame(0x81, text: "Hello, world!")

    /// Frames before the violation may be answered or not.
    static let reserved: [EchoCase] =
        [
            EchoCase("3.1", [frame(0xC1, text: "Hello, world!")], end: breach),
            EchoCase("3.2", [hello, frame(0xA1, text: "Hello, world!"), frame(0x89)], end: breach),
            EchoCase("3.3", [hello, frame(0xB1, text: "Hello, world!"), frame(0x89)], pace: .frames, end: breach),
            EchoCase("3.4", [hello, frame(0xC1, text: "Hello, world!"), frame(0x89)], pace: .octets, end: breach),
            EchoCase("3.5", [frame(0xD2, binary)], end: breach),
            EchoCase("3.6", [frame(0xE9, text: "Hello, world!")], end: breach),
            EchoCase("3.7", [frame(0xF8)], end: breach),
        ] + opcodes(part: 1, from: 0x83) + opcodes(part: 2, from: 0x8B)

    private static func opcodes(part: Int, from least: UInt8) -> [EchoCase] {
        let payload = "reserved opcode payload"
        return [
            EchoCase("4.\(part).1", [frame(least)], end: breach),
            EchoCase("4.\(part).2", [frame(least + 1, text: payload)], end: breach),
            EchoCase("4.\(part).3", [hello, frame(least + 2), frame(0x89)], end: breach),
            EchoCase("4.\(part).4", [hello, frame(least + 3, text: payload), frame(0x89)], pace: .frames, end: breach),
            EchoCase("4.\(part).5", [hello, frame(least + 4, text: payload), frame(0x89)], pace: .octets, end: breach),
        ]
    }

    // MARK: - Fragments

    private static let first = frame(0x01, text: "fragment1")
    private static let second = frame(0x80, text: "fragment2")

    static let fragmentation: [EchoCase] =
        [
            EchoCase("5.1", [frame(0x09, text: "fragment1"), second], end: breach),
            EchoCase("5.2", [frame(0x0A, text: "fragment1"), second], end: breach),
        ] + inFragments(0, .atOnce) + inFragments(1, .frames) + inFragments(2, .octets) + [
            EchoCase(
                "5.15", [first, second, frame(0x00, text: "fragment3"), frame(0x81, text: "fragment4")], end: breach),
            EchoCase("5.16", [frame(0x00, text: "fragment1"), first, second], end: breach),
            EchoCase("5.17", [frame(0x80, text: "fragment1"), first, second], end: breach),
            EchoCase("5.18", [first, frame(0x81, text: "fragment2")], end: breach),
            EchoCase("5.19", between, pace: .frames, hears: pongsFirst),
            EchoCase("5.20", between, pace: .frames, hears: pongsFirst),
        ]

    private static func inFragments(_ more: Int, _ pace: Pace) -> [EchoCase] {
        let whole = RawPeer.Message.text("fragment1fragment2")
        let (orphan, start) = (
            frame(0x80, text: "non-continuation payload"), frame(0x00, text: "non-continuation payload")
        )
        return [
            EchoCase("5.\(3 + more)", [first, second], pace: pace, hears: [whole]),
            EchoCase("5.\(6 + more)", [first, ping, second], pace: pace, hears: [pong("ping payload"), whole]),
            EchoCase("5.\(9 + more)", [orphan, hello], pace: pace, end: breach),
            EchoCase("5.\(12 + more)", [start, hello], pace: pace, end: breach),
        ]
    }

    private static let between: [[UInt8]] = [
        first, frame(0x00, text: "fragment2"), frame(0x89, text: "pongme 1!"), frame(0x00, text: "fragment3"),
        frame(0x00, text: "fragment4"), frame(0x89, text: "pongme 2!"), frame(0x80, text: "fragment5"),
    ]
    private static let pongsFirst: [RawPeer.Message] = [
        pong("pongme 1!"), pong("pongme 2!"), .text("fragment1fragment2fragment3fragment4fragment5"),
    ]

    // MARK: - Volume

    /// 9.1 to 9.8 and 10.1: long messages whole, in fragments and in pieces, and many short ones.
    static let large: [EchoCase] =
        each([64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20]) { index, size in
            [large("9.1.\(index)", 0x81, size), large("9.2.\(index)", 0x82, size)]
        }
        + each([64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20]) { index, size in
            let (text, other) = ("9.3.\(index)", "9.4.\(index)")
            return [large(text, 0x81, 4 << 20, fragments: size), large(other, 0x82, 4 << 20, fragments: size)]
        }
        + each([64, 128, 256, 512, 1_024, 2_048]) { index, size in
            let (text, other) = ("9.5.\(index)", "9.6.\(index)")
            return [large(text, 0x81, 1 << 20, pieces: size), large(other, 0x82, 1 << 20, pieces: size)]
        }
        + each([0, 16, 64, 256, 1_024, 4_096]) { index, size in
            [many("9.7.\(index)", 0x81, size), many("9.8.\(index)", 0x82, size)]
        }
        + [large("10.1.1", 0x81, 65_536, fragments: 1_300)]

    private static func each(_ sizes: [Int], _ cases: (Int, Int) -> [EchoCase]) -> [EchoCase] {
        sizes.indices.flatMap { cases($0 + 1, sizes[$0]) }
    }

    private static func large(
        _ number: String, _ first: UInt8, _ size: Int, fragments: Int? = nil, pieces: Int = .max
    ) -> EchoCase {
        let payload = [UInt8](repeating: 0x2A, count: size)
        var says = chopped(frame(first, payload), by: pieces)
        if let fragments { says = [Array(self.fragments(first & 0x0F, payload, of: fragments).joined())] }
        return EchoCase(number, says, pace: .frames, hears: [message(first, payload)])
    }

    private static func many(_ number: String, _ first: UInt8, _ size: Int) -> EchoCase {
        let payload = [UInt8](repeating: 0x2A, count: size)
        let says = [[UInt8]](repeating: frame(first, payload), count: 1_000)
        return EchoCase(number, says, hears: [RawPeer.Message](repeating: message(first, payload), count: 1_000))
    }

    private static func chopped(_ bytes: [UInt8], by size: Int) -> [[UInt8]] {
        guard size < bytes.count else { return [bytes] }
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
