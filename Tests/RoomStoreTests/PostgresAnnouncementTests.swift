import ChatRoom
import ChatWire
import RoomStore
import Testing

@testable import PostgresStore

/// Notifications, which any client of the database may send.
struct PostgresAnnouncementTests {
    private let server = ServerID.random()
    private static let limit = WireInteger.limit

    @Test func aReadMarkThatNoClientCanReadIsNotPassedOn() throws {
        let payload = "p \(server)\nlobby\tann\th\t\(Self.limit)\nlobby\tbob\tht\t\(Self.limit - 1)"

        let (sender, hint) = try #require(Announcement.read(payload))

        let bob = Presence(name: Someone.bob, isHere: true, isTyping: true, read: Self.limit - 1)
        #expect(sender == server && hint == .present([lobby: [bob]]))
    }

    @Test(arguments: ["\(limit)", "\(UInt64.max)", "-1", "", "1.5"])
    func aRevisionThatNoRoomReachesIsNotPassedOn(revision: String) throws {
        let (_, hint) = try #require(Announcement.read("r \(server)\nlobby\t\(revision)\nattic\t7"))

        #expect(hint == .reached([RoomName("attic")!: 7]))
    }

    private static func message(_ revision: Revision, _ text: String) -> Message {
        Message(
            id: id(revision), section: .socket, sort: revision, rev: revision, author: Someone.ann, time: 7,
            content: MessageContent(text, replyTo: id(1), mentions: Mentioned([Someone.bob], everyone: true)))
    }

    private static func news(_ message: Message) -> InsertedMessage { InsertedMessage(message, at: message.time + 3) }

    /// Those that are too long are left out, and the others arrive as they were, in several payloads.
    @Test func messagesArriveAsTheyWereSent() throws {
        let texts = (1...9).map { String(repeating: "tab\t line\n \"quoted\" e\u{301} 👩‍👩‍👧 \($0)", count: 40) }
        var messages = texts.enumerated().map { Self.news(Self.message(Revision($0 + 2), $1)) }
        let hint = Announcement.sent(
            [lobby: messages + [Self.news(Self.message(20, String(repeating: "x", count: 9_000)))]], of: Epoch("e f")!)

        let payloads = hint.payloads(from: server)
        #expect(payloads.allSatisfy { $0.utf8.count < 8_000 } && payloads.count > 1)
        for payload in payloads {
            guard case (server, .sent(let rooms, Epoch("e f")!))? = Announcement.read(payload) else {
                Issue.record("\(payload) is not read")
                continue
            }
            let part = rooms[lobby] ?? []
            #expect(Array(messages.prefix(part.count)) == part)
            messages.removeFirst(min(part.count, messages.count))
        }
        #expect(messages.isEmpty)
    }

    /// Only a row that is new can be applied.
    @Test func aRowThatIsNoNewMessageIsNotPassedOn() throws {
        var edited = Self.message(3, "edited")
        edited.edited = 8
        var later = Self.message(4, "later")
        later.rev = 5
        let odd = [Self.message(0, "none"), edited, later, Self.message(Self.limit, "far")]
        for message in odd {
            let hint = Announcement.sent([lobby: [Self.news(message)]], of: Epoch("e")!)
            let payload = try #require(hint.payloads(from: server).first)
            #expect(Announcement.read(payload)?.1 == .sent([:], of: Epoch("e")!))
        }
        let odds = "s \(server) e\nlobby\t7\t{}\nlobby\nlobby\t7\nlobby\tx\t{\"id\":1}"
        #expect(Announcement.read(odds)?.1 == .sent([:], of: Epoch("e")!))
    }

    @Test(arguments: ["", "s 1 e", "s", "r", "x 1", "r \u{1}", "\n\n", "a 1 2 3"])
    func anythingElseIsNoHint(payload: String) {
        #expect(Announcement.read(payload) == nil)
    }
}
