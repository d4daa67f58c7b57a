import ChatWire
import Testing

@testable import diffroom

/// The way from one of the user's rooms to another.
@Suite struct NeighboursTests {
    /// Rooms in the order of the list: a name, and `*` for something unread, `@` for a mention, `~` for a silenced room, `!`
    /// for a mark as unread.
    private func rooms(_ texts: String) throws -> [MyRoom] {
        try texts.split(separator: " ").map { text in
            let name = text.prefix(while: \.isLetter)
            let signs = text.dropFirst(name.count)
            return MyRoom(
                id: try #require(RoomName(String(name))), sort: 1, rev: 1,
                light: .init(
                    unread: signs.contains("*") || signs.contains("@") ? 1 : 0, mentions: signs.contains("@") ? 1 : 0,
                    isMuted: signs.contains("~"), isMarked: signs.contains("!")))
        }
    }

    @Test(arguments: [
        ("a* b here c d*", "a", "d"), ("a b* here c* d*", "b", "c"), ("a b! here c d!", "b", "d"),
        ("a b here c d", "b", "c"), ("a* b here c d", "a", "c"), ("here c", nil, "c"), ("a here", "a", nil),
        ("here", nil, nil), ("a b~* here c~* d", "a", "d"), ("a b~@ here c~@ d*", "b", "c"), ("a~ here c~", nil, nil),
        ("a b*", nil, "b"), ("a b", nil, "a"),
    ])
    func theNearestUnreadRoomIsNextOrElseTheNeighbour(list: String, above: String?, below: String?) throws {
        let (rooms, here) = (try rooms(list), try #require(RoomName("here")))

        #expect(rooms.nearest(.up, of: here)?.id.description == above)
        #expect(rooms.nearest(.down, of: here)?.id.description == below)
    }
}
