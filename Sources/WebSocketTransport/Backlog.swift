internal import CChatSocket

/// The data that a connection has not taken yet.
package struct Backlog: Equatable, Sendable {
    /// Bytes in its queue, and in the logs that it reads.
    package var unsentBytes = 0
    /// The number of logs that it fell off.
    package var listsBehind = 0
    /// Milliseconds since its socket last took data, while there is data to send.
    package var waiting = 0

    package init() {}

    init(_ raw: chatsock_backlog) {
        unsentBytes = raw.unsent_bytes
        listsBehind = Int(raw.lists_behind)
        waiting = Int(raw.waiting_ms)
    }
}
