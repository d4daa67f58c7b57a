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
        switch scalars[place] {
        case " ": return scalars[place - 1] == " " ? "has two spaces in a row" : nil
        case let scalar where scalar.properties.generalCategory == .spaceSeparator:
            return "has \(scalar.code), a space that is not U+0020"
        default: return scalars.fault(at: place)
        }
    }
}

extension [Unicode.Scalar] {
    /// Returns the reason for which the character at a place stands in no name, title or topic: it is invisible, or none.
    func fault(at place: Int) -> String? {
        let scalar = self[place]
        switch scalar {
        case .joiner: return joinsEmoji(at: place) ? nil : Self.invisible(scalar)
        case .emojiSelector: return selectsEmoji(at: place) ? nil : Self.invisible(scalar)
        case .keycap where place > 0 && self[place - 1].isKeycapBase:
            return "has \(scalar.code) right after '\(self[place - 1])', must have U+FE0F between them"
        case _ where scalar.isInvisible: return Self.invisible(scalar)
        case _ where !scalar.isCharacter: return "has \(scalar.code), which is no character"
        default: return nil
        }
    }

    private static func invisible(_ scalar: Unicode.Scalar) -> String { "has \(scalar.code), which is invisible" }
}
