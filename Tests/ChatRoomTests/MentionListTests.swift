import ChatWire
import Testing

@testable import ChatRoom

/// A person's mentions, beside their coming and going.
@Suite struct MentionListTests {
    private let lobby = RoomName("lobby")!

    /// A message that mentions the person, as it was read when they had read so far.
    private func reading(_ sort: UInt64, read: Revision?) -> MentionReading {
        let message = LastMessage(id: MessageID(high: 0, low: sort), author: UserName("bob")!, time: 9, text: "@ann")
        return MentionReading(room: lobby, sort: sort, message: message, at: message.time, read: read)
    }

    private func rows(_ list: MentionList) -> [Bool] {
        var list = list
        guard case .snapshot(let snapshot, _, _) = list.subscribe(Reader(1), nil) else { return [] }
        return snapshot.rows.map(\.light.isRead)
    }

    /// A list of one mention that is not read, in the lobby.
    private func listOfOne() -> MentionList {
        var list = MentionList(epoch: Epoch("e")!, tick: .zero)
        _ = list.update(at: lobby, in: .rooms, mentions: nil)
        let asked = list.question(at: .zero)
        #expect(asked == [lobby])
        list.apply([reading(5, read: 3)], at: .zero, pause: .zero)
        _ = list.commit(at: .zero)
        return list
    }

    /// Whether a mark moves, only the store knows.
    @Test func aReadMarkThatMayReachAMentionIsReadAgain() {
        var list = listOfOne()
        #expect(rows(list) == [false])

        let (isBelow, isReached) = (list.mark(lobby, 4), list.mark(lobby, 5))

        #expect(!isBelow && isReached)
        let asked = list.question(at: .zero)
        #expect(asked == [lobby])
        list.apply([reading(5, read: 5)], at: .zero, pause: .zero)
        _ = list.commit(at: .zero)
        #expect(rows(list) == [true])
    }

    @Test func aReadMarkThatGoesBackIsReadAgain() throws {
        var list = listOfOne()
        let ann = try #require(UserName("ann"))

        let isOurs = list.apply(.settings(ann, RoomSettings(marked: 9), unreadFrom: 5), in: lobby, for: ann)

        let asked = list.question(at: .zero)
        #expect(isOurs && asked == [lobby])
    }

    /// Whoever joins has read all that is there.
    @Test func whoComesBackSeesNothingOfTheMembershipBefore() {
        var list = listOfOne()
        _ = list.update(at: lobby, in: nil, mentions: nil)
        _ = list.commit(at: .zero)
        #expect(rows(list) == [])

        _ = list.update(at: lobby, in: .rooms, mentions: nil)

        _ = list.commit(at: .zero)
        #expect(rows(list) == [])
        let asked = list.question(at: .zero)
        #expect(asked == [lobby])
        list.apply([reading(5, read: 8)], at: .zero, pause: .zero)
        _ = list.commit(at: .zero)
        #expect(rows(list) == [true])
    }

    /// Their list of rooms may not show that they were away, and has read marks only of rooms with rows.
    @Test func whoLeftAndCameBackAtOnceIsReadAgain() throws {
        var list = listOfOne()
        let ann = try #require(UserName("ann"))

        let isOurs = list.apply(.joined(ann), in: lobby, for: ann)

        let asked = list.question(at: .zero)
        #expect(isOurs && asked == [lobby])
        let isNew = list.apply(.joined(ann), in: try #require(RoomName("den")), for: ann)
        #expect(!isNew)
    }

    @Test func whatIsReadAfterSomebodyLeftIsNotShown() {
        var list = listOfOne()
        list.invalidate()
        _ = list.question(at: .zero)

        list.apply([reading(5, read: nil)], at: .zero, pause: .zero)

        _ = list.commit(at: .zero)
        #expect(rows(list) == [])
    }

    @Test func anAnswerFromBeforeSomebodyCameBackIsAskedForAgain() {
        var list = listOfOne()
        list.invalidate()
        _ = list.question(at: .zero)
        _ = list.update(at: lobby, in: nil, mentions: nil)
        _ = list.update(at: lobby, in: .rooms, mentions: nil)

        list.apply([reading(5, read: 3)], at: .zero, pause: .zero)

        _ = list.commit(at: .zero)
        #expect(rows(list) == [])
        let asked = list.question(at: .zero)
        #expect(asked == [lobby])
    }

    @Test func aPageHasTheNewestOfWhatWasReadAndNothingOfARoomThatWasLeft() throws {
        var list = listOfOne()
        let den = try #require(RoomName("den"))
        let last = reading(4, read: 3)
        let other = MentionReading(room: den, sort: 4, message: last.message, at: last.instant, read: 3)
        let readings = [reading(1, read: 3), reading(3, read: 3), other, last]

        let page = list.page(of: readings, limit: 3)

        #expect(page.rows.map(\.id) == [readings[1].id, readings[3].id] && page.more)
        #expect(page.rows.map(\.light.isRead) == [true, false])
        #expect(page.rows[0].sort < page.rows[1].sort)
        #expect(!list.page(of: readings, limit: 4).more)
        #expect(list.page(of: [reading(1, read: nil)], limit: 4) == MentionsPage(rows: [], more: false))
        _ = list.update(at: lobby, in: nil, mentions: nil)
        #expect(list.page(of: readings, limit: 4) == MentionsPage(rows: [], more: false))
    }
}
