import ChatWire
import Testing

@testable import diffroom

@Suite struct IgnoredTests {
    private func hides(_ rule: String, _ text: String, of author: String = "bob") -> Bool {
        Ignored([rule]).remedy(for: text, of: UserName(author)!) == "/unignore \(rule)"
    }

    @Test(arguments: [
        ("bob", "anything", true), ("ann", "anything", false), ("*lottery*", "The LOTTERY is", true),
        ("*lottery*", "lottery", true), ("*lottery*", "lotter y", false), ("win*", "Win now", true),
        ("win*", "you win", false), ("*now", "win NOW", true), ("*now", "now or never", false),
        ("a*b*c", "a-b-c", true), ("a*b*c", "a-c-b", false), ("a*a", "a", false), ("*", "", true), ("**", "x", true),
    ])
    func aRuleIsAUserOrAPattern(rule: String, text: String, isHidden: Bool) {
        #expect(hides(rule, text) == isHidden)
    }

    @Test func aBlockHidesEverythingOfAUser() {
        var ignored = Ignored(["*lottery*"])
        ignored.blocked = [UserName("bob")!]

        #expect(ignored.remedy(for: "the lottery", of: UserName("bob")!) == "/unblock bob")
        #expect(ignored.remedy(for: "the lottery", of: UserName("ann")!) == "/unignore *lottery*")
        #expect(ignored.remedy(for: "hello", of: UserName("ann")!) == nil)
    }

    @Test func rulesComeAndGo() {
        var ignored = Ignored()
        ignored.add("bob")
        ignored.add("bob")

        #expect(ignored.rules == ["bob"] && ignored.remove("bob") && !ignored.remove("bob") && ignored.rules.isEmpty)
    }
}
