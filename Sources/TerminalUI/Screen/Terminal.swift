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
    /// True where a window has a title, and other sequences of xterm are understood.
    let isWindow: Bool
    var title = ""

    /// Takes over the terminal of standard input and output.
    ///
    /// - Parameters:
    ///   - environment: `TERM` names the terminal; a `NO_COLOR` that is not empty turns colours off.
    ///   - colours: the most that are used.
    ///   - hasMouse: true to receive the wheel and clicks. The terminal's own selection then needs Shift.
    package init(
        environment: [String: String], colours: Colours = .auto, hasMouse: Bool
    ) throws(TerminalError) {
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
        let isWithout = colours == .auto && !(environment["NO_COLOR"]?.isEmpty ?? true)
        cells = CellPainter(isWithout ? .none : colours)
        isWindow = !["linux", "vt"].contains { environment["TERM"]?.hasPrefix($0) ?? true }
        begin(modes)
        if hasMouse { ccurses_watch_mouse() }
        beginTitle()
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
        endTitle()
        endwin()
        Restoration.run()
    }

    private func setBracketedPaste(_ onOff: String) {
        write("\u{1B}[?2004\(onOff)")
    }

    /// Writes past curses, whose own output has been sent.
    func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }

    // MARK: - Output

    /// Shows a frame.
    package func show(_ frame: Frame) {
        var links = LinkOverlay(isWindow: isWindow, palette: cells.palette)
        for row in frame.rows(unlike: shown) where row < size.rows {
            let line = frame.lines[row].fitted(to: size.columns)
            let cells = cells.cells(of: line)
            ccurses_put(Int32(row), 0, cells, Int32(cells.count))
            let hadLinks = shown.map { row < $0.lines.count && LinkOverlay.has(links: $0.lines[row]) } ?? true
            // curses sends the cells that differ. A cell that keeps its character would keep the link that it had.
            if links.add(line, row: row) || hadLinks { ccurses_redraw_row(Int32(row)) }
        }
        curs_set(frame.cursor == nil ? 0 : 1)
        if let cursor = frame.cursor { move(Int32(cursor.row), Int32(cursor.column)) }
        shown = frame
        refresh()
        write(links.output)
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
            if let input = input(kind, code) { keys += decoder.decode(input) }
        }
        return keys + decoder.decode(.pause)
    }

    private func input(_ kind: Int32, _ code: wint_t) -> KeyInput? {
        if kind == OK { return Unicode.Scalar(UInt32(code)).map(KeyInput.character) }
        return code == wint_t(KEY_MOUSE) ? mouse() : KeyTable.input(Int32(code))
    }

    private func mouse() -> KeyInput? {
        var (row, column): (Int32, Int32) = (0, 0)
        let action: Key.Mouse.Action? =
            switch ccurses_read_mouse(&row, &column) {
            case 1: .press
            case 4: .wheelUp
            case 5: .wheelDown
            default: nil
            }
        guard let action else { return nil }
        let line = shown.flatMap { $0.lines.indices.contains(Int(row)) ? $0.lines[Int(row)] : nil }
        return .mouse(
            Key.Mouse(action, row: Int(row), column: Int(column), target: line?.target(at: Int(column))))
    }

    /// Stops the program, as Ctrl-Z does, and returns when it continues.
    package func suspend() {
        setBracketedPaste("l")
        endTitle()
        endwin()
        JobControl.stop { refresh() }
        setBracketedPaste("h")
        beginTitle()
        resize()
    }
}
