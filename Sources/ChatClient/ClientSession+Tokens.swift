import ChatWire

/// The reason why there is no token, for people to read.
///
/// ```swift
/// let client = try ChatClient(url: "wss://chat.example") {
///     guard let token = await fetch() else { throw TokenUnavailable("log in first") }
///     return token
/// }
/// ```
public struct TokenUnavailable: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

extension ClientSession {
    /// Sends `hello`, or asks for a token to send it with.
    mutating func sendHello() {
        guard let credential else { return effects.append(.wantToken) }
        _ = request(.hello(credential), .hello)
    }

    mutating func tokenCame(_ result: Result<String, TokenUnavailable>) {
        switch (phase, result) {
        case (.idle, _), (.connecting, _), (.waiting, _), (.ended, _): break
        case (.greeting, .success(let token)):
            if !awaited.values.contains(.hello) { _ = request(.hello(.token(token)), .hello) }
        case (.greeting, .failure(let why)): disconnect(.failed("no token: \(why)"), code: CloseCode.normal)
        // A repeat of the old token does no harm: the server warns again while there is time.
        case (.ready, .success(let token)): _ = request(.token(token), .token)
        case (.ready, .failure(let why)): notify(.noFreshToken("\(why)"))
        }
    }

    /// Handles the server's warning that the token ends soon.
    mutating func tokenExpires() {
        if credential == nil {
            effects.append(.wantToken)
        } else {
            notify(.noFreshToken("this one was given once and for all"))
        }
    }
}
