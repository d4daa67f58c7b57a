internal import CChatSocket

/// What a connection has yet to get.
package struct Backlog: Equatable, Sendable {
    /// Queued for it, and in logs that it reads.
    package var unsentBytes = 0
    /// Logs that it fell off.
    package var listsBehind = 0
    /// Milliseconds since its socket last took anything, while there is something to take.
    package var waiting = 0

    package init() {}

    init(_ raw: chatsock_backlog) {
        unsentBytes = raw.unsent_bytes
        listsBehind = Int(raw.lists_behind)
        waiting = Int(raw.waiting_ms)
    }
}
