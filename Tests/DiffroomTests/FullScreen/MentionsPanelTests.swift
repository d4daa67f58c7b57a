import ChatClient
import ChatWire
import TerminalUI
import Testing

@testable import diffroom

/// The messages that mention the user, and the way to them.
struct MentionsPanelTests {
    private func mention(_ number: UInt64, read isRead: Bool = false, text: String = "@me?") throws -> MyMention {
        MyMention(
            id: .init(room: try #require(RoomName("tea")), message: MessageID(high: 0, low: number)), sort: number,
            rev: number, author: try #require(UserName("bob")), time: 0, light: .init(text: text, isRead: isRead))
    }

    @Test func theNewestIsChosenUnlessTheUserGoesToAnother() throws {
        let mentions = try (1...3).map { try mention($0) }
        var panel = MentionsPanel()

        #expect(panel.press(.named(.enter), among: mentions) == .go(mentions[2].id))
        #expect(panel.press(.named(.up), among: mentions) == .stay)
        #expect(panel.press(.named(.enter), among: mentions + [try mention(4)]) == .go(mentions[1].id))
        #expect(panel.press(.named(.down), among: mentions) == .stay)
        #expect(panel.press(.named(.enter), among: mentions + [try mention(4)]) == .go(try mention(4).id))
        #expect(panel.press(.named(.enter), among: []) == .stay)
        #expect(panel.press(.named(.escape), among: mentions) == .close)
    }

    @Test func theFocusGoesToTheNewestWhenItsMessageIsGone() throws {
        let mentions = try (1...3).map { try mention($0) }
        var panel = MentionsPanel()
        _ = panel.press(.named(.home), among: mentions)

        #expect(panel.press(.named(.enter), among: mentions) == .go(mentions[0].id))
        #expect(panel.press(.named(.enter), among: Array(mentions.dropFirst())) == .go(mentions[2].id))
    }

    @Test func olderOnesAreAskedForAtTheTop() throws {
        let mentions = try (1...3).map { try mention($0) }
        let older = try (11...13).map { try mention($0) }
        var panel = MentionsPanel()
        _ = panel.press(.named(.up), among: mentions)

        #expect(panel.press(.named(.up), among: mentions) == .older)
        #expect(panel.press(.named(.up), among: mentions) == .older)
        #expect(panel.press(.named(.enter), among: older + mentions) == .go(mentions[0].id))
        #expect(panel.press(.named(.up), among: older + mentions) == .stay)
        #expect(panel.press(.named(.home), among: older + mentions) == .older)
    }

    @Test func eachIsALineAndControlCharactersShow() throws {
        let mentions = [try mention(1, read: true), try mention(2, text: "two\nlines \u{1B}[2J")]
        let size = Frame.Size(rows: 4, columns: 80)
        let lines = MentionsPanel().lines(mentions, RoomLabels(), PeopleLabels(), size: size).map(\.text)

        #expect(lines[0].hasPrefix("  Mentions"))
        let titled = MentionsPanel().lines([], RoomLabels(), PeopleLabels(), beginning: "no older ones", size: size)
        #expect(titled[0].text.hasPrefix("  Mentions  no older ones"))
        #expect(lines[1].contains("tea") && lines[1].contains("bob @me?") && !lines[1].contains("@ 19"))
        #expect(lines[2].contains("@ ") && lines[2].contains("two lines ␛[2J"))
        #expect(
            MentionsPanel().lines([], RoomLabels(), PeopleLabels(), size: size)[1].text.contains("no message"))
    }
}
