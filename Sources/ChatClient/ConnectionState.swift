public import ChatWire

/// The state of the connection to the server.
///
/// ```swift
/// let subscription = client.connection.sink { state in
///     switch state {
///     case .online(let welcome): print("connected as \(welcome.user)")
///     case .waiting(let pause, let loss): print("\(loss); trying again in \(pause) ms")
///     case .ended(let loss): print(loss)
///     case .offline, .connecting: break
///     }
/// }
/// ```
public enum ConnectionState: Equatable, Sendable {
    /// Not begun, or closed on request.
    case offline
    case connecting
    /// The server has accepted the identity.
    case online(Welcome)
    /// The connection was lost or failed. The client tries again after so many milliseconds.
    case waiting(Milliseconds, ConnectionLoss)
    /// The client does not try again: the server's answer means that another attempt would fail too.
    case ended(ConnectionLoss)
}

/// The reason why there is no connection.
///
/// ```swift
/// if case .refused(let error) = loss { print("log in again: \(error.message)") } else { print(loss) }
/// ```
public enum ConnectionLoss: Error, Equatable, Sendable, CustomStringConvertible {
    /// The connection could not be made.
    case failed(String)
    /// One side closed it. The code is a ``CloseCode``; 1005 if there was none, 1006 if the connection broke.
    case closed(code: UInt16, reason: String)
    /// The server was silent for longer than the heartbeat and its grace.
    case silent
    /// The server did not accept the `hello`.
    case refused(WireError)
    /// The server broke the protocol.
    case misunderstood(String)

    public var description: String {
        switch self {
        case .failed(let why): "cannot connect: \(why)"
        case .closed(1006, _): "the connection broke"
        case .closed(let code, ""): "the connection was closed (\(code))"
        case .closed(let code, let reason): "the connection was closed: \(reason) (\(code))"
        case .silent: "the server has gone silent"
        case .refused(let error): "the server refused the connection: \(error.message)"
        case .misunderstood(let what): "the server broke the protocol: \(what)"
        }
    }
}
