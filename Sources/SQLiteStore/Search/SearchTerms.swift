import ChatWire

/// The terms by which the index finds a message: hashes of its words, of their beginnings, and of what it is.
///
/// Equal texts have equal terms. The index holds no text, only these hashes with a key of its own. So a term may stand for two
/// words, and each message that the index finds is compared with the query.
struct SearchTerms {
    /// The key of the index's file.
    let key: UInt64

    private enum Kind: UInt8 {
        case word, pair, shortBeginning, longBeginning, author, link, room
    }

    /// The lengths of the beginnings that have terms, in Unicode scalars.
    private static let short = 2, long = 4

    /// Returns the terms of a message, each once.
    func terms(of row: Message, in room: Int64) -> Set<UInt64> {
        var terms: Set = [term(.author, row.author.description.utf8), self.term(ofRoom: room)]
        if row.text.hasLink { terms.insert(term(.link, "".utf8)) }
        var last: SearchWord?
        for word in SearchWord.words(of: row.text) {
            terms.insert(term(.word, word.folded.utf8))
            if word.isSpaceless {
                if let last, last.isSpaceless { terms.insert(term(.pair, (last.folded + word.folded).utf8)) }
            } else {
                let scalars = word.folded.unicodeScalars
                for (kind, length) in [(Kind.shortBeginning, Self.short), (.longBeginning, Self.long)]
                where scalars.count >= length {
                    terms.insert(term(kind, String(scalars.prefix(length)).utf8))
                }
            }
            last = word
        }
        return terms
    }

    func term(ofRoom room: Int64) -> UInt64 { term(.room, String(room).utf8) }

    /// Returns groups of terms: a message that matches has one of each group.
    func groups(of query: SearchQuery) -> [[UInt64]] {
        var groups: [[UInt64]] = query.phrases.flatMap(terms).map { [$0] }
        if !query.authors.isEmpty { groups.append(query.authors.map { term(.author, $0.description.utf8) }) }
        if query.needsLink { groups.append([term(.link, "".utf8)]) }
        return groups
    }

    private func terms(of phrase: SearchQuery.Phrase) -> [UInt64] {
        var terms: [UInt64] = []
        let words = phrase.words.map { ($0, isSpaceless: SearchWord.words(of: $0).first?.isSpaceless ?? false) }
        for (index, (word, isSpaceless)) in words.enumerated() {
            if index > 0, isSpaceless, words[index - 1].isSpaceless {
                terms.append(term(.pair, (words[index - 1].0 + word).utf8))
            } else if phrase.isPrefix, index == words.count - 1 {
                let scalars = word.unicodeScalars
                let (kind, length) =
                    scalars.count >= Self.long ? (Kind.longBeginning, Self.long) : (.shortBeginning, Self.short)
                terms.append(term(kind, String(scalars.prefix(length)).utf8))
            } else {
                terms.append(term(.word, word.utf8))
            }
        }
        return terms
    }

    /// Returns a hash of 40 bits.
    ///
    /// - Source: G. Fowler, L. C. Noll, P. Vo, "FNV-1a"; the last steps are those of A. Appleby's MurmurHash3.
    private func term(_ kind: Kind, _ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ key
        hash = (hash ^ UInt64(kind.rawValue)) &* 0x100_0000_01b3
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return (hash ^ hash >> 33) >> 24
    }

    /// Returns the terms as the words of a text for FTS5.
    static func text(_ terms: some Sequence<UInt64>) -> String {
        var bytes: [UInt8] = []
        for term in terms {
            append(term, to: &bytes)
            bytes.append(UInt8(ascii: " "))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a query of FTS5 for what has a term of each group.
    static func match(_ groups: [[UInt64]]) -> String {
        groups.map { group in
            "(" + group.map { "\"\(text([$0]).dropLast())\"" }.joined(separator: " OR ") + ")"
        }.joined(separator: " AND ")
    }

    private static func append(_ term: UInt64, to bytes: inout [UInt8]) {
        let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        for shift in stride(from: 35, through: 0, by: -5) { bytes.append(digits[Int(term >> UInt64(shift) & 31)]) }
    }
}
