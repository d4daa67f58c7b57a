package import ChatWire

/// The keys and rules by which tokens are checked. The keys can be reloaded while they are in use.
package final class Keyring: Sendable {
    package let rules: TokenRules
    private let file: ReloadableFile<KeyFile>

    /// - Errors: those of ``KeyFile``.
    package init(_ source: KeySource, rules: TokenRules = TokenRules()) throws(KeyFileError) {
        self.rules = rules
        file = try ReloadableFile(path: source.path) { (_) throws(KeyFileError) in try KeyFile(source) }
    }

    /// Reads the file again. If that fails, the keys stay as they are.
    ///
    /// Connections that were admitted before stay until their tokens end.
    package func reload() throws(KeyFileError) {
        try file.reload()
    }

    /// The number of keys.
    package var count: Int { file.latest.keys.count }

    /// The other contents of the file, with the reason why they are not used.
    package var passedOver: [String] { file.latest.passedOver }

    /// Checks a token, and returns its bearer.
    ///
    /// - Complexity: one signature check for each candidate key.
    package func bearer(of token: String, at now: Milliseconds) throws(TokenError) -> Bearer {
        let token = try JSONWebToken(token)
        let candidates = try candidates(for: token)
        guard candidates.contains(where: { $0.verifies(token.signature, of: token.message) }) else {
            throw .wrongSignature
        }
        let claims = try token.claims()
        return try Claims(claims).bearer(under: rules, at: now, profile: ClaimedProfile(claims, at: now))
    }

    /// Returns the keys that may have signed the token: those that its `kid` names, or all if it names none or keys
    /// have no names.
    ///
    /// The key determines the algorithm. The token names one too, and it must be the same.
    private func candidates(for token: JSONWebToken) throws(TokenError) -> [Key] {
        let keys = file.latest.keys
        let named = keys.filter { $0.isNamed(by: token) }
        guard !named.isEmpty else { throw .noKey("names a key (kid in its header) that this server does not have") }
        let fitting = named.filter { $0.algorithm.rawValue == token.algorithm }
        guard !fitting.isEmpty else {
            let possible = Set(named.map(\.algorithm.rawValue)).sorted().joined(separator: ", ")
            throw .noKey("is signed in another way (alg in its header) than this server's keys: must be \(possible)")
        }
        return fitting
    }
}

extension Key {
    /// Returns whether a token's `kid` may mean this key.
    fileprivate func isNamed(by token: JSONWebToken) -> Bool {
        guard let id, let named = token.keyID else { return true }
        return id.hasBytes(of: named)
    }
}
