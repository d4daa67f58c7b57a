import ChatWire
import TestSupport
import Testing

/// Which messages a query matches, and where.
struct SearchQueryTests {
    private func message(_ text: String, by author: String = "ann", at time: Milliseconds = 0) -> Message {
        Message(
            id: UniqueID(high: 1, low: 1), section: .history, sort: 1, rev: 1, author: UserName(author)!, time: time,
            content: MessageContent(text))
    }

    @Test func textsMatchWhereTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("search") {
            let text = try #require(example["query"] as? String)
            guard example["refused"] == nil else {
                #expect(throws: WireError.self, "\(text)") { try SearchQuery(text) }
                continue
            }

            let found = try SearchQuery(text).matches(in: message(try #require(example["text"] as? String)))

            let wanted = (example["at"] as? [[Int]])?.map { $0[0]..<$0[1] }
            #expect(found == wanted, "\(text)")
        }
    }

    @Test func conditionsNarrowWhatIsFound() throws {
        let day: Milliseconds = 1_795_824_000_000  // 2026-11-28
        let linked = message("see HTTPS://a.example now", by: "bob", at: day)

        for query in ["see from:bob", "has:link", "see after:2026-11-28", "see before:2026-11-29", "from:ann from:bob"]
        {
            #expect(try SearchQuery(query).matches(in: linked) != nil, "\(query)")
        }
        for query in ["see from:ann", "see before:2026-11-28", "see after:2026-11-29", "see \(day) "] {
            #expect(try SearchQuery(query).matches(in: linked) == nil, "\(query)")
        }
        #expect(try SearchQuery("has:link").matches(in: message("https:// is none, nor is ahttp:/")) == nil)
        #expect(try SearchQuery("from:\"a b\" x").authors == [UserName("a b")!])
    }

    @Test(arguments: [
        ("\"open", "quotation mark"), ("from:", "from: is without a value"), ("a*", "2 characters"),
        ("before:monday", "a day such as 2026-11-28"), ("has:money", "must be has:link"), ("in:a/b", "name of a room"),
        ("?!", "nothing to search for"), ("after:2026-11-01", "nothing to search for"),
    ])
    func aFaultNamesWhatWouldBeRight(query: String, words: String) {
        do throws(WireError) {
            _ = try SearchQuery(query)
            Issue.record("\(query) is taken")
        } catch {
            #expect(error.message.contains(words), "\(error.message)")
            #expect(error.field == "query" && error.code == .badRequest)
        }
    }
}
