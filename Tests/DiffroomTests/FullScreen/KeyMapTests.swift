import TerminalUI
import Testing

@testable import diffroom

@Suite struct KeyMapTests {
    @Test func aKeyGetsTheMeaningOfAnother() throws {
        let keys = try KeyMap(["ctrl-g=ctrl-f", " Alt-1 = page-up", "page-down=alt-n"])

        #expect(keys[.control("g")] == .control("f") && keys[.alt("1")] == .named(.pageUp))
        #expect(keys[.named(.pageDown)] == .alt("n") && keys[.control("f")] == .control("f"))
    }

    @Test(arguments: [
        "", "ctrl-g", "ctrl-g=", "ctrl-1=ctrl-f", "ctrl-gg=ctrl-f", "g=ctrl-f", "ctrl-g=ctrl-f=x", "alt- =up",
    ])
    func anythingElseIsRefused(pair: String) {
        #expect(throws: InputError.self) { try KeyMap([pair]) }
    }
}
