package import ChatWire

/// The keys that tokens are checked with, and what the tokens must say. They can be read again while they are used.
package final class Keyring: Sendable {
    package let rules: TokenRules
    private let file: ReloadableFile<KeyFile>

    /// - Errors: those of ``KeyFile``.
    package init(_ source: KeySource, rules: TokenRules = TokenRules()) throws(KeyFileError) {
        self.rules = rules
        file = try ReloadableFile(path: source.path) { (_) throws(KeyFileError) in try KeyFile(source) }
    }

    /// Reads the file again; if that fails, the keys stay as they are.
    ///
    /// Whoever is let in by then stays in until their token ends.
    package func reload() throws(KeyFileError) {
        try file.reload()
    }

    /// How many keys there are.
    package var count: Int { file.latest.keys.count }

    /// What the file holds besides, and why it is no use.
    package var passedOver: [String] { file.latest.passedOver }

    /// Who shows this token.
    ///
    /// - Complexity: one signature for each key that may have made it.
    package func bearer(of token: String, at now: Milliseconds) throws(TokenError) -> Bearer {
        let token = try JSONWebToken(token)
        let candidates = try candidates(for: token)
        guard candidates.contains(where: { $0.verifies(token.signature, of: token.message) }) else {
            throw .wrongSignature
        }
        return try Claims(try token.claims()).bearer(under: rules, at: now)
    }

    /// The keys that the token may be by: those that its `kid` names, or all if it names none or keys have no names.
    ///
    /// The algorithm is the key's: a token only says which it means, and that must be the same.
    private func candidates(for token: JSONWebToken) throws(TokenError) -> [Key] {
        let keys = file.latest.keys
        let named = keys.filter { $0.isNamed(by: token) }
        guard !named.isEmpty else { throw .noKey("there is no key with this kid") }
        let fitting = named.filter { $0.algorithm.rawValue == token.algorithm }
        guard !fitting.isEmpty else {
            let possible = Set(named.map(\.algorithm.rawValue)).sorted().joined(separator: ", ")
            throw .noKey("header: alg is not what the key is for, must be \(possible)")
        }
        return fitting
    }
}

extension Key {
    /// Whether a token's `kid` may mean it.
    fileprivate func isNamed(by token: JSONWebToken) -> Bool {
        guard let id, let named = token.keyID else { return true }
        return id.hasBytes(of: named)
    }
}
