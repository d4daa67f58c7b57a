extension Unicode.Scalar {
    /// The columns that the character takes by itself: 0, 1 or 2.
    package var displayWidth: Int {
        if (0x20..<0x7F).contains(value) { return 1 }
        if isZeroWidth { return 0 }
        return isWide ? 2 : 1
    }

    private var isZeroWidth: Bool {
        switch value {
        case 0xAD: return false  // a soft hyphen is drawn
        case 0x1160...0x11FF, 0xD7B0...0xD7FB: return true  // Hangul vowels and finals join the initial before them
        default: break
        }
        switch properties.generalCategory {
        case .control, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return true
        case .format: return !(0x600...0x605).contains(value) && !Self.signsOverNumbers.contains(value)
        default: return properties.isDefaultIgnorableCodePoint && properties.generalCategory != .otherLetter
        }
    }

    /// Format characters that are drawn, before or around the number that follows.
    private static let signsOverNumbers: Set<UInt32> = [0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD]
}

extension Character {
    /// The columns that the grapheme takes.
    ///
    /// An emoji takes two, however many characters are joined in it. Any other grapheme takes the columns of its
    /// characters.
    package var displayWidth: Int {
        let scalars = unicodeScalars
        if scalars.count == 1 { return scalars.first?.displayWidth ?? 0 }
        return isJoinedEmoji ? 2 : scalars.reduce(0) { $0 + $1.displayWidth }
    }

    /// True when several characters form one emoji: a sequence joined by ZWJ, a skin tone, a flag, a keycap, or a sign
    /// that is to be drawn as an emoji.
    package var isJoinedEmoji: Bool {
        let scalars = unicodeScalars
        guard let first = scalars.first, scalars.count > 1 else { return false }
        if first.isRegionalIndicator { return scalars.dropFirst().first?.isRegionalIndicator ?? false }
        guard first.properties.isEmoji else { return false }
        return scalars.dropFirst().contains { scalar in
            scalar.value == Unicode.Scalar.emojiPresentation || scalar.properties.isEmojiModifier
                || (scalar.value == Unicode.Scalar.zeroWidthJoiner && first.value > 0x7F)
        }
    }
}

extension Unicode.Scalar {
    static let zeroWidthJoiner: UInt32 = 0x200D
    /// The variation selector that requests an emoji.
    static let emojiPresentation: UInt32 = 0xFE0F
}

extension StringProtocol {
    /// The columns that the text takes on one line.
    ///
    /// - Complexity: O(*n*), little more than counting when the text is ASCII.
    package var displayWidth: Int {
        let isPlain = utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        return isPlain ? utf8.count : reduce(0) { $0 + $1.displayWidth }
    }

    /// Returns the longest prefix that takes at most `width` columns.
    package func fitting(_ width: Int) -> SubSequence {
        var left = width
        return prefix { character in
            left -= character.displayWidth
            return left >= 0
        }
    }

    /// Returns the text if it fits, or a prefix and an ellipsis.
    package func truncated(to width: Int) -> String {
        displayWidth <= width ? String(self) : width < 1 ? "" : fitting(width - 1) + "…"
    }
}
