internal import CSignature

/// One key with its one algorithm.
package final class Key: @unchecked Sendable {
    // @unchecked: `raw` never changes, its functions take calls from any thread, and only `deinit` frees it.
    private let raw: OpaquePointer
    package let algorithm: Algorithm
    /// The key's name, which a token's `kid` refers to; `nil` if its file gives it none.
    package let id: String?
    /// True when the key can also sign.
    package let isPrivate: Bool

    /// - Parameter make: a function of CSignature that returns a key, or sets the status that says why there is none.
    private init(id: String?, _ make: (inout csignature_status) -> OpaquePointer?) throws(KeyFault) {
        var status = CSIGNATURE_OK
        guard let raw = make(&status) else { throw KeyFault(status) }
        self.raw = raw
        self.id = id
        algorithm = Algorithm(csignature_key_algorithm(raw))
        isPrivate = csignature_key_is_private(raw)
    }

    deinit {
        csignature_key_free(raw)
    }

    /// Returns whether `signature` is this key's for `message`.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        csignature_verify(raw, message, message.count, signature, signature.count)
    }

    /// Returns this key's signature of `message`; `nil` for a key that cannot sign.
    func signature(of message: [UInt8]) -> [UInt8]? {
        var signature = [UInt8](repeating: 0, count: Int(CSIGNATURE_BYTES))
        let count = csignature_sign(raw, message, message.count, &signature)
        return count == 0 ? nil : Array(signature.prefix(count))
    }
}

extension Key {
    /// Reads one block of PEM: a public key, or a private one without a password.
    convenience init(pem: [UInt8]) throws(KeyFault) {
        try self.init(id: nil) { csignature_key_from_pem(pem, pem.count, &$0) }
    }

    /// The shortest secret in bytes: the length of its hash.
    static let leastSecret = 32

    convenience init(secret: [UInt8], id: String? = nil) throws(KeyFault) {
        guard secret.count >= Self.leastSecret else { throw .weak("\(secret.count) bytes", "\(Self.leastSecret)") }
        try self.init(id: id) { csignature_key_from_secret(secret, secret.count, &$0) }
    }

    /// Both numbers are big-endian.
    convenience init(rsa modulus: [UInt8], exponent: [UInt8], id: String?) throws(KeyFault) {
        try self.init(id: id) { csignature_key_from_rsa(modulus, modulus.count, exponent, exponent.count, &$0) }
    }

    /// - Parameter point: 4, then x and y, 32 bytes each.
    convenience init(p256 point: [UInt8], id: String?) throws(KeyFault) {
        try self.init(id: id) { csignature_key_from_p256(point, point.count, &$0) }
    }

    convenience init(ed25519 bytes: [UInt8], id: String?) throws(KeyFault) {
        try self.init(id: id) { csignature_key_from_ed25519(bytes, bytes.count, &$0) }
    }
}

/// The reason why bytes are not a key.
enum KeyFault: Error, Equatable, CustomStringConvertible {
    case notAKey
    /// Neither PEM nor a key set; the text says why it is not a key set.
    case noKeys(String)
    case unsupported
    case weak(String, String)
    /// A faulty part of a key in a JWKS file.
    case field(String, String)

    init(_ status: csignature_status) {
        self =
            switch status {
            case CSIGNATURE_UNSUPPORTED: .unsupported
            case CSIGNATURE_WEAK: .weak("RSA below 2048 bits", "2048 bits")
            default: .notAKey
            }
    }

    var description: String {
        switch self {
        case .notAKey: "is no public key, and no private key without a password"
        case .noKeys(let problem):
            "is neither PEM nor a JSON Web Key Set (\(problem)); a secret for HS256 is named with --secret"
        case .unsupported: "is a key of another kind: there are RSA, P-256 and Ed25519"
        case .weak(let found, let least): "is too weak: \(found), must be at least \(least)"
        case .field(let name, let problem): "\(name): \(problem)"
        }
    }
}
