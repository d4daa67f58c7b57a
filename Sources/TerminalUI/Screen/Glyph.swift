/// A terminal's abilities with characters on which terminals differ.
package struct GlyphSupport: Equatable, Sendable {
    /// Draws an emoji that consists of several (a family, a skin tone) as one, two columns wide.
    package var joinsEmoji: Bool
    /// Draws two regional indicators as a flag of two columns.
    package var pairsFlags: Bool

    package init(joinsEmoji: Bool, pairsFlags: Bool) {
        self.joinsEmoji = joinsEmoji
        self.pairsFlags = pairsFlags
    }

    /// The abilities of every terminal.
    package static let least = GlyphSupport(joinsEmoji: false, pairsFlags: false)
}

/// One grapheme as curses cells: the characters of each cell, of which the first decides its width.
///
/// - Shape: all cells together take ``Swift/Character/displayWidth`` columns, by the C library's widths as well as by
///   ours. Where the two differ, the grapheme is drawn in a simpler form. So a line never shifts, whatever text it
///   holds.
struct Glyph: Equatable {
    private(set) var cells: [[Unicode.Scalar]] = []

    /// - Parameters:
    ///   - limit: the most characters in a cell.
    ///   - columns: the C library's width of a character, -1 if it does not know it.
    init(
        _ grapheme: Character, support: GlyphSupport, limit: Int, columns: (Unicode.Scalar) -> Int
    ) {
        if grapheme.isJoinedEmoji {
            cells = Self.emoji(Array(grapheme.unicodeScalars), support: support, limit: limit, columns: columns)
        } else {
            for scalar in grapheme.unicodeScalars { append(scalar, limit: limit, columns: columns(scalar)) }
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar, limit: Int, columns: Int) {
        switch (scalar.displayWidth, columns) {
        case (0, 0):
            if let last = cells.last, last.count < limit { cells[cells.count - 1].append(scalar) }
        case (0, _): break
        case (let width, columns) where width == columns: cells.append([scalar])
        case (let width, _): cells += [["\u{FFFD}"]] + Array(repeating: [" "], count: width - 1)
        }
    }

    private static func emoji(
        _ scalars: [Unicode.Scalar], support: GlyphSupport, limit: Int, columns: (Unicode.Scalar) -> Int
    ) -> [[Unicode.Scalar]] {
        if scalars[0].isRegionalIndicator { return flag(scalars, support: support, columns: columns) }
        switch columns(scalars[0]) {
        case 2 where support.joinsEmoji: return [cut(scalars, to: limit)]
        case 2: return [[scalars[0]]]
        case 1: return [[scalars[0]] + scalars.filter { $0.value == enclosingKeycap }, [" "]]
        default: return [["\u{FFFD}"], [" "]]
        }
    }

    private static let enclosingKeycap: UInt32 = 0x20E3

    /// Returns the whole sequence if a cell holds it, else as many joined emoji as fit.
    private static func cut(_ scalars: [Unicode.Scalar], to limit: Int) -> [Unicode.Scalar] {
        if scalars.count <= limit { return scalars }
        let end = scalars.prefix(limit + 1).lastIndex { $0.value == Unicode.Scalar.zeroWidthJoiner }
        return Array(scalars[..<(end ?? 1)])
    }

    /// Returns the two halves next to each other, or the letters of the country.
    private static func flag(
        _ scalars: [Unicode.Scalar], support: GlyphSupport, columns: (Unicode.Scalar) -> Int
    ) -> [[Unicode.Scalar]] {
        let isDrawn = support.pairsFlags && scalars.prefix(2).allSatisfy { columns($0) == 1 }
        return scalars.prefix(2).map { scalar in
            let letter = Unicode.Scalar(scalar.value - 0x1F1E6 + 0x41)
            return [isDrawn ? scalar : letter ?? "?"]
        }
    }
}
