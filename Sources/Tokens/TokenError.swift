/// Why a token is not taken. For people to read; each says what would be right.
package enum TokenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Too long, or not three parts in base64url, of which the first two are JSON objects.
    case malformed(String)
    /// No key is for it.
    case noKey(String)
    /// No key made it.
    case wrongSignature
    /// What it says is not what is needed.
    case claim(String, String)
    case expired(seconds: Int)
    case notYet(seconds: Int)

    package var description: String {
        switch self {
        case .malformed(let problem): "token: \(problem)"
        case .noKey(let problem): "token: \(problem)"
        case .wrongSignature: "token: the signature is not that of this server's key"
        case .claim(let name, let problem): "token: claim \(name): \(problem)"
        case .expired(let seconds): "token: expired \(seconds) s ago: get a fresh one"
        case .notYet(let seconds): "token: holds only in \(seconds) s: compare the clocks"
        }
    }
}

/// Why a file with keys is not taken.
package struct KeyFileError: Error, Equatable, Sendable, CustomStringConvertible {
    package let path: String
    package let problem: String

    package var description: String { "\(path): \(problem)" }
}
