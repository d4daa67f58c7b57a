/// Returns the places of the web addresses in a text.
///
/// ```swift
/// links(in: "see https://a.example/x.")  // the place of https://a.example/x
/// ```
///
/// An address ends at white space, at a character that cannot be seen, at punctuation of other scripts, and before the
/// punctuation and brackets that are not its own.
///
/// - Complexity: O(characters).
/// - Source: the cases in docs/protocol/vectors/links.json, which the page follows, too.
func links(in text: String) -> [Range<String.Index>] {
    guard text.contains("://") else { return [] }
    let address = /(?i)https?:\/\/(?=[\p{L}\p{N}\[])/
    var links: [Range<String.Index>] = []
    var read = text.startIndex  // up to where addresses have been looked for
    for start in text.ranges(of: address) where start.lowerBound >= read {
        guard text[..<start.lowerBound].last?.isASCIIWord != true else { continue }
        let rest = text[start.upperBound...]
        let end = rest.indices.first { !rest.goesOn(at: $0) } ?? rest.endIndex
        read = end
        let link = text[start.lowerBound..<end].trimmed
        if link.endIndex > start.upperBound { links.append(link.startIndex..<link.endIndex) }
    }
    return links
}

extension Character {
    fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }

    /// True when nothing of it can be seen.
    private var isUnseen: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned: true
            default: scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
            }
        }
    }

    /// True when an address ends before it.
    fileprivate var endsAddress: Bool {
        if isWhitespace || isUnseen { return true }
        return isASCII ? "<>\"`\\".contains(self) : isPunctuation || unicodeScalars.contains { $0.isUnseen }
    }
}

extension Unicode.Scalar {
    fileprivate var isUnseen: Bool { properties.isDefaultIgnorableCodePoint && !isJoiner }

    /// True for what joins or varies the characters around it.
    private var isJoiner: Bool { value == 0x200C || value == 0x200D || (0xFE00...0xFE0F).contains(value) }
}

extension Substring {
    /// Returns whether an address goes on with the character at a place.
    fileprivate func goesOn(at place: Index) -> Bool {
        let character = self[place]
        guard character == "’" || character == "·" else { return !character.endsAddress }
        let next = index(after: place)
        return next < endIndex && (self[next].isLetter || self[next].isNumber)
    }

    /// The address without a bracket that closes none of its own, and without what ends a sentence.
    fileprivate var trimmed: Substring {
        var kept = self[..<(firstStrayBracket ?? endIndex)]
        while let last = kept.last, ".,:;!?'*_~([{".contains(last) { kept.removeLast() }
        return kept
    }

    private var firstStrayBracket: Index? {
        let pairs: [Character: Character] = [")": "(", "]": "[", "}": "{"]
        var open: [Character] = []
        for place in indices {
            let character = self[place]
            if pairs.values.contains(character) { open.append(character) }
            if let opening = pairs[character], open.popLast() != opening { return place }
        }
        return nil
    }
}
