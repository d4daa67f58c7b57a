import ChatClient
import ChatWire
import TerminalUI
import Testing

@testable import diffroom

/// The pinned messages on the screen.
struct PinsPanelTests {
    private func pin(_ number: UInt64) throws -> Pin {
        Pin(
            id: MessageID(high: 0, low: number), sort: number, rev: number, author: try #require(UserName("bob")),
            time: 0,
            light: .init(content: MessageContent("message \(number)")))
    }

    @Test func keysChooseMoveAndUnpin() throws {
        let pins = try (1...3).map { try pin($0) }
        var panel = PinsPanel()

        #expect(panel.press(.text("K"), among: pins) == .stay)
        #expect(panel.press(.text("J"), among: pins) == .move(pins[0].id, .after(pins[1].id)))
        let moved = [pins[1], pins[0], pins[2]]
        #expect(panel.press(.named(.enter), among: moved) == .go(pins[0].id))
        #expect(panel.press(.text("K"), among: moved) == .move(pins[0].id, .before(pins[1].id)))
        #expect(panel.press(.named(.end), among: pins) == .stay)
        #expect(panel.press(.text("J"), among: pins) == .stay)
        #expect(panel.press(.text("x"), among: pins) == .unpin(pins[2].id))
        #expect(panel.press(.named(.enter), among: Array(pins.dropLast())) == .go(pins[1].id))
        for key in [Key.named(.enter), .text("x"), .text("J"), .text("K")] {
            #expect(panel.press(key, among: []) == .stay)
        }
        #expect(panel.press(.named(.escape), among: pins) == .close)
    }

    @Test func whatIsNotAnsweredYetIsShown() throws {
        let pins = try (1...3).map { try pin($0) }
        var pending = PendingPins()
        let (first, second) = (CommandID.random(), CommandID.random())
        pending.add(.pin(pins[2].id, .before(pins[0].id)), as: first)
        pending.add(.unpin(pins[1].id), as: second)

        #expect(pending.applied(to: pins).map(\.id) == [pins[2].id, pins[0].id])
        // The server's news may come before the answer.
        #expect(pending.applied(to: [pins[2], pins[0], pins[1]]).map(\.id) == [pins[2].id, pins[0].id])
        pending.remove(first)
        #expect(pending.applied(to: pins).map(\.id) == [pins[0].id, pins[2].id])
        pending.remove(second)
        #expect(pending.applied(to: pins) == pins)
    }

    @Test func eachIsALine() throws {
        let size = Frame.Size(rows: 4, columns: 60)
        let room = RoomLabels()[try #require(RoomName("tea"))]
        let lines = PinsPanel().lines(try (1...2).map { try pin($0) }, room, PeopleLabels(), size: size).map(\.text)

        #expect(lines[0].hasPrefix("  Pinned in #tea"))
        #expect(lines[1].hasPrefix(" ▌ ") && lines[1].contains("bob message 1"))
        #expect(lines[2].contains("bob message 2"))
        let none = PinsPanel().lines([], room, PeopleLabels(), size: size)
        #expect(none[1].text.contains("no message is pinned"))
        #expect(PinsPanel().lines(nil, room, PeopleLabels(), size: size)[1].text.contains("…"))
    }
}
