/// The value of `If-None-Match` (RFC 9110, 13.1.2): a list of entity tags, or `*` for any.
enum EntityTags: Equatable {
    case any
    /// The opaque parts, with their quotation marks: the comparison is weak, so `W/` does not count.
    case listed([Substring])

    /// `nil` when there is no such list. The request is then answered as one without the field.
    init?(_ text: String?) {
        guard var rest = text?.utf8[...] else { return nil }
        rest = rest.drop(while: Self.isBlank)
        if rest.first == UInt8(ascii: "*"), rest.dropFirst().allSatisfy(Self.isBlank) {
            self = .any
            return
        }
        var tags: [Substring] = []
        while true {
            rest = rest.drop { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
            if rest.isEmpty { break }
            guard let tag = Self.tag(&rest) else { return nil }
            tags.append(tag)
            rest = rest.drop(while: Self.isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
        self = .listed(tags)
    }

    /// Returns `true` when a resource that exists and has this tag is not to be sent again.
    func contain(_ tag: String) -> Bool {
        switch self {
        case .any: true
        case .listed(let tags): tags.contains(tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...])
        }
    }

    /// Removes a tag from the front of `rest`.
    private static func tag(_ rest: inout Substring.UTF8View) -> Substring? {
        if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
        let quote = UInt8(ascii: "\"")
        guard rest.first == quote, let end = rest.dropFirst().firstIndex(of: quote) else { return nil }
        defer { rest = rest[rest.index(after: end)...] }
        return Substring(rest[...end])
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

/// The value of `Content-Type` (RFC 9110, 8.3), without regard to case.
struct MediaType: Equatable {
    private let name: String
    private let charsets: [String]

    init?(_ text: String?) {
        guard let text else { return nil }
        let parts = text.lowercased().split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
        name = parts[0]
        charsets = parts.dropFirst().compactMap { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
            return pair.count == 2 && pair[0] == "charset" ? pair[1] : nil
        }
    }

    /// True for JSON in the only encoding that it has.
    var isJSON: Bool {
        name == "application/json" && charsets.allSatisfy { ["utf-8", "\"utf-8\""].contains($0) }
    }

    private static func trimmed(_ text: Substring) -> String {
        let blanks: Set<Character> = [" ", "\t"]
        let start = text.drop { blanks.contains($0) }
        return String(start.reversed().drop { blanks.contains($0) }.reversed())
    }
}
