import TestSupport

/// Chapters 6 and 7: text, and closing.
extension EchoCase {
    private static let greek = Array("Hello-µ@ßöäüàá-UTF-8!!".utf8)
    private static let cosmos = Array("κόσμε".utf8)
    private static let edited = Array("edited".utf8)

    static let text: [EchoCase] =
        whole + broken + cosmos.indices.dropLast().map(beginning)
        + (valid + planes).map { EchoCase($0.0, [frame(0x81, $0.1)], hears: [message(0x81, $0.1)]) }
        + invalid.map { EchoCase($0.0, [frame(0x81, $0.1)], end: noText) }

    private static let whole: [EchoCase] = [
        EchoCase("6.1.1", [frame(0x81)], hears: [.text("")]),
        EchoCase("6.1.2", [frame(0x01), frame(0x00), frame(0x80)], hears: [.text("")]),
        EchoCase("6.1.3", [frame(0x01), frame(0x00, text: "middle"), frame(0x80)], hears: [.text("middle")]),
        EchoCase("6.2.1", [frame(0x81, greek)], hears: [message(0x81, greek)]),
        EchoCase("6.2.2", fragments(1, greek, of: 12), hears: [message(0x81, greek)]),
        EchoCase("6.2.3", fragments(1, greek, of: 1), hears: [message(0x81, greek)]),
        EchoCase("6.2.4", fragments(1, cosmos, of: 1), hears: [message(0x81, cosmos)]),
    ]

    private static let surrogate: [UInt8] = cosmos + [0xED, 0xA0, 0x80] + edited
    private static let above: [UInt8] = [0xF4, 0x90, 0x80, 0x80]

    private static let broken: [EchoCase] = [
        EchoCase("6.3.1", [frame(0x81, surrogate)], end: noText),
        EchoCase("6.3.2", fragments(1, surrogate, of: 1), end: noText),
        EchoCase("6.4.1", [frame(0x01, cosmos), frame(0x00, above), frame(0x80, edited)], pace: .frames, end: noText),
        EchoCase("6.4.2", fragments(1, cosmos + above + edited, of: cosmos.count + 1), pace: .frames, end: noText),
        EchoCase("6.4.3", [frame(0x81, cosmos + above + edited)], pace: .octets, end: noText),
        EchoCase("6.4.3, cut", [frame(0x81, cosmos + above + edited).dropLast(edited.count)], end: noText),
        EchoCase("6.4.4", [frame(0x81, cosmos + above.prefix(2) + edited)], pace: .octets, end: noText),
    ]

    /// A text that ends within a character.
    private static func beginning(upTo end: Int) -> EchoCase {
        let start = Array(cosmos[...end])
        let isWhole = String(validating: start, as: UTF8.self) != nil
        let hears = isWhole ? [message(0x81, start)] : []
        return EchoCase("6.6.\(end + 1)", [frame(0x81, start)], hears: hears, end: isWhole ? .lives : noText)
    }

    private static let valid: [(String, [UInt8])] = [
        ("6.5.1", cosmos), ("6.7.1", [0]), ("6.7.2", [0xC2, 0x80]), ("6.7.3", [0xE0, 0xA0, 0x80]),
        ("6.7.4", [0xF0, 0x90, 0x80, 0x80]), ("6.9.1", [0x7F]), ("6.9.2", [0xDF, 0xBF]), ("6.9.3", [0xEF, 0xBF, 0xBF]),
        ("6.9.4", [0xF4, 0x8F, 0xBF, 0xBF]), ("6.11.1", [0xED, 0x9F, 0xBF]), ("6.11.2", [0xEE, 0x80, 0x80]),
        ("6.11.3", [0xEF, 0xBF, 0xBD]), ("6.11.4", [0xF4, 0x8F, 0xBF, 0xBF]), ("6.22.1", [0xEF, 0xBF, 0xBE]),
        ("6.22.2", [0xEF, 0xBF, 0xBF]), ("6.23.1", [0xEF, 0xBF, 0xBD]),
    ]

    /// The last two code points of each plane are not characters, but valid text.
    private static let planes: [(String, [UInt8])] = (0..<32).map { (index: Int) in
        let scalar = UInt32(index / 2 + 1) << 16 | (index % 2 == 0 ? 0xFFFE : 0xFFFF)
        return ("6.22.\(index + 3)", Array(String(Unicode.Scalar(scalar)!).utf8))
    }

    private static let invalid: [(String, [UInt8])] = [
        ("6.8.1", [0xF8, 0x88, 0x80, 0x80, 0x80]), ("6.8.2", [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]),
        ("6.10.1", [0xF7, 0xBF, 0xBF, 0xBF]), ("6.10.2", [0xFB, 0xBF, 0xBF, 0xBF, 0xBF]),
        ("6.10.3", [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF]), ("6.11.5", [0xF4, 0x90, 0x80, 0x80]), ("6.12.1", [0x80]),
        ("6.12.2", [0xBF]), ("6.12.3", [0x80, 0xBF]), ("6.12.4", [0x80, 0xBF, 0x80]),
        ("6.12.5", [0x80, 0xBF, 0x80, 0xBF]),
        ("6.12.6", [0x80, 0xBF, 0x80, 0xBF, 0x80]), ("6.12.7", [0x80, 0xBF, 0x80, 0xBF, 0x80, 0xBF]),
        ("6.12.8", (0x80...0xBE).map { $0 }), ("6.13.1", lonely(0xC0...0xDF)), ("6.13.2", lonely(0xE0...0xEF)),
        ("6.13.3", lonely(0xF0...0xF7)), ("6.13.4", lonely(0xF8...0xFB)), ("6.13.5", lonely(0xFC...0xFD)),
        ("6.14.1", [0xC0]), ("6.14.2", [0xE0, 0x80]), ("6.14.3", [0xF0, 0x80, 0x80]),
        ("6.14.4", [0xF8, 0x80, 0x80, 0x80]),
        ("6.14.5", [0xFC, 0x80, 0x80, 0x80, 0x80]), ("6.14.6", [0xDF]), ("6.14.7", [0xEF, 0xBF]),
        ("6.14.8", [0xF7, 0xBF, 0xBF]), ("6.14.9", [0xFB, 0xBF, 0xBF, 0xBF]),
        ("6.14.10", [0xFD, 0xBF, 0xBF, 0xBF, 0xBF]),
        ("6.15.1", [0xC0, 0xE0, 0x80, 0xF0, 0x80, 0x80, 0xF8, 0x80, 0x80, 0x80]), ("6.16.1", [0xFE]),
        ("6.16.2", [0xFF]),
        ("6.16.3", [0xFE, 0xFE, 0xFF, 0xFF]), ("6.17.1", [0xC0, 0xAF]), ("6.17.2", [0xE0, 0x80, 0xAF]),
        ("6.17.3", [0xF0, 0x80, 0x80, 0xAF]), ("6.17.4", [0xF8, 0x80, 0x80, 0x80, 0xAF]),
        ("6.17.5", [0xFC, 0x80, 0x80, 0x80, 0x80, 0xAF]), ("6.18.1", [0xC1, 0xBF]), ("6.18.2", [0xE0, 0x9F, 0xBF]),
        ("6.18.3", [0xF0, 0x8F, 0xBF, 0xBF]), ("6.18.4", [0xF8, 0x87, 0xBF, 0xBF, 0xBF]),
        ("6.18.5", [0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF]), ("6.19.1", [0xC0, 0x80]), ("6.19.2", [0xE0, 0x80, 0x80]),
        ("6.19.3", [0xF0, 0x80, 0x80, 0x80]), ("6.19.4", [0xF8, 0x80, 0x80, 0x80, 0x80]),
        ("6.19.5", [0xFC, 0x80, 0x80, 0x80, 0x80, 0x80]), ("6.20.1", [0xED, 0xA0, 0x80]),
        ("6.20.2", [0xED, 0xAD, 0xBF]),
        ("6.20.3", [0xED, 0xAE, 0x80]), ("6.20.4", [0xED, 0xAF, 0xBF]), ("6.20.5", [0xED, 0xB0, 0x80]),
        ("6.20.6", [0xED, 0xBE, 0x80]), ("6.20.7", [0xED, 0xBF, 0xBF]),
        ("6.21.1", [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]), ("6.21.2", [0xED, 0xA0, 0x80, 0xED, 0xBF, 0xBF]),
        ("6.21.3", [0xED, 0xAD, 0xBF, 0xED, 0xB0, 0x80]), ("6.21.4", [0xED, 0xAD, 0xBF, 0xED, 0xBF, 0xBF]),
        ("6.21.5", [0xED, 0xAE, 0x80, 0xED, 0xB0, 0x80]), ("6.21.6", [0xED, 0xAE, 0x80, 0xED, 0xBF, 0xBF]),
        ("6.21.7", [0xED, 0xAF, 0xBF, 0xED, 0xB0, 0x80]), ("6.21.8", [0xED, 0xAF, 0xBF, 0xED, 0xBF, 0xBF]),
    ]

    private static func lonely(_ starts: ClosedRange<UInt8>) -> [UInt8] { starts.flatMap { [$0, 0x20] } }

    // MARK: - Closing

    private static func close(_ code: Int, _ reason: [UInt8] = []) -> [UInt8] {
        frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    private static let hello = frame(0x81, text: "Hello World!")
    private static let normal = End.fails([1000])

    static let closing: [EchoCase] = closes + codes

    private static let closes: [EchoCase] = [
        EchoCase("7.1.1", [hello, close(1000)], pace: .frames, end: normal),
        EchoCase("7.1.2", [close(1000), close(1000)], pace: .frames, end: normal),
        EchoCase("7.1.3", [close(1000), frame(0x89)], pace: .frames, end: normal),
        EchoCase("7.1.4", [close(1000), hello], pace: .frames, end: normal),
        EchoCase("7.1.5", [frame(0x01, text: "fragment1"), close(1000), frame(0x80, text: "fragment2")], end: normal),
        EchoCase(
            "7.1.6", [frame(0x81, [UInt8](repeating: 0x2A, count: 256 << 10)), hello, close(1000), frame(0x89)],
            end: .fails([1000, 0])),
        EchoCase("7.3.1", [frame(0x88)], end: .fails([0])),
        EchoCase("7.3.2", [frame(0x88, [0x61])], end: breach),
        EchoCase("7.3.3", [close(1000)], end: normal),
        EchoCase("7.3.4", [close(1000, Array("Hello World!".utf8))], end: normal),
        EchoCase("7.3.5", [close(1000, [UInt8](repeating: 0x2A, count: 123))], end: normal),
        EchoCase("7.3.6", [close(1000, [UInt8](repeating: 0x2A, count: 124))], end: breach),
        EchoCase("7.5.1", [close(1000, surrogate)], end: noText),
    ]

    private static let good = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
    private static let bad = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999]
    private static let unheardOf = [5000, 65_535]

    private static let codes: [EchoCase] =
        good.indices.map { EchoCase("7.7.\($0 + 1)", [close(good[$0])], end: .fails([UInt16(good[$0])])) }
        + bad.indices.map { EchoCase("7.9.\($0 + 1)", [close(bad[$0])], end: breach) }
        + unheardOf.indices.map { EchoCase("7.13.\($0 + 1)", [close(unheardOf[$0])], end: breach) }
}
