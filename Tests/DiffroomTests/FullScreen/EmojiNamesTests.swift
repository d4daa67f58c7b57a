import ChatWire
import TerminalUI
import Testing

@testable import diffroom

@Suite struct EmojiNamesTests {
    private let rows = [
        "👍|thumbs up|+1 hand", "👎|thumbs down|-1 hand", "❤️|red heart|heart", "💔|broken heart|break",
        "🫀|anatomical heart|organ", "💟|heart decoration|heart", "1️⃣|keycap: 1|keycap", "🇩🇪|flag: Germany|flag",
    ].map { EmojiNames.Row($0[...]) }

    private func found(_ typed: String) -> String {
        EmojiNames.named(typed, in: rows).map(\.emoji).joined()
    }

    @Test func aNameBeginsBehindAColonThatStandsByItself() {
        #expect(EmojiNames.begun(in: "so :th") == ":th")
        #expect(EmojiNames.begun(in: ":+1") == ":+1")
        #expect(EmojiNames.begun(in: "(:fire:") == ":fire:")
        for text in [":t", "at 10:30", "a:bc", "::ab", ": ab", ":-)", ":)", "https://x", "", ":", "::", "x:"] {
            #expect(EmojiNames.begun(in: text) == nil, "\(text)")
        }
    }

    @Test func emojiAreFoundByTheBeginningsOfWordsThoseWithTheNameFirst() {
        #expect(found("thumb") == "👍👎")
        #expect(found("thumbs_d") == "👎")
        #expect(found("heart") == "💟❤️💔🫀")
        #expect(found("han") == "👍👎")
        #expect(found("+1") == "👍")
        #expect(found("HEART_br") == "💔")
        #expect(found("germany") == "🇩🇪")
        #expect(found("eart") == "")
        #expect(found("_") == "")
    }

    @Test func theTableHasAllEmoji() {
        for (emoji, name) in [("😀", "grinning_face"), ("🎉", "party_popper"), ("🏴‍☠️", "pirate"), ("🇩🇪", "germany")] {
            #expect(EmojiNames.named(name).contains { $0.emoji == emoji }, "\(name)")
        }
    }

    /// Types a text, then presses Tab so many times.
    private func completed(
        _ text: String, _ tabs: Int, _ mode: Controls.Mode = .writing
    ) -> (String, [Controls.Action]) {
        var controls = Controls()
        controls.mode = mode
        for letter in text { _ = controls.press(.text(String(letter)), subject: nil) }
        var actions: [Controls.Action] = []
        for _ in 0..<tabs { actions = controls.press(.named(.tab), subject: nil) }
        return (controls.editor.text, actions)
    }

    @Test func tabPutsTheEmojiInThePlaceOfItsNameAndThenTheNextOne() {
        let id = MessageID(high: 0, low: 7)
        for mode in [Controls.Mode.writing, .replying(id), .editing(id), .reacting(id)] {
            #expect(completed("so :thumbs", 1, mode).0 == "so 👍")
            #expect(completed("so :thumbs", 2, mode).0 == "so 👎")
            #expect(completed("so :thumbs_up:", 1, mode).0 == "so 👍")
        }
        #expect(completed(":thumbs_d", 2).0 == ":thumbs_d")
        #expect(completed(":thumbs_d", 3).0 == "👎")
    }

    @Test func aNoticeHasTheChoicesAndANameOfNoneStays() {
        #expect(completed(":thumbs", 1).1 == [.showNotice("[👍 thumbs up]  👎 thumbs down   Tab: the next one")])
        #expect(completed(":thumbs", 2).1 == [.showNotice("👍 thumbs up  [👎 thumbs down]   Tab: the next one")])
        #expect(completed("so :qqqq", 1).0 == "so :qqqq")
        #expect(completed("so :qqqq", 1).1 == [.showNotice("no emoji is called qqqq")])
    }

    @Test func anotherKeyEndsTheChoice() {
        var controls = Controls()
        for letter in ":thumbs" { _ = controls.press(.text(String(letter)), subject: nil) }
        _ = controls.press(.named(.tab), subject: nil)

        _ = controls.press(.text(" "), subject: nil)
        for letter in ":fire" { _ = controls.press(.text(String(letter)), subject: nil) }
        _ = controls.press(.named(.tab), subject: nil)

        #expect(controls.draft.text == "👍 🔥")
    }
}
