extension UserName {
    /// Returns the reason for which a name cannot be entered, in words that follow the name; `nil` if it can.
    ///
    /// A refused name looks empty or like another name: it has an invisible character, an unusual or invisible space,
    /// or a second way to write the same letter.
    public static func fault(in text: String) -> String? {
        let count = text.utf8.count
        guard lengths.contains(count) else { return "has \(count) bytes, must be 1 to \(lengths.upperBound)" }
        guard text.utf8.first != space, text.utf8.last != space else { return "begins or ends with a space" }
        let scalars = Array(text.unicodeScalars)
        guard scalars.first?.isMark == false else { return "begins with a mark that belongs to a character before it" }
        for place in scalars.indices where !scalars[place].isPlain {
            if let fault = fault(at: place, of: scalars) { return fault }
        }
        return text.isNormalised ? nil : "is not in Unicode normal form C: send it normalised"
    }

    private static let space = UInt8(ascii: " ")

    private static func fault(at place: Int, of scalars: [Unicode.Scalar]) -> String? {
        let scalar = scalars[place]
        switch scalar {
        case " ": return scalars[place - 1] == " " ? "has two spaces in a row" : nil
        case .joiner: return scalars.joinsEmoji(at: place) ? nil : invisible(scalar)
        case .emojiSelector: return scalars.selectsEmoji(at: place) ? nil : invisible(scalar)
        case .keycap where place > 0 && scalars[place - 1].isKeycapBase:
            return "has \(scalar.code) right after '\(scalars[place - 1])', must have U+FE0F between them"
        case _ where scalar.isInvisible: return invisible(scalar)
        case _ where scalar.properties.generalCategory == .spaceSeparator:
            return "has \(scalar.code), a space that is not U+0020"
        case _ where !scalar.isCharacter: return "has \(scalar.code), which is no character"
        default: return nil
        }
    }

    private static func invisible(_ scalar: Unicode.Scalar) -> String { "has \(scalar.code), which nobody sees" }
}

extension [Unicode.Scalar] {
    /// Returns whether a joiner is part of a sequence that is drawn as one emoji.
    fileprivate func joinsEmoji(at place: Int) -> Bool {
        guard let end = endOfEmoji(at: place + 1), var start = startOfEmoji(before: place) else { return false }
        var sequence = [self[start], self[place + 1]]
        while start > 0, self[start - 1] == .joiner {
            guard let before = startOfEmoji(before: start - 1) else { return false }
            start = before
            sequence.insert(self[start], at: 0)
        }
        var next = end
        while next < count, self[next] == .joiner {
            guard let end = endOfEmoji(at: next + 1) else { return false }
            sequence.append(self[next + 1])
            next = end
        }
        return JoinedEmoji.contains(sequence)
    }

    /// Returns the end of the emoji at a place: without a selector or a skin tone it must be one by itself.
    private func endOfEmoji(at place: Int) -> Int? {
        guard place < count else { return nil }
        if place + 1 < count, self[place].takes(self[place + 1]) { return place + 2 }
        return self[place].properties.isEmojiPresentation ? place + 1 : nil
    }

    /// Returns the start of the emoji before a place.
    private func startOfEmoji(before place: Int) -> Int? {
        if place > 1, endOfEmoji(at: place - 2) == place { return place - 2 }
        return place > 0 && endOfEmoji(at: place - 1) == place ? place - 1 : nil
    }

    /// Returns whether a selector turns a text symbol into an emoji, or begins a keycap.
    fileprivate func selectsEmoji(at place: Int) -> Bool {
        guard place > 0 else { return false }
        let next = place + 1 < count ? self[place + 1] : nil
        if self[place - 1].isASCII { return self[place - 1].isKeycapBase && next == .keycap }
        return self[place - 1].takes(.emojiSelector) && next?.properties.isEmojiModifier != true
    }
}

extension Unicode.Scalar {
    fileprivate static let joiner: Unicode.Scalar = "\u{200D}"
    fileprivate static let emojiSelector: Unicode.Scalar = "\u{FE0F}"
    fileprivate static let keycap: Unicode.Scalar = "\u{20E3}"

    /// Visible ASCII, as in most names.
    fileprivate var isPlain: Bool { (0x21...0x7E).contains(value) }

    fileprivate var isKeycapBase: Bool { isASCII && properties.isEmoji }

    /// Returns whether a selector or a skin tone changes how the character is drawn. `™` and its like stay text.
    fileprivate func takes(_ next: Unicode.Scalar) -> Bool {
        guard next == .emojiSelector else { return next.properties.isEmojiModifier && properties.isEmojiModifierBase }
        return properties.isEmoji && !properties.isEmojiPresentation && !["©", "®", "™"].contains(self) && !isASCII
    }

    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// True when the character is drawn as nothing. Two symbols are, although Unicode does not say so: Braille without
    /// a dot and a note without a head.
    fileprivate var isInvisible: Bool {
        properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format || value == 0x2800
            || value == 0x1D159
    }

    fileprivate var isCharacter: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    /// `U+00A0`.
    fileprivate var code: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
