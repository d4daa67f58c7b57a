import CCurses
import Glibc
import Synchronization

/// Restores the terminal however the program ends, also from a signal handler when it crashes.
///
/// All that a handler needs is prepared beforehand. The handler only writes bytes and sets modes, which
/// signal-safety(7) allows. Nothing helps against SIGKILL.
enum Restoration {
    private struct Prepared {
        var modes: termios
        var bytes: UnsafeMutableBufferPointer<UInt8>
    }

    /// The address of the prepared state; 0 when the terminal is as it was.
    ///
    /// One thread stores it, and the first thread or handler to exchange it owns it. It is never freed, because a
    /// handler could be reading it.
    private static let prepared = Atomic<UInt>(0)

    /// Ends bracketed pastes and reports of the mouse.
    private static let modesOff = "\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l"

    /// - Parameter modes: the terminal's modes before any change.
    static func arm(modes: termios) {
        let text = Self.modesOff + ["sgr0", "rmkx", "cnorm", "rmcup"].compactMap(capability).joined()
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        let pointer = UnsafeMutablePointer<Prepared>.allocate(capacity: 1)
        pointer.initialize(to: Prepared(modes: modes, bytes: bytes))
        prepared.store(UInt(bitPattern: pointer), ordering: .releasing)
    }

    /// Restores the terminal, unless that is done.
    static func run() {
        let address = prepared.exchange(0, ordering: .acquiringAndReleasing)
        guard let pointer = UnsafeMutablePointer<Prepared>(bitPattern: address) else { return }
        _ = write(STDOUT_FILENO, pointer.pointee.bytes.baseAddress, pointer.pointee.bytes.count)
        tcsetattr(STDIN_FILENO, TCSANOW, &pointer.pointee.modes)
        ErrorHold.release()
    }

    /// Makes exit(3) and crashes restore the terminal first.
    static func watch() {
        atexit { Restoration.run() }
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] {
            signal(number) { number in
                Restoration.run()
                // The raised signal waits until this handler returns, and then takes its default effect.
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Returns a capability without its pauses, such as `$<2>`, which are for the terminals of serial lines.
    static func unpadded(_ capability: String) -> String {
        capability.replacing(/\$<[0-9.]+[*\/]*>/, with: "")
    }

    private static func capability(_ name: String) -> String? {
        // terminfo answers -1 for a capability that is not a string.
        guard let text = tigetstr(name), Int(bitPattern: text) != -1 else { return nil }
        return unpadded(String(cString: text))
    }
}
