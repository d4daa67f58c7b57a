import ChatWire
import Replicas
import TerminalUI
import Testing

@testable import ChatClient
@testable import diffroom

@Suite struct LinesOfTheScreenTests {
    private let people = [
        member("ann", .online, read: 12), member("bob", .online, isTyping: true),
        member("cid", .online, isTyping: true), member("dan", .offline),
    ]

    private static func member(
        _ name: String, _ section: Member.Section, isTyping: Bool = false, read: Revision = 0
    ) -> Member {
        let sort = UInt64(name.utf8.first!)
        return Member(
            id: UserName(name)!, section: section, sort: sort, rev: 1, light: .init(isTyping: isTyping, read: read))
    }

    @Test func theStatusSaysHowThingsStand() {
        var status = StatusLine(room: "#lobby")
        status.connection = .online(
            Welcome(user: UserName("ann")!, server: "s", heartbeat: 25_000, limits: WireLimits()))
        (status.revision, status.latency, status.unanswered, status.unread) = (
            41, .milliseconds(3), 2, .init(count: 12)
        )

        #expect(status.line(width: 70).text.hasPrefix(" ● online  #lobby  rev 41  3.0 ms  sending 2…"))
        #expect(status.line(width: 70).text.hasSuffix("↓ 12 new "))
        #expect(status.line(width: 70).width == 70)
        #expect(status.line(width: 20).width == 20)
    }

    @Test func aLongTitleLeavesSpaceForTheRest() {
        var status = StatusLine(room: String(repeating: "漢\u{1B}", count: 90))
        status.revision = 41

        #expect(status.line(width: 80).text.contains("rev 41") && !status.line(width: 80).text.contains("\u{1B}"))
    }

    @Test func aTopicIsShownWhereThereIsSpaceForIt() {
        var status = StatusLine(room: "#lobby")
        status.topic = "What we do in May\u{1B}"
        status.unread = .init(count: 12)

        #expect(status.line(width: 80).text.contains("#lobby  What we do in May"))
        #expect(!status.line(width: 80).text.contains("\u{1B}"))
        #expect(status.line(width: 48).text.contains("What we") && status.line(width: 48).width == 48)
        #expect(!status.line(width: 40).text.contains("What"))
        #expect(status.line(width: 40).text.hasSuffix("↓ 12 new "))
        status.notice = "not done"
        #expect(!status.line(width: 80).text.contains("What"))
    }

    @Test(arguments: [20, 24, 40, 60, 80, 200])
    func anUploadIsShownBesideANotice(width: Int) {
        var status = StatusLine(room: "#lobby")
        status.upload = "↑ cat\u{1B}.png 45 %"
        #expect(status.line(width: width).width == width && !status.line(width: width).text.contains("\u{1B}"))
        status.notice = "not done"

        #expect(status.line(width: width).width == width)
        #expect(width < 60 || status.line(width: width).text.contains("#lobby  ↑ cat␛.png 45 %  not done"))
    }

    @Test func howManyAreBelowIsSaidAsFarAsItIsKnown() {
        var status = StatusLine(room: "#lobby")
        status.unread = .init(count: 1_204)
        #expect(status.line(width: 60).text.hasSuffix("↓ 1,204 new "))
        status.unread = .init(count: 50, isLeast: true)
        #expect(status.line(width: 60).text.hasSuffix("↓ 50+ new "))
    }

    @Test func nothingIsFoundOnlyOnceAllIsRead() {
        var status = StatusLine(room: "#lobby")
        status.found = (0, 0)
        status.searching = .init(read: 1_200, count: 10_300, isLoading: true)
        #expect(status.line(width: 60).text.hasSuffix("searching… 1,200 of 10,300 read "))
        status.searching = .init(read: 6_200, count: 10_300, isLoading: false)
        #expect(status.line(width: 60).text.hasSuffix("not in the last 6,200; ↑ searches on "))
        status.searching = nil
        #expect(status.line(width: 60).text.hasSuffix("nothing found "))
        status.found = (2, 3)
        status.searching = .init(read: 6_200, count: 10_300, isLoading: false)
        #expect(status.line(width: 60).text.hasSuffix("2 of 3 "))
    }

    @Test func aServerThatDoesNotAnswerIsShownBesideOnline() {
        var status = StatusLine(room: "#lobby", unanswered: 1)
        status.connection = .online(
            Welcome(user: UserName("ann")!, server: "s", heartbeat: 25_000, limits: WireLimits()))
        status.silence = .milliseconds(2_999)
        #expect(status.line(width: 60).text.hasPrefix(" ● online  #lobby"))
        status.silence = .milliseconds(13_400)
        #expect(status.line(width: 60).text.hasPrefix(" ● online, no answer for 13 s  #lobby"))
    }

    /// Every text is whole or ends with an ellipsis, and the count at the right never touches it.
    @Test(arguments: 12...90)
    func theTextsOfTheStatusDoNotTouch(width: Int) {
        var status = StatusLine(room: "#lobby", revision: 41, latency: .milliseconds(3), unanswered: 2)
        (status.unreadElsewhere, status.topic) = (.init(count: 1), "What we do in May")
        for notice in [nil, "you are no member of the room Plans no 7 any more, and it is gone"] {
            status.notice = notice
            let (text, end) = (status.line(width: width).text, "1 unread elsewhere ")

            #expect(text.displayWidth == width)
            guard width > end.count, text.hasSuffix(end) else { continue }
            #expect([" ", "…"].contains(text.dropLast(end.count).last), "\(text)")
            #expect(text.dropLast(end.count).last == " " || text.contains("… 1 unread"), "\(text)")
        }
    }

    @Test func whatIsUnreadElsewhereIsSaidWhereNoColumnShowsIt() {
        var status = StatusLine(room: "#lobby")
        (status.unreadElsewhere, status.unread) = (.init(count: 1_204), .init(count: 2))
        #expect(status.line(width: 70).text.hasSuffix("1,204 unread elsewhere  ↓ 2 new "))
        status.unreadElsewhere = .init()
        #expect(!status.line(width: 70).text.contains("elsewhere"))
    }

    @Test(arguments: [([4, 3], 2, "3"), ([4, 3], 3, "3+"), ([4, 0], 3, nil)] as [([UInt64], Int, String?)])
    func whatIsUnreadElsewhereIsTheLeastWhileSomeRoomsHaveNoRow(unread: [UInt64], count: Int, text: String?) throws {
        let rows = zip(["lobby", "tea"], unread).enumerated().map { place, room in
            MyRoom(id: RoomName(room.0)!, sort: UInt64(place), rev: 1, light: .init(unread: room.1))
        }
        let proof = ListProof(count: rows.count, digest: ListDigest(rows).value)
        let snapshot = ListSnapshot(revision: 1, rows: rows, more: false, proof: proof, counts: [.rooms: count])
        let rooms = RoomsView(replica: try Replica(epoch: Epoch("e")!, joined: 1, snapshot))

        #expect(StatusLine.Unread(in: rooms, besides: [RoomName("lobby")!]).text == text)
    }

    @Test func aNoticeTakesThePlaceOfTheFacts() {
        var status = StatusLine(room: "#lobby", revision: 7)
        status.notice = "not done: \u{1B}[31mno"

        #expect(status.line(width: 60).text.contains("not done: ␛[31mno"))
        #expect(!status.line(width: 60).text.contains("rev 7"))
    }

    @Test func theMembersStandBySectionAndTheRestIsCounted() throws {
        let proof = ListProof(count: 4, digest: ListDigest(people).value)
        let snapshot = ListSnapshot(
            revision: 1, rows: people, more: false, proof: proof, counts: [.online: 5, .offline: 1, .invited: 0])
        let members = MembersView(replica: try Replica(epoch: Epoch("e")!, joined: 1, snapshot))
        let pane = MembersPane(members: members, people: PeopleLabels(), end: 12, isLive: true, blocked: [])
        let stale = MembersPane(members: members, people: PeopleLabels(), end: 12, isLive: false, blocked: [])
        let all = pane.lines(size: Frame.Size(rows: 9, columns: 14)).map(\.text)
        let some = pane.lines(size: Frame.Size(rows: 4, columns: 14)).map(\.text)

        #expect(all[0].hasPrefix("│ online 5"))
        #expect(all[1].hasPrefix("│ ● ann ✓ "))
        #expect(all[2].hasPrefix("│ ✎ bob  "))
        #expect(all[4].hasPrefix("│ and 2 more"))
        #expect(all[6].hasPrefix("│ offline 1"))
        #expect(all[7].hasPrefix("│ ○ dan"))
        #expect(some[3].hasPrefix("│ and 4 more"))  // of six, ann and bob are above
        #expect(!stale.lines(size: Frame.Size(rows: 9, columns: 14)).contains { $0.text.contains(/[●✎]/) })
        #expect(MembersPane.width(of: 60) == 0)
    }

    @Test func theTypingLineNamesThoseWhoWrite() {
        func text(_ members: [Member], besides user: String) -> String? {
            TypingLine.lines(members, PeopleLabels(), besides: UserName(user)!, width: 40).first?.text
        }

        #expect(text([], besides: "ann") == nil)
        #expect(text(people, besides: "ann")?.hasPrefix("  bob and cid are writing…") == true)
        #expect(text(people, besides: "bob")?.hasPrefix("  cid is writing…") == true)
    }

    @Test(arguments: [(24, 60), (12, 40), (5, 20), (2, 10)])
    func everyPromptFitsItsWindow(rows: Int, columns: Int) {
        let size = Frame.Size(rows: rows, columns: columns)
        let id = MessageID(high: 0, low: 1)
        let modes: [Controls.Mode] = [
            .writing, .searching, .selecting, .helping, .reacting(id), .confirming(.delete(id), .keep),
        ]
        for mode in modes {
            var controls = Controls()
            controls.mode = mode
            controls.editor.insert(String(repeating: "漢字 and more\n", count: 20))
            let prompt = Prompt(controls, user: "ann", name: "bob", size: size)
            #expect(prompt.lines.count <= max(1, rows / 3))
            #expect(prompt.cursor.map { $0.row < prompt.lines.count } ?? true)
        }
    }

    @Test(arguments: [(22, 60), (10, 80), (5, 40), (3, 20)])
    func allOfTheManualIsReachedInASmallWindow(rows: Int, columns: Int) {
        let manual = Manual(columns: columns)
        var shown: [String] = []
        for var top in 0..<400 {
            let wanted = top
            let lines = manual.lines(from: &top, rows: rows)
            #expect(lines.count == rows && lines.allSatisfy { $0.width == columns })
            if top < wanted { break }
            shown.append(contentsOf: (top == 0 ? lines : [lines[rows - 1]]).map(\.text))
        }
        let words = shown.joined(separator: " ").split(separator: " ")

        for word in ["Writing", "Enter", "//text:", "moderators:", "/unban", "/quit,", "again"] {
            #expect(words.contains(Substring(word)), "\(word)")
        }
    }

    @Test func theReasonForNotBeingConnectedIsOnTheScreen() {
        var status = StatusLine(room: "#lobby", revision: 7, unanswered: 2)
        status.loss = .failed("connection refused")
        status.connection = .waiting(3_000, .failed("connection refused"))

        #expect(status.line(width: 80).text.contains("sending 2…  cannot connect: connection refused"))
    }
}
