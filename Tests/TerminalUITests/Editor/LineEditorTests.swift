import TerminalUI
import Testing

@Suite struct LineEditorTests {
    /// An editor with the cursor where the bar is.
    private func editor(_ text: String) -> LineEditor {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        var editor = LineEditor()
        editor.set(String(parts[0] + parts[1]))
        while editor.before.count > parts[0].count { editor.moveLeft(by: .grapheme) }
        return editor
    }

    private func shown(_ editor: LineEditor) -> String { editor.before + "|" + editor.after }

    @Test func theCursorGoesByGrapheme() {
        var editor = editor("e\u{301}👩‍💻🇩🇪|")

        editor.moveLeft(by: .grapheme)
        editor.moveLeft(by: .grapheme)
        editor.deleteLeft()

        #expect(shown(editor) == "|👩‍💻🇩🇪")
    }

    @Test func anEmojiThatArrivesInPiecesIsOneGrapheme() {
        var editor = editor("|!")

        for piece in ["👩", "\u{200D}", "💻"] { editor.insert(piece) }
        editor.moveLeft(by: .grapheme)

        #expect(shown(editor) == "|👩‍💻!")
    }

    @Test(arguments: [
        ("one two|", "one |two"), ("one two  |", "one |two  "), ("|one", "|one"), ("one, |two", "|one, two"),
    ])
    func aWordToTheLeft(from: String, to: String) {
        var editor = editor(from)

        editor.moveLeft(by: .word)

        #expect(shown(editor) == to)
    }

    @Test(arguments: [("|one two", "one| two"), ("one| two", "one two|"), ("one|", "one|")])
    func aWordToTheRight(from: String, to: String) {
        var editor = editor(from)

        editor.moveRight(by: .word)

        #expect(shown(editor) == to)
    }

    @Test func whatWasKilledComesBackWithYank() {
        var editor = editor("one two| three")

        editor.killLeft(by: .word)
        editor.moveRight(by: .line)
        editor.yank()

        #expect(shown(editor) == "one  threetwo|")
    }

    @Test func killingToTheEndOfALineTakesItsFeedWhenNothingElseIsLeft() {
        var editor = editor("one| two\nthree")

        editor.killRight(by: .line)
        #expect(shown(editor) == "one|\nthree")

        editor.killRight(by: .line)
        #expect(shown(editor) == "one|three")
    }

    @Test func upAndDownStayInTheColumn() {
        var editor = editor("漢字x\nab|c\nlonger")

        let ups = [editor.moveUp(), editor.moveUp()]
        #expect(ups == [true, false])
        #expect(shown(editor) == "漢|字x\nabc\nlonger")

        let downs = [editor.moveDown(), editor.moveDown(), editor.moveDown()]
        #expect(downs == [true, true, false])
        #expect(shown(editor) == "漢字x\nabc\nlo|nger")
    }

    @Test func theHistoryGivesBackLinesAndThenTheDraft() {
        var editor = LineEditor()
        for line in ["first", "second"] {
            editor.insert(line)
            #expect(editor.submit() == line)
        }
        editor.insert("draft")

        editor.recallEarlier()
        editor.recallEarlier()
        editor.recallEarlier()
        #expect(editor.text == "first")

        editor.recallLater()
        editor.recallLater()
        editor.recallLater()
        #expect(editor.text == "draft")
    }
}
