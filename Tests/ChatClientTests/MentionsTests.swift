import ChatClient
import ChatWire
import TestSupport
import Testing

struct MentionsTests {
    @Test func textsCallThePeopleWhomTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("mentions") {
            let text = try #require(example["text"] as? String)
            let people = try #require(example["people"] as? [String]).compactMap { UserName(known: $0) }
            let mentions = try #require(example["mentions"] as? [String])
            let found = Mentions.found(in: text, among: people, mayCallEveryone: true)
            #expect(found.people.map(\.description) == mentions, "\(text), \(people)")
            #expect(found.everyone == (example["everyone"] as? Bool ?? false), "\(text), \(people)")
        }
    }

    @Test func aNameBeginsWhereTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("offers") {
            let text = try #require(example["text"] as? String)

            #expect(Mentions.begun(in: text) == example["begun"] as? String, "\(text)")
        }
    }

    @Test func whoMayNotCallEverybodyCallsNobody() {
        #expect(Mentions.found(in: "@room and @ann", among: [], mayCallEveryone: false) == [UserName("ann")!])
    }
}
