extension StringProtocol {
    /// The text without anything that a terminal obeys or that disguises the text. It is safe to draw, whoever wrote
    /// it.
    ///
    /// - Shape: control characters become their pictures (`␛`). Characters that turn the direction of writing, and
    ///   other invisible ones, are left out; those that join letters or emoji stay. Lines end with a line feed, tabs
    ///   are four spaces, and no letter carries more than four marks.
    package var neutralized: String {
        let isPlain = utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A }
        if isPlain { return String(self) }
        var result = String.UnicodeScalarView()
        var marks = 0
        var previous: Unicode.Scalar = "\0"
        for scalar in unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            marks = isMark ? marks + 1 : 0
            if marks <= 4 { append(scalar, after: previous, to: &result) }
            previous = scalar
        }
        return String(result)
    }

    /// The text ``neutralized``, with spaces for its line ends: it cannot look like another line of the program.
    package var inOneLine: String { neutralized.replacing("\n", with: " ") }

    private func append(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar, to result: inout String.UnicodeScalarView
    ) {
        switch scalar.value {
        case 0x0A where previous.value == 0x0D: break  // the pair ended its line at the carriage return
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: result.append("\n")
        case 0x09: result.append(contentsOf: "    ".unicodeScalars)
        case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
        case 0x7F: result.append("\u{2421}")
        case 0x80..<0xA0: result.append("\u{FFFD}")
        case 0x200C, 0x200D: result.append(scalar)
        default: if !isHidden(scalar) { result.append(scalar) }
        }
    }

    /// Returns whether a character is invisible and joins nothing visible.
    private func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x180B...0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF: false  // hyphen, variation selectors
        case 0xE0020...0xE007F: false  // the tags that make a flag of a region
        case 0x115F, 0x1160, 0x3164, 0xFFA0: true  // letters that are blank
        default: scalar.properties.generalCategory == .format && scalar.displayWidth == 0
        }
    }
}
