import ChatWire
import JSON

/// A token in its three parts, before its signature is checked.
///
/// - Source: RFC 7519, RFC 7515 (compact serialization), RFC 8725.
struct JSONWebToken {
    let algorithm: String
    let keyID: String?
    /// The signed bytes.
    let message: [UInt8]
    let signature: [UInt8]
    private let payload: [UInt8]

    init(_ text: String) throws(TokenError) {
        guard text.utf8.count <= TokenRules.longest else {
            throw .malformed(
                "has \(text.utf8.count) bytes, may have at most \(TokenRules.longest): give it fewer grants")
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw .malformed(
                "is no JSON Web Token, which has three parts with dots between, as eyJ….eyJ….AbC…: was it copied whole?"
            )
        }
        let header = try Self.object(Self.bytes(parts[0], "header"), "header")
        payload = try Self.bytes(parts[1], "claims")
        signature = try Self.bytes(parts[2], "signature")
        message = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        guard let algorithm = header["alg"]?.string else {
            throw .malformed("its header does not say how it is signed: alg is missing")
        }
        self.algorithm = algorithm
        keyID = header["kid"]?.string
        guard header["crit"] == nil else {
            throw .malformed("its header requires extensions (crit) that this server does not support")
        }
        if let type = header["typ"]?.string?.lowercased(), !["jwt", "at+jwt"].contains(type) {
            throw .malformed("is of another kind: typ in its header must be JWT")
        }
    }

    /// - Precondition: the signature is valid. Unsigned claims are not even parsed.
    func claims() throws(TokenError) -> JSONValue {
        try Self.object(payload, "claims")
    }

    private static func bytes(_ part: Substring.UTF8View, _ name: String) throws(TokenError) -> [UInt8] {
        guard let bytes = Base64URL.decoded(part) else {
            throw .malformed("its \(name) is not in base64url without padding: was it copied whole?")
        }
        return bytes
    }

    private static func object(_ bytes: [UInt8], _ name: String) throws(TokenError) -> JSONValue {
        guard let tape = try? JSONTape(bytes), tape.root.kind == .object else {
            throw .malformed("its \(name), decoded, must be a JSON object")
        }
        if let fault = tape.fault { throw .malformed("its \(name): \(fault)") }
        return tape.root
    }
}
