package import ChatWire

/// The claims that a token must have besides its subject.
package struct TokenRules: Equatable, Sendable {
    /// The required `iss`; `nil` to require none.
    package var issuer: String?
    /// The required `aud`, alone or among several. With `nil`, a token that names an audience is refused.
    package var audience: String?
    /// The largest difference allowed between the clocks of the token's maker and this server.
    package var leeway: Milliseconds = 60_000
    /// The longest token, in bytes.
    package static let longest = 8_192

    package init() {}
}
