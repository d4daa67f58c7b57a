import Dispatch
import Foundation

/// The signals that end the program, and the one that makes it reload its configuration.
///
/// They are blocked from the start, so that none is lost and none kills the process at a bad time.
struct ProcessSignals {
    private var signals = sigset_t()
    private let wasOnTerminal = isatty(STDIN_FILENO) == 1

    /// Must run before the first thread starts, because a thread inherits its creator's blocked signals.
    init() {
        unsafe sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A write to a closed pipe must be an error, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for signals.
    ///
    /// The first SIGTERM, SIGINT, or SIGHUP from a lost terminal ends the program through `end`. A second one ends it
    /// at once.
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
