import ChatWire

/// Why there is no token to be shown, for people to read.
public struct TokenUnavailable: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

extension ClientSession {
    /// Says hello, or finds a token to say it with.
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
        // The same one again does no harm: while there is time, the server warns of it again.
        case (.ready, .success(let token)): _ = ask(.token(token), .token)
        case (.ready, .failure(let why)): notice(.noFreshToken("\(why)"))
        }
    }

    /// The token ends soon.
    mutating func tokenExpires() {
        if credential == nil {
            effects.append(.wantToken)
        } else {
            notice(.noFreshToken("this one was given once and for all"))
        }
    }
}
