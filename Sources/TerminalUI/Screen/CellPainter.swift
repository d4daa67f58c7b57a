import CCurses

/// Turns lines into curses cells.
struct CellPainter {
    var support = GlyphSupport.least
    let palette: Palette
    private var looks: [Style: (attributes: attr_t, pair: Int32)] = [:]
    private let limit = Int(ccurses_cell_limit())

    init(_ colours: Terminal.Colours) {
        guard colours != .none, has_colors() else {
            palette = Palette(.none)
            return
        }
        start_color()
        use_default_colors()
        palette = Palette(ccurses_colors() >= 256 && colours != .eight ? .many : .eight)
    }

    mutating func cells(of line: Line) -> [cchar_t] {
        var cells: [cchar_t] = []
        for span in line.spans {
            let look = look(of: span.style)
            for character in span.text { append(character, look, to: &cells) }
        }
        return cells
    }

    private func append(_ character: Character, _ look: (attributes: attr_t, pair: Int32), to cells: inout [cchar_t]) {
        if let ascii = character.asciiValue, ascii >= 0x20 {
            var scalar = wchar_t(ascii)
            cells.append(ccurses_cell(&scalar, 1, look.attributes, look.pair))
            return
        }
        let glyph = Glyph(character, support: support, limit: limit) { Int(wcwidth(wchar_t($0.value))) }
        for scalars in glyph.cells {
            let characters = scalars.map { wchar_t($0.value) }
            cells.append(ccurses_cell(characters, Int32(characters.count), look.attributes, look.pair))
        }
    }

    private mutating func look(of style: Style) -> (attributes: attr_t, pair: Int32) {
        if let look = looks[style] { return look }
        let look = palette.look(of: style)
        var attributes: attr_t = 0
        if look.isBold { attributes |= ccurses_bold() }
        if look.isDim { attributes |= ccurses_dim() }
        if look.isItalic { attributes |= ccurses_italic() }
        if look.isUnderlined { attributes |= ccurses_underline() }
        if look.isReversed { attributes |= ccurses_reverse() }
        let isPlain = look.foreground < 0 && look.background < 0
        let pair = isPlain ? 0 : max(0, alloc_pair(Int32(look.foreground), Int32(look.background)))
        looks[style] = (attributes, pair)
        return (attributes, pair)
    }
}
