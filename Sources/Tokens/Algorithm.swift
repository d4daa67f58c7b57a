internal import CSignature

/// A signature algorithm. Each key has one, and accepts no token that names another.
package enum Algorithm: String, Sendable, CaseIterable {
    /// HMAC with SHA-256. A key that can check tokens can also make them.
    case hs256 = "HS256"
    /// RSA with SHA-256, PKCS #1 v1.5.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"

    init(_ raw: csignature_algorithm) {
        switch raw {
        case CSIGNATURE_HS256: self = .hs256
        case CSIGNATURE_RS256: self = .rs256
        case CSIGNATURE_ES256: self = .es256
        case CSIGNATURE_EDDSA: self = .edDSA
        default: preconditionFailure("a key without an algorithm: \(raw)")
        }
    }
}
