/// The characters that take two columns and are not emoji: East Asian Wide and Fullwidth.
///
/// - Shape: ascending, disjoint ranges. Unassigned characters within a range will be of its kind.
/// - Source: Unicode 15, EastAsianWidth.txt, `W` and `F` without those that have Emoji_Presentation, which the standard
///   library knows. Signs that East Asian fonts draw wide (`A` among them) are wide, as in the C library.
private let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul initial consonants
    0x2329...0x232A,  // angle brackets
    0x2E80...0x303E,  // radicals, ideographic description and punctuation
    0x3041...0xA4C6,  // kana, bopomofo, enclosed and squared forms, ideographs, Yi
    0xA960...0xA97C,  // Hangul initial consonants, old
    0xAC00...0xD7A3,  // Hangul syllables
    0xF900...0xFAFF,  // compatibility ideographs
    0xFE10...0xFE19,  // vertical forms
    0xFE30...0xFE6B,  // vertical and small forms
    0xFF01...0xFF60,  // fullwidth forms
    0xFFE0...0xFFE6,  // fullwidth signs
    0x16FE0...0x18D08,  // Tangut, Khitan
    0x1AFF0...0x1B2FB,  // kana supplements, Nüshu
    0x1F200...0x1F265,  // enclosed ideographs
    0x20000...0x3FFFD,  // ideographic planes
]

extension Unicode.Scalar {
    /// True when the character takes two columns.
    ///
    /// - Complexity: O(log *ranges*).
    var isWide: Bool {
        if value < 0x1100 { return false }
        if properties.isEmojiPresentation { return !isRegionalIndicator }
        var low = 0
        var high = wideRanges.count
        while low < high {
            let middle = (low + high) / 2
            if wideRanges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < wideRanges.count && wideRanges[low].contains(value)
    }

    /// Half of a flag.
    var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }
}
