import ChatClient
import ChatWire
import TerminalUI
import Testing

@testable import diffroom

@Suite struct MessageLookTests {
    private let look = MessageLook(user: UserName("ann")!, calendar: WallClock())

    private func message(
        _ text: String, by author: String = "bob", at time: Milliseconds = 0, replyTo: MessageID? = nil,
        reactions: [(String, Int)] = [], replies: Int = 0, edited: Milliseconds? = nil, mentions: [String] = [],
        callsEveryone: Bool = false
    ) -> Message {
        Message(
            id: MessageID(high: 0, low: UInt64(time)), section: .socket, sort: 1, rev: 1, author: UserName(author)!,
            time: time,
            content: MessageContent(
                text, replyTo: replyTo, mentions: Mentioned(mentions.map { UserName($0)! }, everyone: callsEveryone)),
            edited: edited,
            reactions: reactions.map { emoji, count in
                Reaction(emoji: emoji, users: (0..<count).map { UserName("user\($0)")! })
            }, thread: replies == 0 ? nil : ThreadSummary(count: replies, time: 0, people: []))
    }

    private func lines(
        _ message: Message, after previous: Message? = nil, quoting quoted: Message? = nil, width: Int = 40
    ) -> [String] {
        look.cell(message, after: previous, on: previous?.time ?? message.time, quoting: quoted, width: width)
            .lines.map(\.text)
    }

    @Test func theFirstMessageOfAnAuthorHasAHead() {
        let first = message("one")
        let second = message("two", at: 60_000)
        let late = message("three", at: 600_000)

        #expect(lines(first).count == 2 && lines(first)[0].hasPrefix("bob  "))
        #expect(lines(second, after: first) == ["  two"])
        #expect(lines(late, after: second).count == 2)
        #expect(lines(message("mine", by: "ann", at: 1), after: first).count == 2)
    }

    @Test func aDamagedMessageSaysSoUnderItsAuthorIfThatIsKnown() {
        func damaged(_ sent: (by: UserName, at: Milliseconds)?) -> Message {
            Message(damaged: MessageID(high: 0, low: 1), section: .socket, sort: 1, rev: 1, sent: sent)
        }

        #expect(lines(damaged(nil)) == ["  This message is damaged"])
        #expect(lines(damaged((UserName("bob")!, 0))).count == 2)
        #expect(lines(damaged((UserName("bob")!, 0))).last == "  This message is damaged")
    }

    @Test func anotherDayIsSaid() {
        let later = message("next day", at: 90_000_000)

        #expect(lines(later, after: message("one"), width: 50)[0].contains("2 January 1970"))
    }

    @Test func theDayStandsAboveTheFirstMessageToo() {
        let lines = look.cell(message("one"), after: nil, on: nil, quoting: nil, width: 50).lines.map(\.text)

        #expect(lines[0].contains("1 January 1970"))
        #expect(lines.count == 3)
    }

    @Test func aMessageThatWillBeDeletedSaysSo() {
        var look = look
        look.leaving = [message("one").id]

        #expect(
            look.cell(message("one"), after: nil, on: 0, quoting: nil, width: 50).lines.last?.text
                == "  one (to be deleted)")
    }

    @Test func aMessageWithAChangeOnItsWayHasAMark() {
        var look = look
        look.changing = [message("one").id]

        #expect(look.cell(message("one"), after: nil, on: 0, quoting: nil, width: 50).lines.last?.text == "  one ◌")
    }

    @Test func reactionsComeAndGoWithoutAnotherLine() {
        let texts = (0..<60).map { String(repeating: "x", count: $0) }
        for text in texts {
            let without = lines(message(text))
            let with = lines(message(text, reactions: [("👍", 3)]))
            #expect(with.count == without.count)
            #expect(with.last?.hasSuffix("👍 3") == true)
        }
    }

    @Test func repliesComeAndGoWithoutAnotherLine() {
        for text in (0..<60).map({ String(repeating: "x", count: $0) }) {
            let with = lines(message(text, replies: 12))
            #expect(with.count == lines(message(text)).count)
            #expect(with.last?.contains("↳ 12") == true)
        }
        #expect(lines(message("text", replies: 1), width: 30).last?.contains("↳ 1 reply ") == true)
        #expect(
            lines(message("text", reactions: [("👍", 3)], replies: 2), width: 30).last?.hasSuffix("↳ 2  👍 3") == true)
    }

    @Test func reactionsThatDoNotFitAreCounted() {
        let many = message("text", reactions: [("👍", 1), ("🎉", 1), ("❤️", 1), ("😂", 1)])

        #expect(lines(many, width: 21).last == "  text  👍 1  🎉 1 +2")
    }

    @Test func aQuoteIsOneLine() {
        let quoted = message("a long text\nof two lines that go on", by: "cid")
        let answer = message("yes", at: 5, replyTo: quoted.id)

        #expect(lines(answer, quoting: quoted, width: 24)[1] == "  ╭ cid a long text of …")
        #expect(lines(answer)[1] == "  ╭ a message that is not here")
    }

    @Test func otherPeoplesTextIsHarmlessAndCannotPassForAHead() {
        let forged = message("\u{1B}[2Jhi\nann  12:00\n  boo")

        #expect(lines(forged).dropFirst() == ["  ␛[2Jhi", "  ann  12:00", "    boo"])
    }

    @Test(arguments: [("NAIVE", "a naïve word"), ("straße", "Die STRASSE"), ("漢", "漢字")])
    func aSearchLooksPastCaseAndAccents(query: String, text: String) {
        #expect(!ranges(of: query, in: text).isEmpty)
    }

    @Test func whatIsFoundIsMarkedAcrossLines() {
        var look = look
        look.query = "lazy dog"
        let cell = look.cell(message("the lazy dog"), after: message("x"), on: 0, quoting: nil, width: 12)

        let marked = cell.lines.flatMap(\.spans).filter { $0.style.ground == .found }.map(\.text)
        #expect(marked == ["lazy", "dog"])
    }

    @Test func theNamesOfThoseItMentionsStandOut() {
        let text = message("@ann, @anna and @ann-marie, not @anneli @bob", mentions: ["ann", "anna", "ann-marie"])
        let cell = look.cell(text, after: message("x"), on: 0, quoting: nil, width: 60)

        let standOut = cell.lines.flatMap(\.spans).filter { $0.style.traits == [.bold] }
        #expect(standOut.map(\.text) == ["@ann", "@anna", "@ann-marie"])
        #expect(standOut.map(\.style.hue) == [.warning, .accent, .accent])
    }

    private func spans(_ text: String, width: Int = 60, mentions: [String] = []) -> [Line.Span] {
        look.cell(message(text, mentions: mentions), after: message("x"), on: 0, quoting: nil, width: width).lines
            .flatMap(\.spans)
    }

    @Test func markdownHasItsStyles() {
        let spans = spans("*a* **b** `c` ~~d~~ ***@ann***", mentions: ["ann"])

        #expect(spans.map(\.text).joined() == "  a b c d @ann")
        #expect(spans.first { $0.text == "a" }?.style == Style(.text, [.italic]))
        #expect(spans.first { $0.text == "b" }?.style == Style(.text, [.bold]))
        #expect(spans.first { $0.text == "c" }?.style == .faint)
        #expect(spans.first { $0.text == "d" }?.style == .faint)
        #expect(spans.first { $0.text == "@ann" }?.style == Style(.warning, [.bold, .italic]))
    }

    @Test func aLinkShowsWhereItLeads() {
        let spans = spans("[*the* words](https://a.example/x)")

        #expect(spans.map(\.text).joined() == "  the words (https://a.example/x)")
        #expect(
            spans.filter { $0.target == "https://a.example/x" }.map(\.text) == ["the", " words", "https://a.example/x"])
        #expect(spans.first { $0.text == "the" }?.style == Style(.accent, [.italic, .underline]))
    }

    @Test func whatStandsInCodeMentionsNobody() {
        let spans = spans("`@ann` and ~~~\n@ann", mentions: ["ann"])

        #expect(spans.filter { $0.style.hue == .warning }.map(\.text) == ["@ann"])
        #expect(Markdown.spoken("`@ann` and @bob") == "  and @bob")
        #expect(Markdown.spoken("*@ann*") == "*@ann*")
    }

    @Test func quotesListsAndCodeHaveTheirLines() {
        let text = "see:\n> a quote of several words\n\n- one\n  1. two words more\n```\nlet x\n  y\n```\nend"

        #expect(
            lines(message(text, at: 1), after: message("x"), width: 18) == [
                "  see:", "  │ a quote of", "  │ several words", "  • one", "    1. two words", "       more",
                "    let x", "      y",
                "  end",
            ])
    }

    /// Nothing that a peer writes makes a line that is wider than the screen, or that passes for another author's.
    @Test func deepTextKeepsToItsPlace() {
        let deep =
            "> > > > - 123456789. a text of several words\n> > > > >\n- - - x\n[\u{202E}a](https://a.example/\u{9C})"
        for width in 4...40 {
            let lines = lines(message(deep, at: 1), after: message("x"), width: width)
            #expect(lines.allSatisfy { $0.hasPrefix("  ") && $0.displayWidth <= width }, "\(width): \(lines)")
        }
    }

    @Test(arguments: [true, false])
    func everyoneStandsOutWhereTheMessageMentionsEveryone(callsEveryone: Bool) {
        let text = message("@room, not @rooms: tea", callsEveryone: callsEveryone)
        let cell = look.cell(text, after: message("x"), on: 0, quoting: nil, width: 60)

        let standOut = cell.lines.flatMap(\.spans).filter { $0.style.traits == [.bold] }
        #expect(standOut.map(\.text) == (callsEveryone ? ["@room"] : []))
    }
}
