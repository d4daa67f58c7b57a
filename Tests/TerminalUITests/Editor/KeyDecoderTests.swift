import TerminalUI
import Testing

@Suite struct KeyDecoderTests {
    private func keys(_ inputs: [KeyInput]) -> [Key] {
        var decoder = KeyDecoder()
        return inputs.flatMap { decoder.decode($0) }
    }

    private func typed(_ text: String) -> [KeyInput] { text.unicodeScalars.map { .character($0) } }

    @Test func whatIsTypedComesAsItIs() {
        #expect(keys(typed("aé漢")) == [.text("a"), .text("é"), .text("漢")])
    }

    @Test(arguments: [
        ("\r", Key.named(.enter)), ("\u{7F}", .named(.backspace)), ("\t", .named(.tab)), ("\u{1}", .control("a")),
        ("\u{1B}b", .alt("b")), ("\u{1B}\r", .named(.altEnter)), ("\u{1B}\u{7F}", .named(.altBackspace)),
    ])
    func controlAndAltAreKnown(text: String, key: Key) {
        #expect(keys(typed(text)) == [key])
    }

    @Test func anEscapeThatStandsAloneIsAKey() {
        #expect(keys(typed("\u{1B}")) == [])
        #expect(keys(typed("\u{1B}") + [.pause]) == [.named(.escape)])
        #expect(keys(typed("\u{1B}") + [.key(.up)]) == [.named(.escape), .named(.up)])
    }

    @Test func theMouseIsAKeyButNoPartOfAPaste() {
        let mouse = Key.Mouse(.press, row: 1, column: 2)

        #expect(keys([.mouse(mouse)]) == [.mouse(mouse)])
        #expect(keys(typed("\u{1B}") + [.mouse(mouse)]) == [.named(.escape), .mouse(mouse)])
        #expect(keys([.pasteBegins, .mouse(mouse)] + typed("a") + [.pasteEnds]) == [.pasted("a")])
    }

    @Test func aPasteIsOneKeyWhateverIsInIt() {
        let pasted = keys([.pasteBegins] + typed("a\r\nb\u{1B}[A\t") + [.pause, .key(.enter), .pasteEnds] + typed("x"))

        #expect(pasted == [.pasted("a\r\nb\u{1B}[A\t\n"), .text("x")])
    }

    @Test func aPasteThatIsTooLongIsLeftOutWhole() {
        func paste(_ count: Int) -> [Key] {
            keys([.pasteBegins] + Array(repeating: KeyInput.character("x"), count: count) + [.pasteEnds] + typed("y"))
        }

        #expect(
            paste(KeyDecoder.pasteLimit) == [
                .pasted(String(repeating: "x", count: KeyDecoder.pasteLimit)), .text("y"),
            ])
        #expect(paste(KeyDecoder.pasteLimit + 1) == [.longPaste, .text("y")])
        #expect(paste(4 * KeyDecoder.pasteLimit) == [.longPaste, .text("y")])
    }
}
