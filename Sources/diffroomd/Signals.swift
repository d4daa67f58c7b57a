import Dispatch
import Foundation

/// The signals that end the program.
///
/// They are blocked from the start, so that none is lost and none kills, whenever it comes.
struct EndingSignals {
    private var signals = sigset_t()

    /// Before the first thread starts: a thread has what its maker blocks.
    init() {
        unsafe sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT] { unsafe sigaddset(&signals, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for one; the first ends the program through `end`, a second one at once.
    mutating func wait(_ end: @escaping @Sendable () -> Void) -> Never {
        next()
        DispatchQueue.global().async {
            end()
            exit(0)
        }
        next()
        _exit(1)
    }

    private mutating func next() {
        var signal: Int32 = 0
        unsafe sigwait(&signals, &signal)
    }
}
