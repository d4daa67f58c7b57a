import ChatClient
import ChatWire
import Testing

/// What rooms are called.
@Suite struct RoomLabelTests {
    private static let plans = "~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2"
    private static let pair = "@97049da5464956062d0e94be5f061ee5"

    @Test(
        arguments: [
            ("lobby", nil, [], "lobby", "#lobby", "room lobby"),
            ("lobby", "Tea", [], "Tea (lobby)", "Tea #lobby", "room Tea (lobby)"),
            (plans, "Plans", [], "Plans", "Plans (private)", "room Plans"),
            (plans, nil, [], "private room 5f0c7d2e", "private room 5f0c7d2e", "private room 5f0c7d2e"),
            (pair, nil, ["bob"], "bob", "bob", "the direct room with bob"),
            (pair, nil, ["bob", "cid"], "bob, cid", "bob, cid", "the direct room with bob, cid"),
            (pair, nil, [], "direct room 97049da5", "direct room 97049da5", "direct room 97049da5"),
        ] as [(String, String?, [String], String, String, String)])
    func aRoomIsCalledByItsTitleItsPeopleOrItsName(
        name: String, title: String?, people: [String], label: String, heading: String, phrase: String
    ) throws {
        let room = RoomLabel(
            try #require(RoomName(name)), title: title.flatMap { RoomTitle($0) },
            people: people.compactMap { UserName($0) })

        #expect((room.description, room.heading, room.phrase) == (label, heading, phrase))
    }

    /// A private room whose title cannot be seen, or is another room's name, does not pass for that one above its messages.
    @Test(arguments: [" ", "\u{2060}\u{200B}", "\u{3164}", "\u{00A0} "])
    func aTitleInWhichThereIsNothingToSeeIsNone(title: String) throws {
        let title = try #require(RoomTitle(known: title))

        #expect(RoomLabel(try #require(RoomName(Self.plans)), title: title).description == "private room 5f0c7d2e")
    }

    @Test func theServersWordsNameTheRoomAsItsPeopleDo() throws {
        let (plans, lobby) = (try #require(RoomName(Self.plans)), try #require(RoomName("a")))
        let label = RoomLabel(plans, title: RoomTitle("Plans"))

        #expect(label.renamed(in: "you may not read room \(plans) any more") == "you may not read room Plans any more")
        #expect(label.renamed(in: "wait: \(plans) is slow") == "wait: Plans is slow")
        #expect(RoomLabel(lobby, title: RoomTitle("b")).renamed(in: "a room a") == "a room a")
    }

    @Test func aRoomThatWasMadeIsCalledAsItWillBeBeforeItIsAmongTheUsersRooms() throws {
        let (plans, pair) = (try #require(RoomName(Self.plans)), try #require(RoomName(Self.pair)))
        var labels = RoomLabels()
        labels.apply(.direct(people: ["cid", "bob"].compactMap { UserName($0) }), as: pair)
        labels.apply(.private(people: [try #require(UserName("bob"))], title: RoomTitle("Plans")), as: plans)
        labels.apply(RoomStanding(role: .write), of: pair)

        #expect(labels[pair].description == "bob, cid" && labels[plans].description == "Plans")
        labels.apply(RoomStanding(role: .own), of: plans)
        #expect(labels[plans].description == "private room 5f0c7d2e")
    }

    /// The server's words may name the room themselves.
    @Test func aNoticeNamesTheRoomOnce() throws {
        let lobby = try #require(RoomName("lobby"))

        #expect("\(SessionNotice.refused(.messages(lobby), WireError(.role, "room lobby: no")))" == "room lobby: no")
        #expect("\(SessionNotice.refused(.messages(lobby), WireError(.role, "no")))" == "room lobby: no")
    }

    /// A client knows no more than the server tells: whether there is such a room.
    @Test func aPrivateRoomThatIsRefusedMayNotBeThere() throws {
        let plans = try #require(RoomName(Self.plans))
        let notice = SessionNotice.refused(.messages(plans), WireError(.role, "room \(plans): this needs a role"))

        #expect("\(notice)" == "private room 5f0c7d2e: there is no such room, or you are not one of its people")
    }

    @Test func aNoticeNamesARoomThatIsGoneAsItWasCalled() throws {
        let plans = try #require(RoomName(Self.plans))
        let row = MyRoom(id: plans, section: .invited, sort: 1, rev: 1, light: .init(title: RoomTitle("Plans")))
        let notice = SessionNotice.ended(
            .messages(plans), .init(why: .forbidden, message: "you may not read room \(plans) any more"))
        var (labels, rooms) = (RoomLabels(), SessionProbe.ready())
        rooms.tell(.openRooms(limit: 100))
        for rows in [[row], []] {
            rooms.tell(.received(RoomsTests.snapshot(ref: nil, rows)), .received(RoomsTests.snapshot(ref: 2, rows)))
            labels.apply(try #require(rooms.session.ownRooms))
        }

        #expect(notice.text(labels) == "you may not read room Plans any more")
        #expect("\(notice)" == "you may not read private room 5f0c7d2e any more")
    }
}
