import ChatClient
import ChatWire
import CommandLineFlags
import Testing
import WebSocketTransport

@testable import diffroom_load

/// The faults that the load must detect: each test has a reader, a writer and a server with one fault.
@Suite struct VerdictTests {
    @Test func aServerThatIsRightIsFoundRight() throws {
        var run = try Run()
        run.play()

        #expect(run.load.report.isAllRight)
        #expect(run.load.report.acknowledged == 3)
        #expect(run.load.report.deliveries == 3)
        #expect(run.load.report.sendToSeen.total == 3)
    }

    @Test func anAcknowledgedMessageThatIsNotThereIsLost() throws {
        var run = try Run()
        run.atTheEnd = { $0.removeLast() }
        run.play()

        #expect(run.load.report.lost == 1)
        #expect(!run.load.report.isAllRight)
    }

    /// A server with retention trims a room from its beginning.
    @Test(arguments: [
        (0, ["--expect-retention"], 0), (1, ["--expect-retention"], 1), (2, ["--expect-retention"], 1), (0, [], 1),
    ])
    func onlyWhatIsMissingAtTheBeginningWasTrimmed(missing: Int, flags: [String], lost: Int) throws {
        var run = try Run(flags: flags)
        run.atTheEnd = { $0.remove(at: missing) }
        run.play()

        #expect(run.load.report.lost == lost)
    }

    @Test func aMessageThatWasCarriedOutTwiceIsDoubled() throws {
        var run = try Run()
        run.atTheEnd = { rows in
            let last = rows[rows.count - 1]
            rows.append(Run.row(99, 4, text: last.text))
        }
        run.play()

        #expect(run.load.report.doubled == 1)
    }

    @Test func messagesInAnotherOrderAreDisordered() throws {
        var run = try Run()
        run.atTheEnd = { rows in
            let texts = rows.map(\.text)
            rows[0].content.text = texts[1]
            rows[1].content.text = texts[0]
        }
        run.play()

        #expect(run.load.report.disordered == 1)
    }

    @Test func aReaderThatWasToldSomethingElseDiverged() throws {
        var run = try Run()
        run.atTheEnd = { $0[1].content.text += "!" }
        run.play()

        #expect(run.load.report.diverged == 1)
    }

    @Test func aDigestThatDoesNotMatchIsFound() throws {
        var run = try Run()
        run.flaw = 1
        run.play()

        #expect(run.load.report.digestMismatches == 1)
    }

    @Test func aDiffThatDoesNotFollowTheOneBeforeIsTorn() throws {
        var run = try Run()
        run.forgets = 2
        run.play()

        #expect(run.load.report.torn == 1)
    }

    @Test func aGapThatWasDeclaredIsCountedAndTheRestIsVerified() throws {
        var run = try Run()
        run.leavesOut = 2
        run.play()
        var wrong = try Run()
        wrong.leavesOut = 2
        wrong.atTheEnd = { $0[0].content.text += "!" }
        wrong.play()

        #expect(run.load.report.gaps == 1)
        #expect(run.load.report.isAllRight)
        #expect(wrong.load.report.diverged == 1)
    }

    @Test func aReaderThatHasToStartOverIsFoundUnlessTheEpochIsAnother() throws {
        for why in ServerFrame.SnapshotReason.allCases {
            var run = try Run()
            run.startsOver = why
            run.play()

            #expect(run.load.report.startedOver == (why == .epoch ? 0 : 1))
            #expect(run.load.report.resumedBySnapshot == [why.rawValue: 1])
            #expect(run.load.report.isAllRight == (why == .epoch))
        }
    }

    @Test func aMembersListThatIsRightIsFoundRight() throws {
        var run = try Run(members: 1)
        run.play()

        #expect(run.load.report.isAllRight)
        #expect(run.load.clients[0].memberships[0].mark > 0)
        #expect(run.load.report.inboxFrames == 5)
        #expect(run.load.report.recounts == 2)
    }

    @Test func aMembersListThatIsWrongIsFound() throws {
        let flaws: [(inout [MyRoom]) -> Void] = [
            { $0[0].light.unread += 1 }, { $0[0].light.mentions += 1 }, { $0[0].light.read -= 1 },
            { $0[0].light.last = nil }, { $0[0].section = .archived }, { $0 = [] },
        ]
        for flaw in flaws {
            var run = try Run(members: 1)
            run.listed = flaw
            run.play()

            #expect(run.load.report.wrongLists == 1)
            #expect(!run.load.report.isAllRight)
        }
    }

    @Test func aListOfMentionsThatIsWrongIsFound() throws {
        var run = try Run(members: 1)
        let other = MyMention(
            id: MyMention.ID(room: run.load.options.room(0), message: MessageID(high: 0, low: 9)), sort: 9, rev: 1,
            author: UserName("w")!, time: 9, light: MyMention.Light(text: "", isRead: false))
        run.mentioned = { $0.append(other) }
        run.play()

        #expect(run.load.report.wrongLists == 1)
        #expect(!run.load.report.isAllRight)
    }

    @Test func aCountThatIsWrongOnTheWayIsFound() throws {
        let flaws: [(inout [MyRoom]) -> Void] = [{ $0[0].light.unread -= 1 }, { $0[0].light.mentions += 1 }]
        for flaw in flaws {
            var run = try Run(members: 1)
            run.listedOnTheWay = flaw
            run.play()

            #expect(run.load.report.wrongStates == 1)
            #expect(run.load.report.wrongLists == 0)
            #expect(!run.load.report.isAllRight)
        }
    }

    @Test func aMemberIsInSeveralRoomsAndPinsSome() throws {
        let words = ["diffroom-load", "ws://h:1", "--rooms", "5", "--subscribers", "1", "--inbox", "5"]
        let load = Load(
            try Options(try program.parse(words, environment: [:])), part: Load.Part(index: 0, count: 1), now: 0)

        #expect(load.clients[3].memberships.map(\.room.description) == ["load-3", "load-4", "load-0", "load-1"])
        #expect(load.clients[3].memberships.map(\.pin) == [nil, nil, 2, 1])
    }

    @Test(arguments: [0, 1, 7, 20, 39, 40])
    func asManyReadersAreMembersAsWereAskedFor(count: Int) throws {
        let words = ["diffroom-load", "ws://h:1", "--rooms", "4", "--subscribers", "10", "--inbox", "\(count)"]
        let options = try Options(try program.parse(words, environment: [:]))
        let parts = (0..<3).map { Load(options, part: Load.Part(index: $0, count: 3), now: 0) }
        let members = parts.flatMap(\.clients).filter(\.isMember)

        #expect(members.count == count)
        #expect(Set(members.map(\.rooms)).count == min(4, count))
    }

    @Test func aReaderThatIsNotToldEverythingIsBehind() throws {
        var run = try Run()
        run.forgets = 3
        run.play()

        #expect(run.load.report.behind == 1)
    }
}
