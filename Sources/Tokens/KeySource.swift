/// A file of keys, and its kind.
///
/// The operator names the kind; it is never guessed. Otherwise a file of the wrong kind, which others may know, could
/// pass for a secret.
package enum KeySource: Equatable, Sendable {
    /// PEM, one block or several, or a JSON Web Key Set (RFC 7517).
    case keys(path: String)
    /// A secret for HS256, byte for byte.
    case secret(path: String)

    /// `nil` if neither is named.
    ///
    /// - Precondition: at most one is named.
    package init?(keys: String?, secret: String?) {
        precondition(keys == nil || secret == nil, "keys and a secret")
        if let keys {
            self = .keys(path: keys)
        } else if let secret {
            self = .secret(path: secret)
        } else {
            return nil
        }
    }

    package var path: String {
        switch self {
        case .keys(let path), .secret(let path): path
        }
    }
}
