import ChatWire
import Replicas
import Testing

@testable import ChatClient
@testable import diffroom

/// The line above what is new: who read up to 40 finds it above 41.
@Suite struct NewsTests {
    private let ann = UserName("ann")!
    private let news = News(mark: 40, end: 60, user: UserName("ann")!)

    private func message(_ number: UInt64, by author: String = "bob") -> Message {
        Message(
            id: MessageID(high: 0, low: number), section: .history, sort: number, rev: number,
            author: UserName(author)!, time: 0, content: "")
    }

    private func view(from first: UInt64, count: Int = 60) throws -> RoomView {
        let rows = (first...60).map { message($0) }
        let proof = ListProof(count: count, digest: ListDigest(rows.suffix(ListDigest.window)).value)
        let snapshot = ListSnapshot(revision: 60, rows: rows, more: first > 1, proof: proof)
        return RoomView(replica: try Replica(epoch: Epoch("e")!, joined: 60, snapshot))
    }

    @Test func itStandsAboveTheFirstNewMessageAndNoOther() throws {
        let view = try view(from: 1)

        for number in UInt64(2)...60 {
            let text = news.text(above: message(number), after: message(number - 1), in: view)
            #expect(text == (number == 41 ? "20 new" : nil))
        }
    }

    @Test func itIsNotAboveAMessageBeforeWhichOthersMayBeNewToo() throws {
        #expect(news.text(above: message(45), after: nil, in: try view(from: 45)) == nil)
        #expect(news.text(above: message(41), after: nil, in: try view(from: 40)) == "20 new")
    }

    @Test func whatCameLaterOrIsOnesOwnIsNotCounted() throws {
        let late = News(mark: 40, end: 50, user: ann)
        let own = News(mark: 40, end: 60, user: UserName("bob")!)

        #expect(late.text(above: message(41), after: message(40), in: try view(from: 1)) == "10 new")
        #expect(own.text(above: message(41), after: message(40), in: try view(from: 1)) == nil)
    }

    @Test func whoseMarkIsNotKnownIsToldNothing() throws {
        let stranger = News(mark: 0, end: 60, user: ann)

        #expect(stranger.text(above: message(1), after: nil, in: try view(from: 1)) == nil)
    }

    @Test func betweenThemAndTheEndAGapMayBe() throws {
        var replica = try view(from: 55).replica
        let page = ListPage(
            revision: 60, from: 0, to: 45, rows: (1...45).map { message($0) }, more: false, newer: true)
        try replica.insert(page, epoch: Epoch("e")!)

        #expect(news.text(above: message(41), after: message(40), in: RoomView(replica: replica)) == "20 new")
    }
}
