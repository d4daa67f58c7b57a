import Testing

@testable import TerminalUI

@Suite struct GlyphTests {
    private let all = GlyphSupport(joinsEmoji: true, pairsFlags: true)

    /// The cells as text, with the C library's widths, and one character that it does not know.
    private func cells(_ grapheme: Character, _ support: GlyphSupport) -> [String] {
        let glyph = Glyph(grapheme, support: support, limit: 5) { $0 == "🫨" ? -1 : $0.displayWidth }
        return glyph.cells.map { cell in String(String.UnicodeScalarView(cell)) }
    }

    @Test(
        arguments: [
            ("a", ["a"]), ("e\u{301}", ["e\u{301}"]), ("漢", ["漢"]), ("👍", ["👍"]), ("का", ["क", "ा"]),
            ("🫨", ["\u{FFFD}", " "]),
        ] as [(Character, [String])])
    func whatAllTerminalsDrawAlikeIsDrawnAsItIs(grapheme: Character, expected: [String]) {
        #expect(cells(grapheme, .least) == expected)
    }

    @Test(
        arguments: [
            ("👍🏽", ["👍🏽"]), ("👩‍💻", ["👩‍💻"]), ("👨‍👩‍👧‍👦", ["👨‍👩‍👧"]), ("🇩🇪", ["🇩", "🇪"]), ("❤️", ["❤", " "]),
            ("1️⃣", ["1\u{20E3}", " "]),
        ] as [(Character, [String])])
    func aTerminalThatJoinsGetsTheWhole(grapheme: Character, expected: [String]) {
        #expect(cells(grapheme, all).map { Array($0.unicodeScalars) } == expected.map { Array($0.unicodeScalars) })
    }

    @Test(
        arguments: [
            ("👍🏽", ["👍"]), ("👩‍💻", ["👩"]), ("🇩🇪", ["D", "E"]), ("❤️", ["❤", " "]),
        ] as [(Character, [String])])
    func oneThatDoesNotGetsTheFirstOfIt(grapheme: Character, expected: [String]) {
        #expect(cells(grapheme, .least) == expected)
    }
}
