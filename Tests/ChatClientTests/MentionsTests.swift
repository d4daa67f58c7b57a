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
            #expect(Mentions.found(in: text, among: people).map(\.description) == mentions, "\(text), \(people)")
        }
    }
}
