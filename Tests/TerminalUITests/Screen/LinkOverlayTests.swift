import Testing

@testable import TerminalUI

@Suite struct LinkOverlayTests {
    private func line(_ link: String, _ text: String? = nil) -> Line {
        var line = Line("漢 ")
        line.append(text ?? link, Style(.accent, on: .screen, [.underline]), target: link)
        line.append(" there")
        return line
    }

    private func output(_ line: Line, isWindow: Bool = true) -> String {
        var overlay = LinkOverlay(isWindow: isWindow, palette: Palette(.many))
        _ = overlay.add(line, row: 4)
        return overlay.output
    }

    @Test func anAddressIsWrittenOverItselfAsALink() {
        #expect(
            output(line("https://a.example/x")) == "\u{1B}7\u{1B}[5;4H\u{1B}[0;4;38;5;32m"
                + "\u{1B}]8;;https://a.example/x\u{1B}\\https://a.example/x\u{1B}]8;;\u{1B}\\\u{1B}8")
    }

    @Test func aPartOfAnAddressLeadsToAllOfIt() {
        #expect(
            output(line("https://a.example/x", "ample/x")).contains("]8;;https://a.example/x\u{1B}\\ample/x\u{1B}]"))
    }

    @Test(arguments: ["room lobby", "https://a.example/漢", "javascript:1", "https://a.example/\u{1B}]0;x"])
    func nothingElseIsALink(target: String) {
        #expect(output(line(target)) == "" && !LinkOverlay.has(links: line(target)))
    }

    @Test func aTerminalWithoutLinksGetsNone() {
        #expect(output(line("https://a.example/x"), isWindow: false) == "")
    }

    @Test func aTargetIsFoundByItsColumn() {
        let line = line("https://a.example/x").fitted(to: 30).targeting("row")

        #expect(line.target(at: 0) == "row" && line.target(at: 2) == "row" && line.target(at: 29) == "row")
        #expect(line.target(at: 3) == "https://a.example/x" && line.target(at: 21) == "https://a.example/x")
        #expect(line.target(at: 22) == "row" && line.target(at: 30) == nil)
    }
}
