import ChatWire
import TestSupport
import Testing

@testable import diffroom

/// The lines of a terminal and the drafts at the server.
struct DraftSyncTests {
    private let lobby = RoomName("lobby")!

    @Test func aLineIsStoredOnce() {
        var sync = DraftSync()

        #expect(sync.changed("hello", in: lobby) == "hello")
        #expect(sync.changed("hello", in: lobby) == nil)
        #expect(sync.changed("", in: lobby) == "")
        #expect(sync.changed("", in: lobby) == nil)
    }

    @Test(arguments: ["", " ", "/join den", "\u{200B}"])
    func whatIsNoMessageIsNotStored(line: String) {
        var sync = DraftSync()

        #expect(sync.changed(line, in: lobby) == nil)
    }

    @Test func anotherDevicesDraftComesIntoAnUntouchedLine() {
        var sync = DraftSync()

        #expect(sync.apply("from afar", in: lobby, line: "") == "from afar")
        #expect(sync.changed("from afar", in: lobby) == nil)
        #expect(sync.apply("", in: lobby, line: "from afar") == "")
    }

    @Test func whatWasWrittenHereSinceStaysAndIsStored() {
        var sync = DraftSync()
        _ = sync.apply("from afar", in: lobby, line: "")

        #expect(sync.apply("from farther", in: lobby, line: "from afar, here") == nil)
        #expect(sync.changed("from afar, here", in: lobby) == "from afar, here")
    }

    @Test func ownTextsThatWereOvertakenDoNotComeBack() {
        var sync = DraftSync()
        _ = sync.changed("h", in: lobby)
        _ = sync.changed("he", in: lobby)

        #expect(sync.apply("h", in: lobby, line: "he") == nil)
        #expect(sync.apply("he", in: lobby, line: "he") == nil)
        #expect(sync.apply("h", in: lobby, line: "he") == "h")
    }

    @Test func aRoomThatIsOpenedAgainGetsItsDraft() {
        var sync = DraftSync()
        _ = sync.changed("hello", in: lobby)

        #expect(sync.apply("hello", in: lobby, line: "") == "hello")
    }

    /// Two devices that write in turn, with news that come late: once all has come, both have what was written last, and
    /// nothing is stored any more.
    @Test(arguments: UInt64(0)..<300)
    func devicesThatRestAreAlike(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (syncs, lines, news) = ([DraftSync(), DraftSync()], ["", ""], [[String](), [String]()])
        var (stored, stores) = ("", 0)
        func store(_ device: Int) {
            guard let text = syncs[device].changed(lines[device], in: lobby) else { return }
            (stored, stores) = (text, stores + 1)
            for other in news.indices { news[other].append(text) }
        }
        func hear(_ device: Int) {
            guard !news[device].isEmpty else { return }
            let text = news[device].removeFirst()
            if let line = syncs[device].apply(text, in: lobby, line: lines[device]) { lines[device] = line }
        }

        for step in 0..<40 {
            let device = Int.random(in: 0...1, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: lines[device] = Bool.random(using: &random) ? "\(lines[device])\(step)" : ""
            case 1: store(device)
            default: hear(device)
            }
        }
        let before = stores
        for _ in 0..<200 {
            for device in 0...1 {
                hear(device)
                if news[device].isEmpty { store(device) }
            }
        }

        #expect(lines[0] == lines[1], "stored: \(stored)")
        #expect(lines[0] == stored)
        #expect(stores - before <= 4)
    }
}
