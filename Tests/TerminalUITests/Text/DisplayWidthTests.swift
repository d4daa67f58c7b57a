import CCurses
import Glibc
import TerminalUI
import Testing

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("a", 1), ("é", 1), ("e\u{301}", 1), ("漢", 2), ("ｱ", 1), ("Ａ", 2), ("가", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
        ("👍", 2), ("👍🏽", 2), ("❤", 1), ("❤️", 2), ("👩‍💻", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("🏳️‍🌈", 2), ("1️⃣", 2),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("का", 2), ("\u{200B}", 0), ("\u{7}", 0), ("", 0), ("naïve café", 10), ("日本語 ok", 9),
    ])
    func aTextTakesAsManyColumnsAsATerminalGivesIt(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test func theWidthOfEachCharacterIsThatOfTheCLibrary() {
        setlocale(LC_ALL, "C.UTF-8")
        let known = (0x20..<UInt32(0x30000)).compactMap(Unicode.Scalar.init).filter { wcwidth(wchar_t($0.value)) >= 0 }
        let unlike = known.filter { wcwidth(wchar_t($0.value)) != $0.displayWidth }

        // A vowel sign of Ahom, whose width was changed; newer libraries may add a few.
        #expect(unlike.count < 10, "\(unlike.map { String($0.value, radix: 16) })")
    }

    @Test(arguments: [("漢字かな", 5, "漢字"), ("abc", 3, "abc"), ("e\u{301}e\u{301}", 1, "e\u{301}"), ("👩‍💻x", 1, "")])
    func whatFitsIsCutBetweenGraphemes(text: String, width: Int, front: String) {
        #expect(text.fitting(width) == front)
    }

    @Test func aTruncatedTextEndsWithAnEllipsis() {
        #expect("漢字かな".truncated(to: 5) == "漢字…")
        #expect("abc".truncated(to: 3) == "abc")
    }
}
