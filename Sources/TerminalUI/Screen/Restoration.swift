import CCurses
import Glibc
import Synchronization

/// Gives the terminal back as it was, however the program ends: on its way out, or from a signal handler when it crashes.
///
/// What a handler needs is prepared beforehand; it then only writes bytes and sets modes, which signal-safety(7) allows.
/// Nothing helps against SIGKILL.
enum Restoration {
    private struct Prepared {
        var modes: termios
        var bytes: UnsafeMutableBufferPointer<UInt8>
    }

    /// Where what is to be given back is; 0 when the terminal is as it was. It is written by one thread and taken out by
    /// whichever comes first, and never freed, as a handler could be reading it.
    private static let prepared = Atomic<UInt>(0)

    /// - Parameter modes: of the terminal before anything was changed.
    static func arm(modes: termios) {
        let text = "\u{1B}[?2004l" + ["sgr0", "rmkx", "cnorm", "rmcup"].compactMap(capability).joined()
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        let pointer = UnsafeMutablePointer<Prepared>.allocate(capacity: 1)
        pointer.initialize(to: Prepared(modes: modes, bytes: bytes))
        prepared.store(UInt(bitPattern: pointer), ordering: .releasing)
    }

    /// Gives the terminal back, unless that has been done.
    static func run() {
        let address = prepared.exchange(0, ordering: .acquiringAndReleasing)
        guard let pointer = UnsafeMutablePointer<Prepared>(bitPattern: address) else { return }
        _ = write(STDOUT_FILENO, pointer.pointee.bytes.baseAddress, pointer.pointee.bytes.count)
        tcsetattr(STDIN_FILENO, TCSANOW, &pointer.pointee.modes)
        ErrorHold.release()
    }

    /// Sees to it that exit(3) and a crash give the terminal back first.
    static func watch() {
        atexit { Restoration.run() }
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] {
            signal(number) { number in
                Restoration.run()
                // It is held back until this returns, and then has its usual end.
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    private static func capability(_ name: String) -> String? {
        // terminfo answers -1 for what is no string.
        guard let text = tigetstr(name), Int(bitPattern: text) != -1 else { return nil }
        return String(cString: text)
    }
}
