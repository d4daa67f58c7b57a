import CCurses
import Glibc

/// The terminal as a screen: it shows frames and reads keys.
///
/// - Threads: curses is not thread-safe, so use it only from the queue that created it. Only one may exist at a time.
/// - Complexity: ``show(_:)`` compares the frame's lines with those on the screen, and turns the differing ones into
///   cells. curses sends the cells that differ.
package final class Terminal {
    package private(set) var size = Frame.Size(rows: 24, columns: 80)

    private var decoder = KeyDecoder()
    private var shown: Frame?
    private var cells: CellPainter

    /// Takes over the terminal of standard input and output.
    ///
    /// - Parameter environment: `TERM` names the terminal; a `NO_COLOR` that is not empty turns colours off.
    package init(environment: [String: String]) throws(TerminalError) {
        try Self.check(environment)
        var modes = termios()
        tcgetattr(STDIN_FILENO, &modes)
        ErrorHold.begin()
        guard ccurses_start() != nil else {
            ErrorHold.release()
            throw .tooSimple(environment["TERM"] ?? "")
        }
        Restoration.arm(modes: modes)
        Restoration.watch()
        cells = CellPainter(colour: environment["NO_COLOR"].map(\.isEmpty) ?? true)
        begin(modes)
    }

    private static func check(_ environment: [String: String]) throws(TerminalError) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .noTerminal }
        let name = environment["TERM"] ?? ""
        guard !name.isEmpty, name != "dumb" else { throw .tooSimple(name) }
        setlocale(LC_ALL, "")
        if !isUnicode { setlocale(LC_CTYPE, "C.UTF-8") }
        guard isUnicode else { throw .noUnicode }
    }

    private static var isUnicode: Bool {
        nl_langinfo(nl_item(CODESET)).map { String(cString: $0) == "UTF-8" } ?? false
    }

    private func begin(_ modes: termios) {
        signal(SIGTSTP, SIG_DFL)  // curses' own handler cannot be called from any thread
        raw()
        noecho()
        nonl()
        set_escdelay(25)
        typeahead(-1)
        keypad(ccurses_screen(), true)
        nodelay(ccurses_screen(), true)
        KeyTable.define()
        refresh()
        let (support, typed) = GlyphProbe.run()
        cells.support = support
        for byte in typed.reversed() { ungetch(Int32(byte)) }
        setBracketedPaste("h")
        resize()
    }

    /// Restores the terminal.
    package func end() {
        endwin()
        Restoration.run()
    }

    private func setBracketedPaste(_ onOff: String) {
        let text = Array("\u{1B}[?2004\(onOff)".utf8)
        _ = write(STDOUT_FILENO, text, text.count)
    }

    // MARK: - Output

    /// Shows a frame.
    package func show(_ frame: Frame) {
        for row in frame.rows(unlike: shown) where row < size.rows {
            let cells = cells.cells(of: frame.lines[row].fitted(to: size.columns))
            ccurses_put(Int32(row), 0, cells, Int32(cells.count))
        }
        curs_set(frame.cursor == nil ? 0 : 1)
        if let cursor = frame.cursor { move(Int32(cursor.row), Int32(cursor.column)) }
        shown = frame
        refresh()
    }

    /// Rings the bell, or flashes, as the terminal is set.
    package func ring() {
        beep()
    }

    /// Makes the next ``show(_:)`` draw everything, because another program may have written on the screen.
    package func forget() {
        shown = nil
        clearok(ccurses_screen(), true)
    }

    /// Reads the window's size.
    package func resize() {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0 else { return }
        size = Frame.Size(rows: Int(window.ws_row), columns: Int(window.ws_col))
        resizeterm(Int32(size.rows), Int32(size.columns))
        erase()
        forget()
    }

    // MARK: - Input

    /// Returns the keys that have arrived.
    package func readKeys() -> [Key] {
        var keys: [Key] = []
        var code: wint_t = 0
        while case let kind = ccurses_read(&code), kind != ERR {
            let character = Unicode.Scalar(UInt32(code)).map(KeyInput.character)
            if let input = kind == OK ? character : KeyTable.input(Int32(code)) { keys += decoder.decode(input) }
        }
        return keys + decoder.decode(.pause)
    }

    /// Stops the program, as Ctrl-Z does, and returns when it continues.
    package func suspend() {
        setBracketedPaste("l")
        endwin()
        JobControl.stop { refresh() }
        setBracketedPaste("h")
        resize()
    }
}
