import ChatRoom
import ChatWire
package import Tokens

/// Decides which clients are let in, and as whom.
package struct Authenticator: Sendable {
    /// `nil` on a server without keys.
    private let keyring: Keyring?

    package init(_ keyring: Keyring? = nil) {
        self.keyring = keyring
    }

    /// Returns the bearer of a client that says hello.
    ///
    /// - Parameter authorization: the handshake's header of this name, for who brings nothing else.
    func authenticate(
        _ credential: ClientFrame.Credential, _ authorization: String?, at now: Milliseconds
    ) throws(WireError) -> Bearer {
        switch (credential, keyring) {
        case (.user(let user), nil): return .unproved(user)
        case (.user, .some): throw .tokenWanted
        case (.token, nil): throw .noKeys
        case (.token(let token), let keyring?): return try Self.bearer(of: token, keyring, at: now)
        case (.handshake, nil): throw .userWanted
        case (.handshake, let keyring?): return try Self.bearer(of: Self.token(in: authorization), keyring, at: now)
        }
    }

    /// Returns the bearer of a request by HTTP; `nil` on a server without keys.
    func bearer(_ authorization: String?, at now: Milliseconds) throws(WireError) -> Bearer? {
        guard let keyring else { return nil }
        return try Self.bearer(of: Self.token(in: authorization), keyring, at: now)
    }

    private static func bearer(
        of token: String, _ keyring: Keyring, at now: Milliseconds
    ) throws(WireError) -> Bearer {
        do throws(TokenError) {
            return try keyring.bearer(of: token, at: now)
        } catch {
            throw WireError(error)
        }
    }

    /// - Source: RFC 6750, section 2.1.
    private static func token(in authorization: String?) throws(WireError) -> String {
        guard let authorization else { throw .tokenWanted }
        let words = authorization.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            throw WireError(.tokenInvalid, "Authorization: must be 'Bearer TOKEN'")
        }
        return String(words[1])
    }
}

extension WireError {
    fileprivate init(_ error: TokenError) {
        switch error {
        case .malformed, .noKey, .wrongSignature, .claim: self.init(.tokenInvalid, error.description)
        case .expired: self.init(.tokenExpired, error.description)
        case .notYet: self.init(.tokenEarly, error.description)
        }
    }

    static let tokenWanted = WireError(
        .tokenMissing, "this server wants a token: in hello, or as 'Authorization: Bearer TOKEN'")
    static let userWanted = WireError(
        .missing, "say who you are: `user` must be a name, or `token` a token", field: "user")
    static let noKeys = WireError(.noKeys, "this server has no keys to check a token with: say hello with user")
}
