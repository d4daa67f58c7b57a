import ChatClient
import ChatWire
import TerminalUI
import Testing

@testable import diffroom

@Suite struct LinesOfTheScreenTests {
    private var people: [Person] {
        [("ann", true, false), ("bob", true, true), ("cid", true, true), ("dan", false, false)].map {
            Person(name: UserName($0.0)!, isOnline: $0.1, isTyping: $0.2)
        }
    }

    @Test func theStatusSaysHowThingsStand() {
        var status = StatusLine(room: "lobby")
        status.connection = .online(
            Welcome(user: UserName("ann")!, server: "s", heartbeat: 25_000, limits: WireLimits()))
        (status.revision, status.latency, status.unanswered, status.unread) = (41, .milliseconds(3), 2, 12)

        #expect(status.line(width: 70).text.hasPrefix(" ● online  #lobby  rev 41  3.0 ms  sending 2…"))
        #expect(status.line(width: 70).text.hasSuffix("↓ 12 new "))
        #expect(status.line(width: 70).width == 70)
        #expect(status.line(width: 20).width == 20)
    }

    @Test func aNoticeTakesThePlaceOfTheFacts() {
        var status = StatusLine(room: "lobby", revision: 7)
        status.notice = "not done: \u{1B}[31mno"

        #expect(status.line(width: 60).text.contains("not done: ␛[31mno"))
        #expect(!status.line(width: 60).text.contains("rev 7"))
    }

    @Test func theMembersStandBySectionAndTheRestIsCounted() {
        let all = MembersPane.lines(people, size: Frame.Size(rows: 8, columns: 14)).map(\.text)
        let some = MembersPane.lines(people, size: Frame.Size(rows: 4, columns: 14)).map(\.text)

        #expect(all[0].hasPrefix("│ online 3"))
        #expect(all[2].hasPrefix("│ ✎ bob"))
        #expect(all[6].hasPrefix("│ ○ dan"))
        #expect(some[3].hasPrefix("│ and 4 more"))
        #expect(MembersPane.width(of: 60) == 0)
    }

    @Test func theTypingLineNamesThoseWhoWrite() {
        let ann = UserName("ann")!

        #expect(TypingLine.line([], besides: ann, width: 40) == nil)
        #expect(TypingLine.line(people, besides: ann, width: 40)?.text.hasPrefix("  bob and cid are writing…") == true)
        #expect(
            TypingLine.line(people, besides: UserName("bob")!, width: 40)?.text.hasPrefix("  cid is writing…") == true)
    }

    @Test(arguments: [(24, 60), (12, 40), (5, 20), (2, 10)])
    func everyPromptFitsItsWindow(rows: Int, columns: Int) {
        let size = Frame.Size(rows: rows, columns: columns)
        for mode in [Controls.Mode.writing, .searching, .selecting, .helping, .reacting(MessageID(high: 0, low: 1))] {
            var controls = Controls()
            controls.mode = mode
            controls.editor.insert(String(repeating: "漢字 and more\n", count: 20))
            let prompt = Prompt(controls, user: "ann", name: "bob", size: size)
            #expect(prompt.lines.count <= max(1, rows / 3))
            #expect(prompt.cursor.map { $0.row < prompt.lines.count } ?? true)
        }
    }

    @Test func theManualFitsASmallWindow() {
        let lines = Manual.lines(size: Frame.Size(rows: 22, columns: 60))

        #expect(lines.count == 22)
        #expect(lines.allSatisfy { $0.width == 60 })
        #expect(lines.contains { $0.text.contains("/quit") })
    }
}
