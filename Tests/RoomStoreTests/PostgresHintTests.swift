import ChatRoom
import ChatWire
import RoomStore
import Testing

@testable import PostgresStore

/// Notifications, which any client of the database may send.
struct PostgresHintTests {
    private let server = ServerID.random()
    private static let limit = WireInteger.limit

    @Test func aReadMarkThatNoClientCanReadIsNotPassedOn() throws {
        let payload = "p \(server)\nlobby\tann\th\t\(Self.limit)\nlobby\tbob\tht\t\(Self.limit - 1)"

        let (sender, hint) = try #require(Hint.read(payload))

        let bob = Presence(name: Someone.bob, isHere: true, isTyping: true, read: Self.limit - 1)
        #expect(sender == server && hint == .present([lobby: [bob]]))
    }

    @Test(arguments: ["\(limit)", "\(UInt64.max)", "-1", "", "1.5"])
    func aRevisionThatNoRoomReachesIsNotPassedOn(revision: String) throws {
        let (_, hint) = try #require(Hint.read("r \(server)\nlobby\t\(revision)\nattic\t7"))

        #expect(hint == .reached([RoomName("attic")!: 7]))
    }

    @Test(arguments: ["", "r", "x 1", "r \u{1}", "\n\n", "a 1 2 3"])
    func anythingElseIsNoHint(payload: String) {
        #expect(Hint.read(payload) == nil)
    }
}
