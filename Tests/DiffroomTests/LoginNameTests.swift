import ChatWire
import CommandLineFlags
import Testing
import Tokens

@testable import diffroom

struct LoginNameTests {
    @Test
    func theFirstThatNamesSomebodyCounts() {
        #expect(loginName(["USER": "ann", "LOGNAME": "bob"]) == "ann")
        #expect(loginName(["USER": "", "LOGNAME": "bob"]) == "bob")
    }

    /// As for root in a container.
    @Test
    func withoutVariablesTheListOfAccountsKnows() throws {
        let name = try #require(loginName([:]))

        #expect(!name.isEmpty)
    }

    @Test
    func anAccentIsTakenHoweverItWasTyped() throws {
        let typed = try #require(UserName(typed: "Jose\u{301}"))

        #expect(Array(typed.description.utf8) == Array("Jos\u{E9}".utf8))
    }
}
