import ChatWire
import Replicas
import TerminalUI
import Testing

@testable import ChatClient
@testable import diffroom

@Suite struct PendingMessagesTests {
    private func id(_ number: Int) -> MessageID { MessageID(high: 0, low: UInt64(number)) }

    private func room(upTo revision: Revision, _ ids: [MessageID]) throws -> RoomView {
        let rows = ids.enumerated().map { place, id in
            Message(
                id: id, section: .socket, sort: UInt64(place + 1), rev: UInt64(place + 1), author: UserName("ann")!,
                time: 1,
                content: "text")
        }
        let proof = ListProof(count: rows.count, digest: ListDigest(rows).value)
        let snapshot = ListSnapshot(revision: revision, rows: rows, more: false, proof: proof)
        return RoomView(replica: try Replica(epoch: Epoch("e")!, joined: 0, snapshot))
    }

    private func lines(_ pending: PendingMessages, rows: Int = 9, isOnline: Bool = true) -> [String] {
        pending.lines(size: Frame.Size(rows: rows, columns: 40), isOnline: isOnline).map { line in
            #expect(line.width == 40)
            return String(line.text.reversed().drop { $0 == " " }.reversed())
        }
    }

    @Test func aMessageStandsThereWithItsStateUntilTheRoomHasIt() throws {
        var pending = PendingMessages()
        pending.add(id(1), "hello\u{1B} there")

        #expect(lines(pending) == ["   hello␛ there  sending…"])
        #expect(lines(pending, isOnline: false) == ["   hello␛ there  waits for a connection"])
        pending.removeShown(in: try room(upTo: 3, [id(2)]))
        #expect(lines(pending).count == 1)
        pending.removeShown(in: try room(upTo: 4, [id(2), id(1)]))
        #expect(lines(pending).isEmpty)
    }

    @Test func anAcknowledgedMessageStaysUntilTheRoomHasReachedItsRevision() throws {
        let effect = ServerFrame.Effect(list: ListName.messages(RoomName("lobby")!), revision: 5)
        var pending = PendingMessages()
        pending.add(id(1), "hello")

        pending.acknowledge(id(1), effect, in: try room(upTo: 4, []))
        #expect(lines(pending).count == 1)
        pending.removeShown(in: try room(upTo: 5, []))  // it came and was deleted between two diffs
        #expect(lines(pending).isEmpty)
    }

    @Test func aRefusedMessageIsGone() {
        var pending = PendingMessages()
        pending.add(id(1), "one")
        pending.add(id(2), "two")

        pending.remove(id(1))

        #expect(lines(pending) == ["   two  sending…"])
    }

    @Test func theNewestMessagesAreShownAndTheOthersCounted() {
        var pending = PendingMessages()
        for number in 1...6 { pending.add(id(number), "line \(number)") }

        #expect(lines(pending, rows: 3) == ["   4 earlier not sent yet", "   line 5  sending…", "   line 6  sending…"])
        #expect(lines(pending, rows: 1) == ["   6 not sent yet"])
        #expect(lines(pending, rows: 0) == [])
        #expect(lines(pending, rows: 6).count == 6)
    }

    @Test func aLongMessageIsCut() {
        var pending = PendingMessages()
        pending.add(id(1), (1...9).map { "line \($0)" }.joined(separator: "\n"))

        #expect(lines(pending) == ["   line 1", "   line 2", "   line 3… sending…"])
    }
}
