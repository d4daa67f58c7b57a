import JSON

/// A parsed query: the words, phrases and conditions that a message must all have.
///
/// ```swift
/// let query = try SearchQuery("deploy* \"roll back\" from:ann after:2026-11-01 has:link")
/// ```
public struct SearchQuery: Equatable, Sendable {
    /// Words that follow one another. A single word is a phrase of one.
    public struct Phrase: Equatable, Sendable {
        /// The folded words; at least one.
        public let words: [String]
        /// True if the last word matches each word that begins with it.
        public let isPrefix: Bool
    }

    public internal(set) var phrases: [Phrase] = []
    /// The authors of whom one must have written the message; empty for any.
    public internal(set) var authors: [UserName] = []
    /// The rooms that are searched; empty for all.
    public internal(set) var rooms: [RoomName] = []
    /// Messages are earlier than this time; `nil` for any.
    public internal(set) var before: Milliseconds?
    /// Messages are not earlier than this time; `nil` for any.
    public internal(set) var after: Milliseconds?
    /// True if a message matches only with a link in its text.
    public internal(set) var needsLink = false

    /// The greatest length of a query, in bytes of UTF-8.
    public static let mostBytes = 512
    /// The greatest number of words, names and conditions of a query.
    public static let mostParts = 16
    /// The shortest beginning of a word, in characters.
    public static let leastPrefix = 2

    /// Reads a query as a person writes it.
    ///
    /// - Throws: `bad_request` with what was wrong and what would be right.
    public init(_ text: String) throws(WireError) {
        guard text.utf8.count <= Self.mostBytes else {
            throw WireError(
                .tooLong, "query: has \(text.utf8.count) bytes, must be at most \(Self.mostBytes)", field: "query")
        }
        let parts = try QueryPart.parts(of: text)
        for part in parts { try add(part) }
        guard parts.count <= Self.mostParts, phrases.reduce(0, { $0 + $1.words.count }) <= 4 * Self.mostParts else {
            throw .query(
                "has \(parts.count) parts, must have at most \(Self.mostParts), and \(4 * Self.mostParts) words")
        }
        guard !phrases.isEmpty || !authors.isEmpty || needsLink else {
            throw .query("has nothing to search for, must have a word, a \"phrase\", from:NAME or has:link")
        }
    }

    private mutating func add(_ part: QueryPart) throws(WireError) {
        switch part.name {
        case "from":
            guard let user = UserName(known: part.value) else {
                throw .query("from:\(Quotation.clipped(part.value)) is not right, must be from:NAME or from:\"A NAME\"")
            }
            authors.append(user)
        case "in":
            guard let room = RoomName(known: part.value) else {
                throw .query("in:\(Quotation.clipped(part.value)) is not right, must be in: with the name of a room")
            }
            rooms.append(room)
        case "before": before = min(before ?? .max, try part.time())
        case "after": after = max(after ?? 0, try part.time())
        case "has":
            guard part.value == "link" else {
                throw .query("has:\(Quotation.clipped(part.value)) is not right, must be has:link")
            }
            needsLink = true
        default: try addPhrase(part)
        }
    }

    private mutating func addPhrase(_ part: QueryPart) throws(WireError) {
        let words = SearchWord.words(of: part.value)
        guard let last = words.last else { return }
        let isPrefix = part.isPrefix && !last.isSpaceless
        if isPrefix, last.folded.unicodeScalars.count < Self.leastPrefix {
            throw .query("\(last.folded)* is too short, must have \(Self.leastPrefix) characters before the star")
        }
        phrases.append(Phrase(words: words.map(\.folded), isPrefix: isPrefix))
    }
}

/// A part of a query between spaces: a word, a phrase in quotation marks, or a condition with its value.
private struct QueryPart {
    /// The condition; `nil` for words.
    var name: String?
    var value = ""
    /// True if a star follows the last word.
    var isPrefix = false

    private static let conditions: Set<String> = ["from", "in", "before", "after", "has"]

    static func parts(of text: String) throws(WireError) -> [QueryPart] {
        var parts: [QueryPart] = []
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            if first.properties.isWhitespace {
                rest.removeFirst()
            } else {
                parts.append(try next(&rest))
            }
        }
        return parts
    }

    /// Removes the next part from the text.
    private static func next(_ rest: inout Substring.UnicodeScalarView) throws(WireError) -> QueryPart {
        var part = QueryPart()
        let word = rest.prefix { !$0.properties.isWhitespace && $0 != "\"" }
        if let colon = word.firstIndex(of: ":"), conditions.contains(String(word[..<colon]).lowercased()) {
            part.name = String(word[..<colon]).lowercased()
            rest = rest[word.index(after: colon)...]
        }
        if rest.first == "\"" {
            rest.removeFirst()
            guard let end = rest.firstIndex(of: "\"") else {
                throw .query("has a quotation mark without its second one, must have both: \"two words\"")
            }
            part.value = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            if rest.first == "*" {
                part.isPrefix = true
                rest.removeFirst()
            }
        } else {
            let value = rest.prefix { !$0.properties.isWhitespace && $0 != "\"" }
            rest = rest[value.endIndex...]
            part.isPrefix = value.last == "*"
            part.value = String(value)
        }
        if let name = part.name, part.value.isEmpty { throw .query("\(name): is without a value, must have one") }
        return part
    }

    /// Reads a day, at its beginning in UTC, or a time in milliseconds.
    func time() throws(WireError) -> Milliseconds {
        if let time = UInt64(value), value.utf8.count > 8, time < WireInteger.limit { return Milliseconds(time) }
        let numbers = value.split(separator: "-", omittingEmptySubsequences: false).map { UInt32($0) }
        if numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2],
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        {
            return Milliseconds(Self.days(to: Int(year), Int(month), Int(day))) * 86_400_000
        }
        throw .query(
            "\(name ?? ""):\(Quotation.clipped(value)) is not right, must be a day such as 2026-11-28, or milliseconds since 1970"
        )
    }

    /// Returns the days from 1970-01-01 to a day.
    ///
    /// - Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    private static func days(to year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let (era, ofEra) = (year / 400, year % 400)
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }
}

extension WireError {
    fileprivate static func query(_ problem: String) -> WireError {
        WireError(.invalid, "query: \(problem)", field: "query")
    }
}
