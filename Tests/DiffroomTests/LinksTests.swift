import TestSupport
import Testing

@testable import diffroom

@Suite struct LinksTests {
    @Test func addressesAreThoseOfTheVectors() throws {
        for example in try ProtocolDocuments.vectors("links") {
            let text = try #require(example["text"] as? String)
            let expected = try #require(example["links"] as? [String])

            #expect(links(in: text).map { String(text[$0]) } == expected, "\(text)")
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func noTwoAddressesOverlap(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let parts = [
            "https://a.example/", "http://b", "(", ")", "[", "]", ".", "。", "’", "'", " ", "x", "中", "\u{200B}", "🦊",
        ]
        for _ in 0..<200 {
            let text = (0..<Int.random(in: 0..<12, using: &random)).compactMap { _ in
                parts.randomElement(using: &random)
            }.joined()
            let links = links(in: text)

            #expect(zip(links, links.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }, "\(text)")
            #expect(links.allSatisfy { text[$0].hasPrefix("http") && !text[$0].contains(" ") }, "\(text)")
        }
    }
}
