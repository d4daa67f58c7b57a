package import ChatWire

/// What a token must say beside who its bearer is.
package struct TokenRules: Equatable, Sendable {
    /// Must be the token's `iss`; `nil` to ask for none.
    package var issuer: String?
    /// Must be the token's `aud`, or among several. A token for others is not for a server that has none.
    package var audience: String?
    /// How far the clocks of who makes and who checks tokens may be apart.
    package var leeway: Milliseconds = 60_000
    /// In bytes.
    package static let longest = 8_192

    package init() {}
}
