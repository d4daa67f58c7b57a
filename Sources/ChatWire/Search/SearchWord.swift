/// A word of a text, as search compares it.
///
/// Letters, digits and marks make words; everything else stands between them. Case and accents are folded. In scripts
/// without spaces each character is a word of its own, so that a query finds any part of a text.
public struct SearchWord: Equatable, Sendable {
    /// The word in lower case and without accents.
    public let folded: String
    /// The word's place in its text, in Unicode scalars.
    public let range: Range<Int>
    /// Whether the word is one character of a script without spaces.
    public let isSpaceless: Bool
}

extension SearchWord {
    /// Returns the words of a text, in order.
    ///
    /// - Complexity: O(text).
    public static func words(of text: String) -> [SearchWord] {
        var splitter = WordSplitter()
        for scalar in text.unicodeScalars { splitter.add(scalar) }
        splitter.endWord()
        return splitter.words
    }
}

/// Splits a text into words, scalar by scalar.
private struct WordSplitter {
    private(set) var words: [SearchWord] = []
    private var folded = ""
    private var start = 0
    private var position = 0

    mutating func add(_ scalar: Unicode.Scalar) {
        defer { position += 1 }
        if scalar.isASCII {
            switch scalar.value {
            case 0x30...0x39, 0x61...0x7A: append(scalar)
            case 0x41...0x5A: append(Unicode.Scalar(UInt8(scalar.value + 0x20)))
            default: endWord()
            }
        } else if scalar.isSpaceless {
            endWord()
            words.append(SearchWord(folded: String(scalar), range: position..<position + 1, isSpaceless: true))
        } else if scalar.isAccent {
            // The accent belongs to the word before it, and is not compared.
        } else if scalar.isOfWords {
            for scalar in scalar.foldedForSearch { append(scalar) }
        } else {
            endWord()
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if folded.isEmpty { start = position }
        folded.unicodeScalars.append(scalar)
    }

    mutating func endWord() {
        guard !folded.isEmpty else { return }
        words.append(SearchWord(folded: folded, range: start..<position, isSpaceless: false))
        folded = ""
    }
}

extension Unicode.Scalar {
    /// Whether the character belongs to a script that is written without spaces: Thai, Lao, Burmese, Khmer, Chinese,
    /// Japanese.
    fileprivate var isSpaceless: Bool {
        switch value {
        case 0x0E01...0x0E4E, 0x0E81...0x0ECD, 0x1000...0x1049, 0x1780...0x17D3, 0x3005...0x3007, 0x3041...0x30FF,
            0x3100...0x312F, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF:
            value != 0x30FB && value != 0x30A0
        default: false
        }
    }

    /// Whether the character is an accent that search does not compare.
    fileprivate var isAccent: Bool { (0x300...0x36F).contains(value) }

    fileprivate var isOfWords: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    /// The character in lower case and without accents. Full-width letters are as the plain ones.
    fileprivate var foldedForSearch: [Unicode.Scalar] {
        if (0xFF01...0xFF5E).contains(value), let plain = Unicode.Scalar(value - 0xFEE0) {
            return Array(plain.properties.lowercaseMapping.unicodeScalars)
        }
        let base = Accents.bases[value].flatMap(Unicode.Scalar.init) ?? self
        return base.properties.lowercaseMapping.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
            switch scalar {
            case "ß": ["s", "s"]
            case "ς": ["σ"]
            case let scalar where scalar.isAccent: []
            case let scalar: [Accents.bases[scalar.value].flatMap(Unicode.Scalar.init) ?? scalar]
            }
        }
    }
}

private enum Accents {
    /// The characters without their accents, of those that Unicode decomposes.
    static let bases: [UInt32: UInt32] = {
        var bases: [UInt32: UInt32] = [:]
        for (mark, pairs) in Compositions.pairs where (0x300...0x36F).contains(mark) {
            for (base, composed) in pairs { bases[composed] = base }
        }
        return bases.mapValues { base in
            var base = base
            while let next = bases[base] { base = next }
            return base
        }
    }()
}
