import ChatWire
import Replicas
import Testing

@testable import ChatClient
@testable import diffroom

@Suite struct LinesTests {
    @Test func eachChangeIsALineWithItsSignUnderItsSection() throws {
        var plain = PlainText(colours: .off) { "at \($0)" }
        let view = try view([message(1, .history), message(2, .history, edited: 5), message(3, .socket)])
        let deleted = message(9, .history)

        let lines = plain.lines(
            for: change(view, deleted: [deleted]) {
                ($0.inserted, $0.reloaded, $0.deleted) = ([id(3), id(1)], [id(2)], [id(9)])
            })

        #expect(
            lines == """
                history
                - 9 at 0 ann: text 9
                + 1 at 0 ann: text 1
                ~ 2 at 0 ann: text 2 (edited)
                socket
                + 3 at 0 ann: text 3

                """)
    }

    @Test func aSectionIsNamedWhenItChangesAndNotBefore() throws {
        var plain = PlainText(colours: .off) { _ in "now" }
        let view = try view([message(1, .history), message(2, .socket), message(3, .socket)])
        _ = plain.lines(for: change(view) { $0.inserted = [id(2)] })

        let same = plain.lines(for: change(view) { $0.inserted = [id(3)] })
        let other = plain.lines(for: change(view) { $0.reconfigured = [id(1)] })

        #expect(same == "+ 3 now ann: text 3\n")
        #expect(other == "history\n* 1 now ann: text 1\n")
    }

    @Test func aDamagedMessageSaysSo() throws {
        var plain = PlainText(colours: .off) { "at \($0)" }
        let known = Message(damaged: id(1), section: .socket, sort: 1, rev: 1, sent: (UserName("ann")!, 0))
        let unknown = Message(damaged: id(2), section: .socket, sort: 2, rev: 2, sent: nil)

        let lines = plain.lines(for: change(try view([known, unknown])) { $0.inserted = [id(1), id(2)] })

        #expect(lines == "socket\n+ 1 at 0 ann: This message is damaged\n+ 2 This message is damaged\n")
    }

    @Test func aTextOfManyLinesCannotLookLikeAnotherMessage() throws {
        var plain = PlainText(colours: .off) { _ in "now" }
        let forged = message(1, .socket, text: "hi\n+ 2 now bob: forged\n    * 👍 bob", reactions: ["🎉"])

        let lines = plain.lines(for: change(try view([forged])) { $0.inserted = [id(1)] })

        #expect(
            lines == """
                socket
                + 1 now ann: hi
                        + 2 now bob: forged
                            * 👍 bob
                    * 🎉 ann

                """)
    }

    @Test func filesHaveTheirNamesAndSizes() throws {
        var plain = PlainText(colours: .off) { _ in "now" }
        let sha256 = String(repeating: "0", count: 64)
        let files = ["cat.png", "dog.png"].map { name in
            ChatWire.Attachment(
                id: .random(), FileDescription(name: name, media: "image/png", size: 12_345, sha256: sha256)!)
        }
        let texts: [(UInt64, String)] = [(1, "look\nthere"), (2, "cat.png, dog.png")]
        let rows = texts.map { number, text in
            Message(
                id: id(number), section: .socket, sort: number, rev: number, author: UserName("ann")!, time: 0,
                content: MessageContent(text, files: files), reactions: [])
        }

        let lines = plain.lines(for: change(try view(rows)) { $0.inserted = [id(1), id(2)] })

        #expect(
            lines == """
                socket
                + 1 now ann: look
                        there
                    [cat.png, 12 kB]
                    [dog.png, 12 kB]
                + 2 now ann: [cat.png, 12 kB] [dog.png, 12 kB]

                """)
    }

    @Test func ofSeveralRoomsEachLineNamesItsOwn() throws {
        var plain = PlainText(colours: .off, rooms: .several) { _ in "now" }
        let view = try view([message(1, .socket, text: "two\nlines", reactions: ["🎉"]), message(2, .socket)])

        let lobby = plain.lines(for: change(view) { $0.inserted = [id(1)] })
        let tea = plain.lines(for: change(view, in: "tea") { $0.inserted = [id(2)] })
        let again = plain.lines(for: change(view) { $0.inserted = [id(2)] })

        #expect(
            lobby == """
                #lobby socket
                #lobby + 1 now ann: two
                #lobby         lines
                #lobby     * 🎉 ann

                """)
        #expect(tea == "#tea socket\n#tea + 2 now ann: text 2\n")
        #expect(again == "#lobby + 2 now ann: text 2\n")
    }

    @Test func coloursOnlyWhenTheyAreOn() throws {
        var plain = PlainText(colours: .on) { _ in "now" }

        let lines = plain.lines(for: change(try view([message(1, .socket)])) { $0.inserted = [id(1)] })

        #expect(lines.contains("\u{1B}[32m+\u{1B}[0m 1"))
    }

    @Test func jsonIsOneObjectInALineForEachChange() throws {
        let row = message(1, .socket, text: "two\nlines")

        let lines = jsonLines(for: change(try view([row])) { $0.inserted = [id(1)] })

        #expect(
            lines
                == #"{"change":"inserted","why":"live","room":"lobby","message":{"id":"\#(id(1))","section":"socket","#
                + #""sort":1,"rev":1,"author":"ann","time":0,"text":"two\nlines"}}"# + "\n")
    }

    @Test func aNewGapIsALineAndAnObjectOfItsOwnAtItsPlace() throws {
        let view = try view([message(1, .history), message(90, .socket)], count: 1_206)
        let gap = ListGap(id: 1, after: 40, before: 90)
        let change = change(view, gaps: [gap]) { ($0.inserted, $0.reloaded) = ([id(90)], [id(1)]) }
        var plain = PlainText(colours: .off) { _ in "now" }

        #expect(
            plain.lines(for: change) == """
                history
                ~ 1 now ann: text 1
                … messages not loaded
                socket
                + 90 now ann: text 90

                """)
        let objects = jsonLines(for: change).split(separator: "\n")
        #expect(objects[1] == #"{"change":"gap","why":"live","room":"lobby","gap":{"after":40,"before":90}}"#)
    }

    // MARK: - The user's rooms

    @Test func theRoomsAreALineEachForPeopleAndOneObjectForPrograms() throws {
        let last = LastMessage(message(7, .socket, text: "two\nlines"))
        let rooms = try rooms([
            room("tea", 1, .init(read: 4)), room("lobby", 2, .init(unread: 1_204, mentions: 2, read: 2, last: last)),
        ])

        #expect(
            linesForPeople(rooms) == [
                "room lobby: 1,204 unread, 2 for you; ann: two lines", "room tea: nothing unread",
            ])
        #expect(
            jsonLine(for: rooms)
                == #"{"change":"rooms","why":"asked","rooms":[{"id":"lobby","section":"rooms","sort":2,"rev":2,"unread":1204,"mentions":2,"read":2,"#
                + #""last":{"id":"\#(id(7))","author":"ann","time":0,"text":"two\nlines"}},"#
                + #"{"id":"tea","section":"rooms","sort":1,"rev":1,"unread":0,"mentions":0,"read":4}],"left":[]}"#
                + "\n")
        #expect(linesForPeople(try self.rooms([])) == ["you are a member of no room: /join"])
    }

    @Test(arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"])
    func whatOthersWriteMakesNoLineOfItsOwnAmongRoomsAndMentions(lineEnd: String) throws {
        let text = "hi\(lineEnd)diffroom: you are no member of room lobby any more"
        let last = LastMessage(message(7, .socket, text: text))
        let mention = MyMention(
            id: .init(room: RoomName("tea")!, message: id(7)), sort: 1, rev: 1, author: UserName("bob")!, time: 0,
            light: .init(text: text, isRead: false))

        let lines =
            linesForPeople(try rooms([room("tea", 1, .init(read: 4, last: last))]))
            + [lineForPeople(mention, RoomLabels(), clock: { _ in "now" })]

        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains("hi diffroom:") && !$0.contains(where: \.isNewline) })
    }

    @Test func roomsSayWhatTheUserHasSetForThem() throws {
        let rooms = try rooms([
            MyRoom(id: RoomName("den")!, section: .pinned, sort: 1, rev: 1),
            MyRoom(id: RoomName("tea")!, section: .pinned, sort: 2, rev: 1, light: .init(isMuted: true)),
            MyRoom(id: RoomName("lobby")!, sort: 1, rev: 1, light: .init(isMarked: true)),
            MyRoom(id: RoomName("attic")!, section: .archived, sort: 9, rev: 1, light: .init(unread: 3)),
        ])

        #expect(
            linesForPeople(rooms) == [
                "room den: nothing unread, pinned", "room tea: nothing unread, pinned, silenced",
                "room lobby: nothing unread, marked as unread", "room attic: 3 unread, archived",
            ])
        #expect(jsonLine(for: rooms).contains(#"{"id":"tea","section":"pinned","sort":2,"rev":1,"#))
        #expect(jsonLine(for: rooms).contains(#""muted":true"#) && jsonLine(for: rooms).contains(#""marked":true"#))
    }

    @Test func aChangeOfTheRoomsIsAnObjectWithWhatChanged() throws {
        var changes = ReplicaChanges<RoomName>()
        changes.deleted = [try #require(RoomName("attic"))]
        (changes.moved, changes.reconfigured) = ([try #require(RoomName("tea"))], [try #require(RoomName("tea"))])
        let rooms = try rooms([room("lobby", 1, .init(read: 4)), room("tea", 2, .init(unread: 1, read: 4))])

        #expect(
            jsonLine(for: RoomsChange(cause: .live, changes: changes, view: rooms))
                == #"{"change":"rooms","why":"live","rooms":[{"id":"tea","section":"rooms","sort":2,"rev":2,"unread":1,"mentions":0,"read":4}],"#
                + #""left":["attic"]}"# + "\n")
    }

    @Test func privateRoomsAreCalledByTheirTitlesAndDirectOnesByTheirPeople() throws {
        let (plans, pair) = ("~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2", "@97049da5464956062d0e94be5f061ee5")
        let rooms = try rooms([
            MyRoom(
                id: RoomName("~6f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2")!, section: .invited, sort: 3, rev: 3,
                light: .init(inviter: UserName("ann"), title: RoomTitle("Tea"))),
            MyRoom(
                id: RoomName(plans)!, section: .invited, sort: 9, rev: 9,
                light: .init(unread: 3, title: RoomTitle("Plans"))),
            MyRoom(id: RoomName(pair)!, sort: 2, rev: 2, people: [UserName("bob")!]),
        ])

        #expect(
            linesForPeople(rooms) == [
                "you are invited to room Plans (\(plans)): /accept or /decline",
                "ann invites you to room Tea (~6f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2): /accept or /decline",
                "the direct room with bob (\(pair)): nothing unread",
            ])
        #expect(jsonLine(for: rooms).contains(#"{"id":"\#(plans)","section":"invited","sort":9,"rev":9,"#))
        #expect(jsonLine(for: rooms).contains(#""by":"ann","title":"Tea""#))
        #expect(
            jsonLine(for: rooms).contains(#""title":"Plans""#) && jsonLine(for: rooms).contains(#""people":["bob"]"#))
    }

    @Test func anInvitationIsFoundByItsTitleOrTheBeginningOfItsName() throws {
        let names = ["~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2", "~5f0c0000-8a41-4c59-9b7e-21d3c6a0f1b2"]
        let rows = zip(names, ["Plans", "Tea"]).enumerated().map { number, room in
            MyRoom(
                id: RoomName(room.0)!, section: .invited, sort: UInt64(number), rev: 1,
                light: .init(title: RoomTitle(room.1)))
        }

        #expect(try rows.one(called: "plans").id == rows[0].id)
        #expect(try rows.one(called: "~5f0c0").id == rows[1].id)
        #expect(try rows.one(called: "5f0c7d2e").id == rows[0].id)
        #expect(try [rows[1]].one(called: "").id == rows[1].id)
        for which in ["", "~5f0c", "lobby"] { #expect(throws: InputError.self) { try rows.one(called: which) } }
        #expect(throws: InputError.self) { try [MyRoom]().one(called: "") }
    }

    private func room(_ name: String, _ number: UInt64, _ light: MyRoom.Light) -> MyRoom {
        MyRoom(id: RoomName(name)!, sort: number, rev: number, light: light)
    }

    private func rooms(_ rows: [MyRoom]) throws -> RoomsView {
        let proof = ListProof(count: rows.count, digest: ListDigest(rows).value)
        let snapshot = ListSnapshot(revision: 9, rows: rows, more: false, proof: proof)
        return RoomsView(replica: try Replica(epoch: Epoch("e")!, joined: 9, snapshot))
    }

    // MARK: - Numbers and names

    @Test(arguments: [
        (0, "0"), (7, "7"), (999, "999"), (1_204, "1,204"), (1_000_000, "1,000,000"), (-12_345, "-12,345"),
    ])
    func aNumberIsWrittenInGroups(number: Int, text: String) {
        #expect(number.grouped == text)
    }

    @Test func aMessageIsFoundByItsNumberOrTheBeginningOfItsID() throws {
        let other = MessageID(high: 0x1234_5678 << 32, low: 0)
        let view = try view([message(4, .history), message(7, .history), message(9, .socket, id: other)])

        #expect(try view.message(named: "7") == id(7))
        #expect(try view.message(named: "9") == other)
        #expect(try view.message(named: "1234") == other)
        #expect(try view.message(named: "12345678-0000") == other)
        for wrong in ["5", "99", "123", "4321", "0000"] {
            #expect(throws: InputError.self) { try view.message(named: wrong) }
        }
    }

    // MARK: - What is shown

    private func id(_ number: UInt64) -> MessageID { MessageID(high: 0, low: number) }

    private func message(
        _ number: UInt64, _ section: Message.Section, id: MessageID? = nil, text: String? = nil,
        edited: Milliseconds? = nil, reactions: [String] = []
    ) -> Message {
        let ann = UserName("ann")!
        return Message(
            id: id ?? self.id(number), section: section, sort: number, rev: number, author: ann, time: 0,
            content: MessageContent(text ?? "text \(number)"), edited: edited,
            reactions: reactions.map { Reaction(emoji: $0, users: [ann]) })
    }

    private func view(_ rows: [Message], count: Int? = nil) throws -> RoomView {
        let proof = ListProof(count: count ?? rows.count, digest: ListDigest(rows).value)
        let snapshot = ListSnapshot(revision: 100, rows: rows, more: count != nil, proof: proof)
        return RoomView(replica: try Replica(epoch: Epoch("e")!, joined: 8, snapshot))
    }

    private func change(
        _ view: RoomView, in room: String = "lobby", deleted: [Message] = [], gaps: [ListGap] = [],
        _ fill: (inout ReplicaChanges<MessageID>) -> Void
    ) -> RoomChange {
        var changes = ReplicaChanges<MessageID>()
        fill(&changes)
        return RoomChange(
            room: RoomName(room)!, cause: .live, changes: changes, gaps: GapChanges(from: [], to: gaps),
            deleted: deleted, view: view)
    }
}
