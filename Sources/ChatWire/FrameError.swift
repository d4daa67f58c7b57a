/// Why bytes are no frame. They were ignored.
public enum FrameError: Error, Equatable, Sendable {
    /// No JSON object: the two sides do not speak the same language, and the server closes with
    /// ``CloseCode/badFrame``. The text says what was found.
    case notAnObject(String)
    /// A JSON object that is no frame of this protocol: answered with the error, and with the `ref` if there is one.
    case bad(ref: UInt64?, WireError)

    /// What was wrong and what would be right, for a person to read.
    package var message: String {
        switch self {
        case .notAnObject(let what): what
        case .bad(_, let error): error.message
        }
    }
}
