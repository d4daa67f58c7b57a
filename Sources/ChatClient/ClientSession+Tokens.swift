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
    mutating func sayHello() {
        guard let credential else { return effects.append(.wantToken) }
        _ = ask(.hello(credential), .hello)
    }

    mutating func tokenCame(_ result: Result<String, TokenUnavailable>) {
        switch (phase, result) {
        case (.idle, _), (.connecting, _), (.waiting, _), (.ended, _): break
        case (.greeting, .success(let token)):
            if !awaited.values.contains(.hello) { _ = ask(.hello(.token(token)), .hello) }
        case (.greeting, .failure(let why)): giveUp(.failed("no token: \(why)"), code: CloseCode.normal)
        // A repeat of the old token does no harm: the server warns again while there is time.
        case (.ready, .success(let token)): _ = ask(.token(token), .token)
        case (.ready, .failure(let why)): notice(.noFreshToken("\(why)"))
        }
    }

    /// Handles the server's warning that the token ends soon.
    mutating func tokenExpires() {
        if credential == nil {
            effects.append(.wantToken)
        } else {
            notice(.noFreshToken("this one was given once and for all"))
        }
    }
}
