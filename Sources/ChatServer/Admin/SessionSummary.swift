import ChatWire
import WebSocketTransport

/// The peer of a connection, and the time of its arrival.
struct Arrival: Sendable {
    let address: String
    let time: Milliseconds
    /// The room by which a proxy has chosen this server; `nil` for none.
    var route: String?
}

/// A connection, for an operator to read.
struct SessionSummary: Sendable {
    let connection: ConnectionID
    let address: String
    let since: Milliseconds
    /// `nil` until the client has said hello.
    let user: UserName?
    let lists: Set<ListName>
}
