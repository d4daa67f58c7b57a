public import ChatWire

/// Where the connection to the server stands.
public enum ConnectionState: Equatable, Sendable {
    /// Not begun, or closed on request.
    case offline
    case connecting
    /// The server knows who we are.
    case online(Welcome)
    /// It was lost, or could not be made; tried again after so many milliseconds.
    case waiting(Milliseconds, ConnectionLoss)
    /// It is not tried again: what the server said means that it would be in vain.
    case ended(ConnectionLoss)
}

/// Why there is no connection.
public enum ConnectionLoss: Error, Equatable, Sendable, CustomStringConvertible {
    /// None could be made.
    case failed(String)
    /// One side closed it. The code is a ``CloseCode``, 1005 if there was none, 1006 if the connection broke.
    case closed(code: UInt16, reason: String)
    /// Nothing was heard for longer than the heartbeat and its grace.
    case silent
    /// The server did not take our `hello`.
    case refused(WireError)
    /// The server said what this protocol does not allow.
    case misunderstood(String)

    public var description: String {
        switch self {
        case .failed(let why): "cannot connect: \(why)"
        case .closed(1006, _): "the connection broke"
        case .closed(let code, ""): "the connection was closed (\(code))"
        case .closed(let code, let reason): "the connection was closed: \(reason) (\(code))"
        case .silent: "the server has gone silent"
        case .refused(let error): "the server refused us: \(error.message)"
        case .misunderstood(let what): "the server spoke out of turn: \(what)"
        }
    }
}
