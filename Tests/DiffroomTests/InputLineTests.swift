import ChatWire
import Testing

@testable import diffroom

@Suite struct InputLineTests {
    @Test(arguments: [
        ("", InputLine.nothing), ("   ", .nothing), ("\r", .nothing),
        ("hello", .send("hello")), (" two  spaces ", .send(" two  spaces ")), ("from windows\r", .send("from windows")),
        ("//etc/passwd", .send("/etc/passwd")),
        ("/edit 12 new text", .edit(.named("12"), "new text")), ("/edit #12  x", .edit(.named("12"), "x")),
        ("/edit last x", .edit(.last, "x")),
        ("/delete 3f2a", .delete(.named("3f2a"))), ("/delete last ", .delete(.last)),
        ("/react 12 👍", .react(.named("12"), emoji: "👍", .on)),
        ("/unreact 12 👍", .react(.named("12"), emoji: "👍", .off)),
        ("/reply 12 yes indeed", .reply(.named("12"), "yes indeed")),
        ("/older", .older(50)), ("/older 200", .older(200)), ("/help", .help), ("/quit", .quit),
        ("/mute ann 10m", .moderate(.mute(UserName("ann")!, for: 600_000))),
        ("/mute ann lee 90", .moderate(.mute(UserName("ann lee")!, for: 90_000))),
        ("/unmute ann", .moderate(.unmute(UserName("ann")!))),
        ("/kick ann lee", .moderate(.kick(UserName("ann lee")!))),
        ("/ban ann", .moderate(.ban(UserName("ann")!))), ("/unban ann", .moderate(.unban(UserName("ann")!))),
        ("/slow 5", .moderate(.slowMode(5_000))), ("/slow 0", .moderate(.slowMode(0))),
        ("/slow 6h", .moderate(.slowMode(21_600_000))), ("/readonly on", .moderate(.readOnly(.on))),
        ("/role ann moderate", .moderate(.appoint(UserName("ann")!, .moderate))), ("/audit", .audit),
        ("/to tea", .to(RoomName("tea")!)), ("/to #tea ", .to(RoomName("tea")!)),
        ("/join", .join(nil)), ("/join  tea ", .join(RoomName("tea"))), ("/join #tea", .join(RoomName("tea"))),
        ("/leave", .leave(nil)), ("/leave tea", .leave(RoomName("tea"))), ("/rooms", .rooms), ("/mentions", .mentions),
        ("/mentions older", .olderMentions), ("/pins", .pins(.list)),
        ("/pins add 7", .pins(.pin(.named("7"), .last))), ("/pins remove #7", .pins(.unpin(.named("7")))),
        ("/pins add last before 3", .pins(.pin(.last, .before(.named("3"))))),
        ("/pins add 7 after 3", .pins(.pin(.named("7"), .after(.named("3"))))),
        ("/topic  What we do ", .moderate(.topic(RoomTopic("What we do")))), ("/untopic", .moderate(.topic(nil))),
        ("/picture https://a.example/p.png", .moderate(.picture(Picture("https://a.example/p.png")))),
        ("/unpicture", .moderate(.picture(nil))),
        ("/title Plans", .moderate(.title(RoomTitle("Plans")))), ("/untitle", .moderate(.title(nil))),
        ("/create Plans", .about(.create(title: RoomTitle("Plans")))),
        ("/create  #tea ", .about(.createOpen(RoomName("tea")!, title: nil))),
        ("/create #tea  Tea time ", .about(.createOpen(RoomName("tea")!, title: RoomTitle("Tea time")))),
        ("/accept", .about(.accept(""))),
        ("/msg bob hello", .about(.message("bob hello"))),
        ("/pin", .set(.pin(nil))), ("/pin 3 ", .set(.pin(3))), ("/unpin", .set(.change(SettingsChange(pinned: .off)))),
        ("/silence", .set(.change(SettingsChange(isMuted: true)))),
        ("/unsilence", .set(.change(SettingsChange(isMuted: false)))),
        ("/archive ", .set(.change(SettingsChange(isArchived: true)))),
        ("/unarchive", .set(.change(SettingsChange(isArchived: false)))),
        ("/unread", .set(.change(SettingsChange(isMarked: true)))), ("/unread 3", .set(.unread(last: 3))),
        ("/readall", .set(.readAll)), ("/links", .links(nil)), ("/links 7", .links(.named("7"))),
        ("/later", .later(.list)), ("/later cancel 5F0C", .later(.cancel("5f0c"))),
        ("/schedule 20m good  morning", .later(.schedule(.after(1_200_000), "good  morning"))),
        ("/schedule 9:05 hi", .later(.schedule(.next(hour: 9, minute: 5), "hi"))),
        ("/schedule tomorrow 18:30 hi", .later(.schedule(.tomorrow(hour: 18, minute: 30), "hi"))),
        (
            "/schedule 2030-02-28 0:00 9:00 is early",
            .later(.schedule(.on("2030-02-28", hour: 0, minute: 0), "9:00 is early"))
        ),
        ("/remind 3h", .later(.remind(.after(10_800_000), of: nil))),
        ("/remind tomorrow 9:00 #12", .later(.remind(.tomorrow(hour: 9, minute: 0), of: .named("12")))),
    ])
    func aLineSaysWhatToDo(line: String, meaning: InputLine) throws {
        #expect(try InputLine(line) == meaning)
    }

    @Test func aTitleIsOneLineOfAtMost200Bytes() throws {
        #expect(try InputLine("/title " + String(repeating: "x", count: 200)) != .nothing)
        #expect(throws: InputError.self) { try InputLine("/title " + String(repeating: "é", count: 101)) }
    }

    @Test(arguments: [
        "/", "/edit", "/edit 12", "/edit 12  ", "/delete", "/react 3", "/older 0", "/older x", "/nope", "/mute ann",
        "/mute ann 0", "/mute 10m", "/mute ann 367d", "/kick", "/slow", "/slow 7h", "/slow fast", "/readonly",
        "/role ann", "/to", "/to two rooms",
        "/role ann king", "/role moderate", "/join two rooms", "/join ..", "/leave a/b",
        "/pins add", "/pins add 7 near 3", "/pins remove", "/pins list", "/pins add 7 before", "/pin 0", "/pin -1",
        "/pin tea", "/pin 1 2", "/unpin 1", "/silence ann", "/archive tea", "/unread 0",
        "/unread x", "/readall 5", "/mute",
        "/invite", "/invite @", "/msg", "/msg  ", "/title", "/topic", "/picture", "/picture http://a.example",
        "/title \u{1B}[0m", "/create two\nlines",
        "/create #", "/create # tea", "/create #..", "/create #Fünf", "/create #tea two\nlines",
        "/later 5", "/later cancel", "/schedule", "/schedule 20m", "/schedule 20 hi", "/schedule 24:00 hi",
        "/schedule 9:5 hi",
        "/schedule tomorrow hi", "/schedule 2030-02-30 9:00 hi", "/schedule 99999d hi", "/remind", "/remind me",
        "/remind 3h 1 2",
        "/create #~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2",
    ])
    func aLineThatMeansNothingIsAnErrorThatSaysWhatWouldBeRight(line: String) {
        #expect(throws: InputError.self) { try InputLine(line) }
    }
}
