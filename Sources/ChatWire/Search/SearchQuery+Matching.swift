extension SearchQuery {
    /// Returns the places of the matches in a message, in Unicode scalars of its text; `nil` if the message does not match.
    ///
    /// This is the definition of a match: an index only saves looking at other messages.
    ///
    /// - Shape: ascending and disjoint; empty for a query without words.
    /// - Complexity: O(text · phrases).
    public func matches(in message: Message) -> [Range<Int>]? {
        guard !message.isDamaged, admits(message.time) else { return nil }
        guard authors.isEmpty || authors.contains(message.author) else { return nil }
        guard !needsLink || message.text.hasLink else { return nil }
        let words = phrases.isEmpty ? [] : SearchWord.words(of: message.text)
        var places: [Range<Int>] = []
        for phrase in phrases {
            let found = phrase.places(in: words)
            guard !found.isEmpty else { return nil }
            places += found
        }
        return places.joinedWhereTheyOverlap
    }

    /// Returns whether a message of this time may match.
    public func admits(_ time: Milliseconds) -> Bool {
        time < before ?? .max && time >= after ?? 0
    }
}

extension SearchQuery.Phrase {
    fileprivate func places(in text: [SearchWord]) -> [Range<Int>] {
        guard text.count >= words.count else { return [] }
        return (0...text.count - words.count).compactMap { start in
            let candidate = text[start..<start + words.count]
            guard zip(candidate.dropLast(), words).allSatisfy({ $0.folded.hasBytes(of: $1) }),
                let first = candidate.first,
                let last = candidate.last, let wanted = words.last,
                isPrefix ? last.folded.utf8.starts(with: wanted.utf8) : last.folded.hasBytes(of: wanted)
            else { return nil }
            return first.range.lowerBound..<last.range.upperBound
        }
    }
}

extension [Range<Int>] {
    fileprivate var joinedWhereTheyOverlap: [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound < last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}

extension String {
    /// True if the text contains an address that begins with http:// or https://.
    package var hasLink: Bool {
        let bytes = Array(utf8)
        return bytes.indices.contains { start in
            guard bytes[start] | 0x20 == UInt8(ascii: "h") else { return false }
            return ["http://", "https://"].contains { scheme in
                let end = start + scheme.utf8.count
                return end < bytes.count && bytes[end] > 0x20
                    && zip(bytes[start..<end], scheme.utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 && $0 >= 0x41 }
            }
        }
    }
}
