import TerminalUI
import Testing

@Suite struct NeutralizedTests {
    @Test(arguments: [
        ("plain\ntext", "plain\ntext"),
        ("\u{1B}[2Jgone", "␛[2Jgone"),
        ("bell\u{7}del\u{7F}", "bell␇del␡"),
        ("\u{9B}31m", "\u{FFFD}31m"),
        ("one\r\ntwo\rthree\u{2028}four", "one\ntwo\nthree\nfour"),
        ("a\tb", "a    b"),
        ("admin\u{202E}gpj.exe", "admingpj.exe"),
        ("a\u{200B}b\u{FEFF}c\u{2060}d", "abcd"),
        ("👩‍💻 ❤️ 🇩🇪", "👩‍💻 ❤️ 🇩🇪"),
        ("na\u{200C}me", "na\u{200C}me"),
    ])
    func nothingIsLeftThatATerminalObeys(text: String, neutral: String) {
        #expect(Array(text.neutralized.unicodeScalars) == Array(neutral.unicodeScalars))
    }

    @Test func aLetterCarriesAtMostFourMarks() {
        let zalgo = "z" + String(repeating: "\u{301}", count: 40) + "a"

        #expect(zalgo.neutralized.unicodeScalars.count == 6)
    }
}
