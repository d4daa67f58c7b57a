import ChatWire
import Tokens

/// One event that a session reacts to.
enum SessionInput: Sendable {
    case frame(ClientFrame)
    /// A long frame that is not parsed yet: see ``SessionState/passOver(_:as:at:)``.
    case long([UInt8])
    /// A frame that could not be parsed.
    case unreadable(FrameError)
    /// The result of a token check.
    case checked(AuthenticationRequest, Result<Bearer, WireError>)
    /// The time for `hello` is over.
    case greetingTimeout
}

extension SessionState {
    mutating func handle(_ input: SessionInput, as server: ServerIdentity, at time: Milliseconds) -> [Effect] {
        switch input {
        case .frame(let frame): handle(frame, as: server, at: time)
        case .long(let frame): passOver(frame, as: server, at: time)
        case .unreadable(let error): handle(error, as: server, at: time)
        case .checked(let claim, let answer): handle(answer, of: claim, as: server, at: time)
        case .greetingTimeout: greetingTimeout()
        }
    }
}
