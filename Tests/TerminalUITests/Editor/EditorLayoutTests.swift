import TerminalUI
import Testing

@Suite struct EditorLayoutTests {
    private func editor(_ before: String, _ after: String = "") -> LineEditor {
        var editor = LineEditor()
        editor.set(before + after)
        for _ in after { editor.moveLeft(by: .grapheme) }
        return editor
    }

    @Test func theCursorStandsAfterWhatWasTyped() {
        let layout = EditorLayout(editor("漢字", "かな"), width: 20, rows: 3)

        #expect(layout.lines == ["漢字かな"])
        #expect(layout.cursor == Frame.Place(row: 0, column: 4))
    }

    @Test func aFullLinePutsTheCursorOnTheNext() {
        let layout = EditorLayout(editor("abcd"), width: 4, rows: 3)

        #expect(layout.lines == ["abcd", ""])
        #expect(layout.cursor == Frame.Place(row: 1, column: 0))
    }

    @Test func moreLinesThanRowsShowThoseAroundTheCursor() {
        let text = "1\n2\n3\n4"

        let atEnd = EditorLayout(editor(text + "\n5"), width: 10, rows: 3)
        let atStart = EditorLayout(editor("1", "\n2\n3\n4"), width: 10, rows: 3)

        #expect(atEnd.lines == ["3", "4", "5"])
        #expect(atEnd.cursor.row == 2)
        #expect(atStart.lines == ["1", "2", "3"])
        #expect(atStart.cursor.row == 0)
    }

    @Test func aWideGraphemeDoesNotStandOnTheEdge() {
        #expect(EditorLayout(editor("abc漢"), width: 4, rows: 3).lines == ["abc", "漢"])
    }

    @Test func whatATerminalWouldObeyIsDrawnAndNotKept() {
        let layout = EditorLayout(editor("a\tb\u{202E}c\u{1B}", "d"), width: 20, rows: 3)

        #expect(layout.lines == ["a    bc␛d"])
        #expect(layout.cursor == Frame.Place(row: 0, column: 8))
    }
}
