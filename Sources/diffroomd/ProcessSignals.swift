import Dispatch
import Foundation

/// The signals that end the program, and the one that has it read its configuration again.
///
/// They are blocked from the start, so that none is lost and none kills, whenever it comes.
struct ProcessSignals {
    private var signals = sigset_t()
    private let wasOnTerminal = isatty(STDIN_FILENO) == 1

    /// Before the first thread starts: a thread has what its maker blocks.
    init() {
        unsafe sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Whoever read the output may be gone: that is an error of the write, not the end.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for them. SIGTERM, SIGINT, or SIGHUP because the terminal is gone: the first ends the program through
    /// `end`, a second one at once.
    mutating func wait(reload: () -> Void, end: @escaping @Sendable () -> Void) -> Never {
        while next() == SIGHUP, !hasLostTerminal { reload() }
        DispatchQueue.global().async {
            end()
            exit(0)
        }
        while next() == SIGHUP {}
        _exit(1)
    }

    private var hasLostTerminal: Bool {
        wasOnTerminal && isatty(STDIN_FILENO) == 0
    }

    private mutating func next() -> Int32 {
        var signal: Int32 = 0
        unsafe sigwait(&signals, &signal)
        return signal
    }
}
