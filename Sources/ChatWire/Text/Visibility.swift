extension Unicode.Scalar {
    /// Visible ASCII, as in most names.
    var isPlain: Bool { (0x21...0x7E).contains(value) }

    var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// True when the character is drawn as nothing. Two symbols are, although Unicode does not say so: Braille without
    /// a dot and a note without a head.
    var isInvisible: Bool {
        properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format || value == 0x2800
            || value == 0x1D159
    }

    /// True when the character is drawn as nothing, or as a space of any width.
    var isBlank: Bool {
        switch properties.generalCategory {
        case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        default: isInvisible
        }
    }

    var isCharacter: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    /// `U+00A0`.
    var code: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
