import CCurses

/// The keys by their curses codes, including keys that curses does not know by itself.
enum KeyTable {
    /// The first code, above all of curses' own.
    private static let firstOwn: Int32 = 0o2000

    /// The sequences of xterm and of all terminals that follow it.
    private static let own: [(String, KeyInput)] = [
        ("\u{1B}[200~", .pasteBegins), ("\u{1B}[201~", .pasteEnds),
        ("\u{1B}[1;5D", .key(.wordLeft)), ("\u{1B}[1;5C", .key(.wordRight)),
        ("\u{1B}[1;3D", .key(.wordLeft)), ("\u{1B}[1;3C", .key(.wordRight)),
        ("\u{1B}[1;3A", .key(.altUp)), ("\u{1B}[1;3B", .key(.altDown)),
        ("\u{1B}\u{1B}[A", .key(.altUp)), ("\u{1B}\u{1B}[B", .key(.altDown)),
        ("\u{1B}\u{1B}OA", .key(.altUp)), ("\u{1B}\u{1B}OB", .key(.altDown)),
        ("\u{1B}[1;5H", .key(.topOfAll)), ("\u{1B}[1;5F", .key(.endOfAll)),
        ("\u{1B}[13;2u", .key(.altEnter)), ("\u{1B}[27;2;13~", .key(.altEnter)),
    ]

    private static let known: [Int32: Key.Name] = [
        KEY_ENTER: .enter, KEY_BACKSPACE: .backspace, KEY_DC: .delete, KEY_BTAB: .backtab,
        KEY_UP: .up, KEY_DOWN: .down, KEY_LEFT: .left, KEY_RIGHT: .right,
        KEY_HOME: .home, KEY_END: .end, KEY_PPAGE: .pageUp, KEY_NPAGE: .pageDown,
    ]

    static func define() {
        for (index, entry) in own.enumerated() { define_key(entry.0, firstOwn + Int32(index)) }
    }

    static func input(_ code: Int32) -> KeyInput? {
        let index = Int(code - firstOwn)
        return own.indices.contains(index) ? own[index].1 : known[code].map { .key($0) }
    }
}
