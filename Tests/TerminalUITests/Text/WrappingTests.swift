import TerminalUI
import TestSupport
import Testing

@Suite struct WrappingTests {
    @Test(arguments: [
        ("", 5, [""]),
        ("hello", 5, ["hello"]),
        ("hello world", 5, ["hello", "world"]),
        ("hello  world", 7, ["hello", "world"]),
        ("a b c d", 3, ["a b", "c d"]),
        ("one\n\ntwo", 5, ["one", "", "two"]),
        ("antidisestablishment", 8, ["antidise", "stablish", "ment"]),
        ("to antidisestablishment", 8, ["to", "antidise", "stablish", "ment"]),
        ("  let x = 1 + 2", 8, ["  let x", "= 1 + 2"]),
        ("日本語の文章", 5, ["日本", "語の", "文章"]),
        ("日本語、文章", 6, ["日本", "語、文", "章"]),
        ("see 日本語", 6, ["see 日", "本語"]),
        ("👩‍💻👩‍💻👩‍💻", 4, ["👩‍💻👩‍💻", "👩‍💻"]),
    ])
    func aTextIsBrokenWhereAReaderWould(text: String, width: Int, lines: [String]) {
        #expect(text.wrapped(to: width).map(String.init) == lines)
    }

    @Test(arguments: UInt64(0)..<300)
    func noLineIsTooWideAndNothingButBlanksIsLost(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = ["a", "word", " ", "  ", "漢", "👍🏽", "e\u{301}", "\n", "、", "(", "longerthanmost"]
        let text = (0..<40).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        let width = Int.random(in: 2...20, using: &random)

        let lines = text.wrapped(to: width)

        #expect(lines.allSatisfy { $0.displayWidth <= width })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " && $0 != "\n" })
    }
}
