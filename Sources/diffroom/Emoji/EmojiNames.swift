/// The names of emoji, by which the user finds them behind a `:`, as in the page.
enum EmojiNames {
    struct Emoji: Equatable {
        let emoji: String
        let name: String
    }

    /// An emoji with the words that find it.
    struct Row {
        let found: Emoji
        /// Those of its name; in lower case.
        let name: [Substring]
        let words: [Substring]

        /// - Parameter line: the emoji, its name and its words, with `|` between them.
        init(_ line: Substring) {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false)
            let name = parts.count > 1 ? String(parts[1]) : ""
            found = Emoji(emoji: String(parts.first ?? ""), name: name)
            self.name = EmojiNames.words(of: name)
            words = self.name + EmojiNames.words(of: parts.count > 2 ? String(parts[2]) : "")
        }
    }

    /// The most emoji that are offered.
    private static let most = 8
    private static let rows = table.split(separator: "\n").map { Row($0) }

    /// Returns the beginning of a name behind a `:` at the end of a text, with the `:` and another one behind the name: at least two
    /// characters between them.
    static func begun(in text: String) -> Substring? {
        let isPart = { (character: Character) in character.isLetter || character.isNumber || "_+-".contains(character) }
        let end = text.last == ":" ? text.index(before: text.endIndex) : text.endIndex
        guard let colon = text[..<end].lastIndex(where: { !isPart($0) }), text[colon] == ":" else { return nil }
        let name = text[text.index(after: colon)..<end]
        guard (2...40).contains(name.count), let first = name.first, first != "_", first != "-" else { return nil }
        let isAlone = text[..<colon].last.map { !$0.isLetter && !$0.isNumber && $0 != ":" } ?? true
        return isAlone ? text[colon...] : nil
    }

    /// Returns the emoji with the typed words at the beginnings of their own: first those whose name begins so, then those with the
    /// words in their name, then the others; of each the shorter names first.
    ///
    /// - Complexity: O(rows).
    static func named(_ typed: some StringProtocol, in rows: [Row] = rows) -> [Emoji] {
        let wanted = words(of: typed)
        guard let first = wanted.first else { return [] }
        let ranked = rows.enumerated().compactMap { index, row -> (rank: Int, length: Int, index: Int, Emoji)? in
            guard let rank = rank(row, wanted, first) else { return nil }
            return (rank, row.found.name.count, index, row.found)
        }
        return ranked.sorted { ($0.rank, $0.length, $0.index) < ($1.rank, $1.length, $1.index) }.prefix(most).map(\.3)
    }

    private static func rank(_ row: Row, _ wanted: [Substring], _ first: Substring) -> Int? {
        func has(_ words: [Substring]) -> Bool {
            wanted.allSatisfy { part in words.contains { $0.hasPrefix(part) } }
        }
        if has(row.name) { return row.name.first?.hasPrefix(first) ?? false ? 0 : 1 }
        return has(row.words) ? 2 : nil
    }

    private static func words(of text: some StringProtocol) -> [Substring] {
        Substring(text.lowercased()).split { " :,-_".contains($0) }
    }
}
