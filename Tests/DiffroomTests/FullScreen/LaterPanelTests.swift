import ChatClient
import ChatWire
import TerminalUI
import Testing

@testable import diffroom

/// The messages and reminders for later on the screen.
struct LaterPanelTests {
    private func item(_ number: UInt64, _ action: LaterItem.Action) throws -> LaterItem {
        let plan = LaterItem.Plan(action, in: try #require(RoomName("lobby")), at: 0)
        return LaterItem(
            id: UniqueID(high: 0, low: number), section: .waiting, sort: number, rev: number,
            light: LaterItem.Light(plan))
    }

    @Test func keysChooseAndAct() throws {
        let items = [try item(1, .send("a")), try item(2, .remind(.random())), try item(3, .send("c"))]
        var panel = LaterPanel()

        #expect(panel.press(.named(.enter), among: items) == .go(items[0]))
        #expect(panel.press(.text("s"), among: items) == .sendNow(items[0]))
        #expect(panel.press(.text("j"), among: items) == .stay)
        #expect(panel.press(.text("s"), among: items) == .sendNow(items[1]))
        #expect(panel.press(.text("z"), among: items) == .postpone(items[1]))
        // The focus stays with its item.
        #expect(panel.press(.text("z"), among: [items[1], items[0]]) == .postpone(items[1]))
        // A cancel may take a while: a second key does not hit another item.
        #expect(panel.press(.text("x"), among: items) == .cancel(items[1]))
        #expect(panel.press(.text("x"), among: items) == .cancel(items[1]))
        #expect(panel.press(.named(.enter), among: [items[0], items[2]]) == .go(items[2]))
        for key in [Key.named(.enter), .text("s"), .text("z"), .text("x")] {
            #expect(panel.press(key, among: []) == .stay)
        }
        #expect(panel.press(.named(.escape), among: items) == .close)
    }
}
