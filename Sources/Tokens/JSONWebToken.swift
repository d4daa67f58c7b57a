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
            throw .malformed("\(text.utf8.count) bytes, must be at most \(TokenRules.longest)")
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw .malformed("\(parts.count) parts between dots, must be 3: header, claims, signature")
        }
        let header = try Self.object(Self.bytes(parts[0], "header"), "header")
        payload = try Self.bytes(parts[1], "claims")
        signature = try Self.bytes(parts[2], "signature")
        message = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        guard let algorithm = header["alg"]?.string else { throw .malformed("header: alg is missing") }
        self.algorithm = algorithm
        keyID = header["kid"]?.string
        guard header["crit"] == nil else { throw .malformed("header: crit asks for what is not known here") }
        if let type = header["typ"]?.string?.lowercased(), !["jwt", "at+jwt"].contains(type) {
            throw .malformed("header: typ says that it is something else, must be JWT")
        }
    }

    /// - Precondition: the signature is valid. Unsigned claims are not even parsed.
    func claims() throws(TokenError) -> JSONValue {
        try Self.object(payload, "claims")
    }

    private static func bytes(_ part: Substring.UTF8View, _ name: String) throws(TokenError) -> [UInt8] {
        guard let bytes = Base64URL.decoded(part) else { throw .malformed("\(name): no base64url without padding") }
        return bytes
    }

    private static func object(_ bytes: [UInt8], _ name: String) throws(TokenError) -> JSONValue {
        guard let tape = try? JSONTape(bytes), tape.root.kind == .object else {
            throw .malformed("\(name): no JSON object")
        }
        if let fault = tape.fault { throw .malformed("\(name): \(fault)") }
        return tape.root
    }
}
