import ChatClient
import ChatWire
import TerminalUI
import TestSupport
import Testing

@testable import diffroom

@Suite struct ControlsTests {
    private let id = MessageID(high: 0, low: 7)
    private var own: Controls.Subject { Controls.Subject(id: id, text: "old text", isOwn: true, mayDelete: true) }
    private var other: Controls.Subject { Controls.Subject(id: id, text: "theirs", isOwn: false, mayDelete: false) }

    /// Presses keys, a text letter by letter, and returns what they ask for.
    private func press(
        _ controls: inout Controls, _ text: String = "", _ keys: Key..., on subject: Controls.Subject? = nil
    ) -> [Controls.Action] {
        (text.map { .text(String($0)) } + keys).flatMap { controls.press($0, subject: subject) }
    }

    @Test func aLineIsSentAndTheListGoesToItsEnd() {
        var controls = Controls()

        let actions = press(&controls, "hello", .named(.enter))

        #expect(actions == [.command(.send("hello", replyTo: nil)), .scroll(.end)])
        #expect(controls.draft.isEmpty)
    }

    @Test(arguments: [("hi @an", "an"), ("@", ""), ("(@Jo", "Jo"), ("请问@", ""), ("こんにちは@b", "b"), ("＠", "")])
    func tabCompletesTheNameBehindAnAt(text: String, begun: String) {
        var controls = Controls()

        #expect(press(&controls, text, .named(.tab)) == [.completeName(begun, of: .callable)])
        #expect(controls.mode == .writing && controls.draft.text == text)
    }

    @Test(arguments: ["hi", "@ann ", "ann@example"])
    func elsewhereTabChoosesAMessage(text: String) {
        var controls = Controls()

        #expect(press(&controls, text, .named(.tab)) == [.select(.up)])
    }

    @Test(arguments: [
        ("\u{1B}[31merror\u{1B}[0m", "error", true), ("a\tb\r\n", "a\tb\n", false),
        ("\u{202B}\u{5D0}\u{202C}", "\u{202B}\u{5D0}\u{202C}", false),
        ("    def f():", "    def f():", false), ("👩\u{200D}💻\u{200E}", "👩\u{200D}💻\u{200E}", false),
        ("a\0b", "ab", true),
    ])
    func aPasteIsSentAsItIsStored(pasted: String, sent: String, isTold: Bool) {
        for mode in [Controls.Mode.writing, .replying(id), .editing(id)] {
            var controls = Controls()
            controls.mode = mode

            let told = press(&controls, "", .pasted(pasted))

            #expect(told == (isTold ? [.showNotice(InputLine.reduced)] : []))
            let actions = press(&controls, "", .named(.enter))
            let texts = actions.compactMap { action -> String? in
                switch action {
                case .command(.send(let text, _)), .command(.edit(_, let text)): text
                default: nil
                }
            }
            #expect(texts.map { Array($0.utf8) } == [Array(sent.utf8)])
        }
    }

    @Test(arguments: ["\u{200B}", "\u{2800}", "\u{3164}", "\u{AD}"])
    func aTextOfWhichNothingCanBeSeenIsNotSentAndStays(text: String) {
        var controls = Controls()

        let actions = press(&controls, "", .pasted(text), .named(.enter))

        guard actions.count == 1, case .showNotice? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(controls.draft.text == text)
    }

    @Test func blanksAreNotSent() {
        var controls = Controls()

        #expect(press(&controls, "   ", .named(.enter)) == [])
    }

    @Test(arguments: [("//me", "/me"), ("//", "/")])
    func twoSlashesSendOne(text: String, sent: String) {
        var controls = Controls()

        #expect(press(&controls, text, .named(.enter)).first == .command(.send(sent, replyTo: nil)))
    }

    @Test func anUnknownCommandIsNotSentAndStays() {
        var controls = Controls()

        let actions = press(&controls, "/hlep", .named(.enter))

        #expect(actions == [.showNotice("there is no /hlep: /help shows what there is, // sends a /")])
        #expect(controls.draft.text == "/hlep")
    }

    @Test func anAnswerGoesToTheChosenMessage() {
        var controls = Controls()
        #expect(press(&controls, "", .named(.tab)) == [.select(.up)])
        _ = press(&controls, "r", on: other)
        #expect(controls.mode == .replying(id))

        let actions = press(&controls, "yes", .named(.enter))

        #expect(actions.first == .command(.send("yes", replyTo: id)))
        #expect(controls.mode == .writing)
    }

    @Test func enterOnAnAnswerGoesToTheMessageThatItAnswersAndElseBackToWriting() {
        let quoted = MessageID(high: 0, low: 3)
        var answer = other
        answer.replyTo = quoted
        var controls = Controls()
        _ = press(&controls, "", .named(.tab))

        #expect(press(&controls, "", .named(.enter), on: answer) == [.go(.id(quoted))])
        #expect(controls.mode == .selecting)
        #expect(press(&controls, "", .named(.enter), on: other) == [.search(""), .selectNone])
        #expect(controls.mode == .writing)
    }

    @Test(arguments: [
        (Key.named(.altUp), Controls.Action.Rooms.next(.up)), (.named(.altDown), .next(.down)),
        (.alt("n"), .nextUnread), (.control("k"), .choose),
    ])
    func keysLeadToOtherRoomsInEveryMode(key: Key, action: Controls.Action.Rooms) {
        let modes: [Controls.Mode] = [
            .writing, .replying(id), .editing(id), .reacting(id), .selecting, .confirming(.delete(id), .keep),
            .searching, .helping,
        ]
        for mode in modes {
            var controls = Controls()
            (controls.mode, controls.draft) = (mode, .init())
            controls.editor.insert("text")

            #expect(press(&controls, "", key, on: own) == [.rooms(action)])
            #expect(controls.mode == mode && controls.editor.text == "text")
        }
    }

    @Test func controlKCutsWhatIsBehindTheCursorFirst() {
        var controls = Controls()

        #expect(press(&controls, "one two", .named(.wordLeft), .control("k")) == [])
        #expect(controls.draft.text == "one ")
        #expect(press(&controls, "", .control("k")) == [.rooms(.choose)])
    }

    @Test(arguments: [
        ("/join", Controls.Action.Rooms.join(nil)), ("/join #tea", .join(RoomName("tea"))), ("/leave", .leave(nil)),
        ("/leave tea", .leave(RoomName("tea"))), ("/rooms", .choose), ("/mentions", .mentions),
    ])
    func commandsJoinLeaveAndChooseARoom(line: String, action: Controls.Action.Rooms) {
        var controls = Controls()

        #expect(press(&controls, line, .named(.enter)) == [.rooms(action)])
        #expect(controls.draft.isEmpty)
    }

    @Test(arguments: [
        ("/create", RoomLine.create(title: nil)),
        ("/create  Plans for May ", .create(title: RoomTitle("Plans for May"))),
        ("/create #tea Tea time", .createOpen(RoomName("tea")!, title: RoomTitle("Tea time"))),
        ("/invite @bob", .invite(UserName("bob")!)), ("/uninvite ann lee", .uninvite(UserName("ann lee")!)),
        ("/msg bob hi there", .message("bob hi there")), ("/accept", .accept("")),
        ("/decline Plans", .decline("Plans")),
    ])
    func commandsMakeRoomsAndAreAboutPrivateOnes(line: String, meaning: RoomLine) {
        var controls = Controls()

        #expect(press(&controls, line, .named(.enter)) == [.rooms(.about(meaning))])
        #expect(controls.draft.isEmpty)
    }

    @Test(arguments: [("/cre", "/create "), ("/unin", "/uninvite "), ("/d", "/d"), ("/se", "/search "), ("/r", "/r")])
    func tabCompletesACommandAsFarAsThereIsNoChoice(begun: String, line: String) {
        var controls = Controls()

        let actions = press(&controls, begun, .named(.tab))

        #expect(controls.draft.text == line)
        #expect(line.hasSuffix(" ") == actions.isEmpty)
    }

    @Test(arguments: [
        ("/invite bo", "bo", Controls.Action.Circle.everybody), ("/msg ", "", .everybody),
        ("/msg ann l", "ann l", .everybody), ("/msg @an", "an", .everybody), ("/uninvite b", "b", .room),
        ("/accept pl", "pl", .invitations),
        ("/mute b", "b", .room), ("/unban b", "b", .everybody), ("/msg ann,bo", "bo", .everybody),
        ("/join lo", "lo", .rooms),
        ("/leave #t", "t", .rooms),
    ])
    func tabCompletesTheNameBehindACommand(line: String, begun: String, circle: Controls.Action.Circle) {
        var controls = Controls()

        #expect(press(&controls, line, .named(.tab)) == [.completeName(begun, of: circle)])
    }

    @Test(arguments: [
        ("/pin", SettingLine.pin(nil)), ("/pin 2", .pin(2)), ("/silence", .change(SettingsChange(isMuted: true))),
        ("/unread", .change(SettingsChange(isMarked: true))), ("/readall", .readAll),
    ])
    func commandsAreAboutTheSettingsOfTheRoom(line: String, meaning: SettingLine) {
        var controls = Controls()

        #expect(press(&controls, line, .named(.enter)) == [.rooms(.set(meaning))])
        #expect(controls.draft.isEmpty)
    }

    @Test func aFileIsUploadedAndALineWithoutAPathStays() throws {
        var controls = Controls()

        #expect(press(&controls, "/upload cat.png look", .named(.enter)) == [.upload(try FileLine("cat.png look"))])
        #expect(press(&controls, "/links", .named(.enter)) == [.links(nil)] && controls.draft.isEmpty)
        _ = press(&controls, "/upload", .named(.enter))
        #expect(controls.draft.text == "/upload")
    }

    @Test func oAsksForTheAddressesOfAMessageWithFiles() {
        var (controls, subject) = (Controls(), own)
        _ = press(&controls, "", .named(.tab))

        #expect(press(&controls, "o", on: subject) == [.showNotice("this message has no files")])
        subject.hasFiles = true
        #expect(press(&controls, "o", on: subject) == [.links(id)] && controls.mode == .selecting)
    }

    @Test func aKeyThatLeavesSomethingElseCancelsNoUpload() {
        var controls = Controls()
        #expect(controls.leavesNothing(.named(.escape)) && controls.leavesNothing(.control("c")))
        #expect(!controls.leavesNothing(.named(.enter)) && !controls.leavesNothing(.text("c")))
        _ = press(&controls, "a line")
        #expect(controls.leavesNothing(.named(.escape)) && !controls.leavesNothing(.control("c")))
        controls.mode = .replying(id)
        #expect(!controls.leavesNothing(.named(.escape)))
    }

    /// Whatever Tab offers is there, and /help tells of it.
    @Test(arguments: Controls.commands)
    func everyCommandThatIsOfferedIsThere(command: String) {
        var controls = Controls()

        for case .showNotice(let text) in press(&controls, "/\(command)", .named(.enter)) {
            #expect(!text.contains("there is no"), "\(command)")
        }
    }

    @Test func aNameThatIsNoneStaysToBeCorrected() {
        var controls = Controls()

        let actions = press(&controls, "/join two rooms", .named(.enter))

        guard case .showNotice(let text)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(text.hasPrefix("usage: /join [ROOM]; a room's name has"))
        #expect(controls.draft.text == "/join two rooms")
    }

    @Test func endGoesToTheNewestUnlessItMovesInAText() {
        var controls = Controls()

        #expect(press(&controls, "", .named(.end)) == [.scroll(.end)])
        #expect(press(&controls, "text", .named(.end)) == [])
        _ = press(&controls, "", .named(.tab))
        #expect(press(&controls, "", .named(.end)).last == .scroll(.end))
        #expect(controls.mode == .writing)
    }

    @Test func aDayIsGoneToAndOneThatThereIsNotIsRefused() throws {
        var controls = Controls()
        let day = try #require(WallClock().beginning(ofDay: "2026-03-03"))

        #expect(press(&controls, "/date 2026-03-03", .named(.enter)) == [.go(.time(day))])
        #expect(controls.draft.isEmpty)
        for wrong in ["", "2026-02-30", "2026-13-01", "2026-03", "3 March", "2026-03-03-03", "99999999999-01-01"] {
            #expect(WallClock().beginning(ofDay: wrong) == nil, "\(wrong)")
        }
        #expect(press(&controls, "/date 2026-02-30", .named(.enter)).count == 1)
        #expect(controls.draft.text == "/date 2026-02-30")
    }

    @Test func aSearchByItsCommandGoesOnInWhatIsNotLoaded() {
        var controls = Controls()

        #expect(press(&controls, "/search needle", .named(.enter)) == [.search("needle"), .searchOn])
        #expect(controls.mode == .searching)
    }

    @Test func editingBeginsWithTheOldTextAndKeepsTheDraft() {
        var controls = Controls()
        _ = press(&controls, "draft", .named(.tab))
        _ = press(&controls, "e", on: own)
        #expect(controls.editor.text == "old text")

        let actions = press(&controls, "!", .named(.enter))

        #expect(actions.first == .command(.edit(id, "old text!")))
        #expect(controls.editor.text == "draft")
    }

    @Test func aModeratorDeletesOtherPeoplesMessagesAndDoesNotEditThem() {
        let subject = Controls.Subject(id: id, text: "theirs", isOwn: false, mayDelete: true)
        var controls = Controls()
        _ = press(&controls, "", .named(.tab))

        #expect(press(&controls, "e", on: subject) == [.showNotice("that is not your message")])
        #expect(press(&controls, "d", .named(.right), on: subject) == [])
        #expect(press(&controls, "", .named(.enter), on: subject) == [.command(.delete(id))])
    }

    @Test func aModeratorsLineIsACommandAndAWrongOneSaysWhatWouldBeRight() {
        var controls = Controls()

        #expect(
            press(&controls, "/mute bob 10m", .named(.enter))
                == [.command(.moderate(.mute(UserName("bob")!, for: 600_000)))])
        #expect(controls.draft.isEmpty)
        #expect(press(&controls, "/kick", .named(.enter)) == [.showNotice("usage: /kick NAME")])
        #expect(controls.draft.text == "/kick")
    }

    @Test(arguments: ["e", "d"])
    func otherPeoplesMessagesAreLeftAlone(key: String) {
        var controls = Controls()
        _ = press(&controls, "", .named(.tab))

        #expect(press(&controls, key, on: other) == [.showNotice("that is not your message")])
        #expect(controls.mode == .selecting)
    }

    @Test func aKeyShowsTheThreadOfAMessage() {
        var controls = Controls()
        _ = press(&controls, "", .named(.tab))

        #expect(press(&controls, "t", on: own) == [.search(""), .selectNone, .rooms(.thread(id))])
        #expect(controls.mode == .writing)
    }

    @Test func deletingIsAskedAboutAndTheHarmlessAnswerIsTheOneAtHand() {
        let answers: [([Key], Bool)] = [
            ([.named(.enter)], false), ([.named(.escape)], false), ([.named(.right), .named(.enter)], true),
            ([.named(.tab), .named(.enter)], true), ([.named(.left), .named(.right), .named(.enter)], false),
            ([.text("y"), .named(.enter)], false), ([.text("d"), .named(.delete), .named(.enter)], false),
        ]
        for (keys, isDeleted) in answers {
            var controls = Controls()
            _ = press(&controls, "", .named(.tab))
            _ = press(&controls, "d", on: own)
            #expect(controls.mode == .confirming(.delete(id), .keep))

            let actions = keys.flatMap { controls.press($0, subject: own) }

            #expect(actions.contains(.command(.delete(id))) == isDeleted, "\(keys)")
            #expect(controls.mode == .selecting)
        }
    }

    @Test(arguments: [Controls.Question.leave, Controls.Question.decline])
    func givingUpAPlaceIsAskedAboutToo(question: @Sendable (RoomLabel) -> Controls.Question) throws {
        let room = try #require(RoomName("~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2"))
        let answers: [([Key], [Controls.Action])] = [
            ([.named(.enter)], []), ([.named(.escape)], []),
            ([.named(.right), .named(.enter)], [.rooms(.leaveOrDecline(room))]),
            ([.text("y")], [.showNotice("← → choose an answer, Enter gives it")]),
        ]
        for (keys, actions) in answers {
            var controls = Controls()
            controls.mode = .confirming(question(RoomLabel(room)), .keep)

            #expect(keys.flatMap { controls.press($0, subject: nil) } == actions)
            #expect((controls.mode == .writing) == (keys != [.text("y")]))
        }
    }

    /// The keys of a person who believes that they go into the message.
    @Test(arguments: UInt64(0)..<50)
    func typingDeletesNothing(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let starts: [Key] = [.named(.escape), .named(.tab), .control("c"), .named(.up)]
        let letters = "abcdefghijklmnopqrstuvwxyz DYN+/=".map { Key.text(String($0)) }
        var controls = Controls()
        for word in 0..<20 {
            _ = controls.press(starts.randomElement(using: &random) ?? .named(.escape), subject: own)
            let keys = (0..<12).map { _ in letters.randomElement(using: &random) ?? .text("d") } + [.named(.enter)]
            let typed = word == 0 ? "dynamic yes d y".map { .text(String($0)) } + [.named(.enter)] : keys
            for key in typed {
                let actions = controls.press(key, subject: own)
                #expect(!actions.contains(.command(.delete(id))))
            }
        }
    }

    @Test func escapeGivesLettersNoMeaning() {
        var controls = Controls()

        _ = press(&controls, "", .named(.escape))
        _ = press(&controls, "dynamic", on: own)

        #expect(controls.mode == .writing)
        #expect(controls.draft.text == "dynamic")
    }

    @Test func aDeletionIsTakenBackByAKeyOrInWords() {
        var controls = Controls()
        #expect(press(&controls, "/undo", .named(.enter)) == [.undo])
        _ = press(&controls, "", .named(.tab))
        #expect(press(&controls, "u", on: own) == [.undo])
    }

    @Test func whatControlCTookAwayComesBack() {
        var controls = Controls()
        _ = press(&controls, "a long draft", .control("c"))

        _ = press(&controls, "", .named(.up))

        #expect(controls.draft.text == "a long draft")
    }

    @Test func theManualIsScrolledAndAnyOtherKeyLeavesIt() {
        var controls = Controls()
        controls.mode = .helping

        #expect(press(&controls, "", .named(.down), .named(.up)) == [.scroll(.lineDown), .scroll(.lineUp)])
        _ = press(&controls, "x")
        #expect(controls.mode == .writing)
    }

    @Test func aDigitReactsAndSoDoesWhateverIsTyped() {
        var controls = Controls()
        _ = press(&controls, "", .named(.tab))
        _ = press(&controls, "+", on: other)
        #expect(press(&controls, "2", on: other) == [.command(.react(id, "❤️"))])

        _ = press(&controls, "+", on: other)
        #expect(press(&controls, "🦊", .named(.enter), on: other) == [.command(.react(id, "🦊"))])
    }

    @Test func aSearchFollowsWhatIsTyped() {
        var controls = Controls()

        #expect(press(&controls, "", .control("f")) == [])
        #expect(press(&controls, "ab") == [.search("a"), .search("ab")])
        #expect(press(&controls, "", .named(.up)) == [.searchNext(.up)])
        #expect(press(&controls, "", .named(.escape)) == [.search(""), .selectNone])
        #expect(controls.mode == .writing)
    }

    @Test func controlCEmptiesTheLineThenAsksThenEnds() {
        var controls = Controls()
        _ = press(&controls, "draft")

        #expect(!press(&controls, "", .control("c")).contains(.quit))
        #expect(controls.draft.isEmpty)
        #expect(press(&controls, "", .control("c")) == [.showNotice("Ctrl-C again ends the program")])
        #expect(press(&controls, "", .control("c")) == [.quit])
    }

    @Test func anotherKeyBetweenTwoControlCIsNoSecondOne() {
        var controls = Controls()
        _ = press(&controls, "", .control("c"))
        _ = press(&controls, "a", .control("c"))

        #expect(press(&controls, "", .control("c")) == [.showNotice("Ctrl-C again ends the program")])
    }

    @Test func aPasteThatIsTooLongLeavesTheDraftAndIsReported() {
        var controls = Controls()
        _ = press(&controls, "draft")

        let actions = press(&controls, "", .longPaste)

        #expect(
            actions == [
                .showNotice("the paste was left out: it is longer than 64 kB, and a message may have 8 kB")
            ])
        #expect(controls.draft.text == "draft")
    }

    @Test(arguments: [("", "hi @ann"), ("!", "hi @ann !"), (" ", "hi @ann  ")])
    func theBlankOfACompletionIsNotSentUnlessSomethingFollows(more: String, sent: String) {
        for mode in [Controls.Mode.writing, .replying(id), .editing(id)] {
            var controls = Controls()
            controls.mode = mode
            _ = press(&controls, "hi @ann")
            controls.editor.endCompletion()

            let actions = press(&controls, more, .named(.enter))

            switch actions.first {
            case .command(.send(let text, _)), .command(.edit(_, let text)): #expect(text == sent)
            default: Issue.record("\(actions)")
            }
        }
    }

    @Test func noKeyBreaksAnyMode() {
        let modes: [Controls.Mode] = [
            .writing, .replying(id), .editing(id), .reacting(id), .selecting, .confirming(.delete(id), .keep),
            .confirming(.delete(id), .act), .searching, .helping,
        ]
        let keys: [Key] =
            Key.Name.allCases.map { .named($0) } + "abcdefghijklmnopqrstuvwxyz".map { .control($0) }
            + "bdfx".map { .alt($0) } + ["a", "/", "+", "1", "漢"].map { .text($0) } + [.pasted("a\nb")]
        for mode in modes {
            for key in keys {
                var controls = Controls()
                controls.mode = mode
                _ = controls.press(key, subject: own)
                let isScrolling = controls.press(.named(.pageUp), subject: nil) == [.scroll(.pageUp)]
                #expect(isScrolling, "\(mode) \(key)")
            }
        }
    }
}
