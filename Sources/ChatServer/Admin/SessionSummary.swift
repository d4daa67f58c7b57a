import ChatWire
import WebSocketTransport

/// Who is at the other end of a connection, and since when.
struct Arrival: Sendable {
    let address: String
    let time: Milliseconds
}

/// A connection, for an operator to read.
struct SessionSummary: Sendable {
    let connection: ConnectionID
    let address: String
    let since: Milliseconds
    /// `nil` until it has said hello.
    let user: UserName?
    let lists: Set<ListName>
}
