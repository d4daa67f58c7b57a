package import Dispatch
import Glibc

/// Delivers the events of a terminal on a queue.
package final class TerminalEvents {
    package enum Event: Sendable {
        /// Input has arrived. ``Terminal/readKeys()`` returns it.
        case input
        case resized
        /// SIGTERM, or SIGINT from another program.
        case terminated
        /// The terminal is gone.
        case hungUp
    }

    private let sources: [any DispatchSourceProtocol]

    /// Calls `handle` on `queue` until this object is released.
    ///
    /// Create it before the ``Terminal``, so that curses leaves the signals alone.
    package init(on queue: DispatchQueue, handle: @escaping @Sendable (Event) -> Void) {
        let signals: [(Int32, Event)] = [
            (SIGWINCH, .resized), (SIGTERM, .terminated), (SIGINT, .terminated), (SIGHUP, .hungUp),
        ]
        let signalSources = signals.map { number, event -> any DispatchSourceProtocol in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handle(event) }
            return source
        }
        let input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        input.setEventHandler { handle(Self.isHungUp ? .hungUp : .input) }
        sources = signalSources + [input]
        for source in sources { source.activate() }
    }

    private static var isHungUp: Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0 && input.revents & Int16(POLLHUP | POLLERR) != 0
    }
}
