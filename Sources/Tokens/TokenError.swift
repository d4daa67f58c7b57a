/// The reason why a token is not accepted, and the remedy, for people to read.
package enum TokenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The token is too long, or is not three parts in base64url of which the first two are JSON objects.
    case malformed(String)
    /// No key fits the token.
    case noKey(String)
    /// No key made the signature.
    case wrongSignature
    /// A claim is missing, or not the required one.
    case claim(String, String)
    case expired(seconds: Int)
    case notYet(seconds: Int)

    package var description: String {
        switch self {
        case .malformed(let problem): "token: \(problem)"
        case .noKey(let problem): "token: \(problem)"
        case .wrongSignature:
            "token: no key of this server signed it: it is for another server, or of an old key, or changed"
        case .claim(let name, let problem): "token: its claim \(name) \(problem)"
        case .expired(let seconds): "token: expired \(seconds) s ago: get a fresh one"
        case .notYet(let seconds): "token: is valid only in \(seconds) s: wait, or compare the clocks of both machines"
        }
    }
}

/// The reason why a file of keys is not accepted.
package struct KeyFileError: Error, Equatable, Sendable, CustomStringConvertible {
    package let path: String
    package let problem: String

    package var description: String { "\(path): \(problem)" }
}
