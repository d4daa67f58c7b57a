import Testing

@testable import diffroom

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain text", "plain text"),
        ("größe 日本 👩‍👩‍👧 🏳️‍🌈", "größe 日本 👩‍👩‍👧 🏳️‍🌈"),
        ("\u{1B}[2Jgone", "␛[2Jgone"),
        ("bell\u{07} del\u{7F} csi\u{9B}31m", "bell␇ del␡ csi<U+9B>31m"),
        ("abc\u{202E}txt.exe", "abc<U+202E>txt.exe"),
        ("\u{2066}a\u{2069}\u{200F}\u{FEFF}", "<U+2066>a<U+2069><U+200F><U+FEFF>"),
        ("one\r\ntwo\rthree\u{2028}four\u{85}five", "one\n\ntwo\nthree\nfour\nfive"),
        ("a\tb\u{0}c", "a b␀c"),
    ])
    func nothingInATextCanDoAnythingToATerminal(text: String, shown: String) {
        #expect(harmless(text) == shown.replacing("\n\n", with: "\n"))
    }

    @Test func noControlCharacterComesThrough() {
        let everything = String(String.UnicodeScalarView((0..<0x3000).compactMap(Unicode.Scalar.init)))

        let controls = harmlessLine(everything).unicodeScalars.filter { $0.properties.generalCategory == .control }

        #expect(controls.isEmpty)
    }
}
