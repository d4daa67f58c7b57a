import TerminalUI
import Testing

@Suite struct FrameTests {
    private func frame(_ lines: [String]) -> Frame {
        Frame(lines: lines.map { Line($0) }, cursor: nil)
    }

    @Test func onlyRowsThatDifferAreDrawn() {
        #expect(frame(["a", "b", "c"]).rows(unlike: frame(["a", "x", "c"])) == [1])
        #expect(frame(["a"]).rows(unlike: frame(["a"])) == [])
        #expect(frame(["a", "b"]).rows(unlike: nil) == [0, 1])
    }

    @Test func aLineIsCutOrFilledToItsWidth() {
        #expect(Line("漢字").fitted(to: 3).text == "漢 ")
        #expect(Line("ab").fitted(to: 4).text == "ab  ")
        #expect(Line("ab").withEnd(Line("cd"), width: 6).text == "ab  cd")
        #expect(Line("abcd").withEnd(Line("ef"), width: 5).text == "abcef")
    }

    @Test(arguments: [Palette.Depth.none, .eight, .many])
    func whatIsChosenLooksUnlikeTheRest(depth: Palette.Depth) {
        let palette = Palette(depth)

        #expect(palette.look(of: Style(.text, on: .selection)) != palette.look(of: .text))
        #expect(palette.look(of: Style(.text, on: .bar)) != palette.look(of: .text))
    }

    @Test func withoutColourThereIsNone() {
        for hue in [Style.Hue.text, .faint, .accent, .good, .warning, .bad, .person(3), .fresh(2)] {
            for ground in [Style.Ground.screen, .bar, .selection, .found] {
                let look = Palette(.none).look(of: Style(hue, on: ground))
                #expect(look.foreground == -1 && look.background == -1)
            }
        }
    }
}
