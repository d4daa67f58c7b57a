import ChatRoom
import ChatWire
import Testing

struct RoomFeedTests {
    private static let ann = UserName("ann")!

    private static func reading(at revision: Revision, read: Revision, unread: Int) -> MembershipReading {
        MembershipReading(
            room: RoomName("lobby")!, user: ann, revision: revision, joined: 1, time: 0, read: read, unread: unread,
            mentions: 0, last: message(revision), standing: Standing())
    }

    private static func message(_ revision: Revision) -> Message {
        Message(
            id: MessageID(high: 0, low: revision), section: .history, sort: revision, rev: revision,
            author: UserName("bob")!, time: 0, text: "\(revision)")
    }

    /// A new last message beside the count of before would be a state that never was.
    @Test func aReadingFromBeforeAMarkTellsNoLaterMessage() {
        var feed = RoomFeed(of: .open)
        feed.add(Self.ann)
        _ = feed.question()
        feed.take([Self.ann: Self.reading(at: 10, read: 2, unread: 8)], of: [Self.ann])
        feed.announce(12)
        _ = feed.question()
        feed.mark(Self.ann, 10)

        feed.take([Self.ann: Self.reading(at: 12, read: 2, unread: 10)], of: [Self.ann])

        #expect(
            feed.entry(of: Self.ann, granted: .write)?.light
                == .init(unread: 0, read: 10, last: LastMessage(Self.message(10))))
        #expect(feed.question() == [Self.ann])
        feed.take([Self.ann: Self.reading(at: 12, read: 10, unread: 2)], of: [Self.ann])
        #expect(
            feed.entry(of: Self.ann, granted: .write)?.light
                == .init(unread: 2, read: 10, last: LastMessage(Self.message(12))))
    }
}
