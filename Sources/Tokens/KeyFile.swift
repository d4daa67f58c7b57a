import ChatWire
import JSON

/// The keys of one file.
///
/// A file that is incomplete, or not what it was said to be, is refused as a whole.
package struct KeyFile: Sendable {
    /// At least one.
    package let keys: [Key]
    /// The other contents of the file, with the reason why they are not used.
    package let passedOver: [String]
    private let path: String

    /// - Errors: the fault of the file, and its remedy.
    package init(_ source: KeySource) throws(KeyFileError) {
        path = source.path
        let bytes = try readBytes(of: path)
        do throws(KeyFault) {
            switch source {
            case .keys: (keys, passedOver) = try Self.keys(bytes)
            case .secret: (keys, passedOver) = ([try Self.secret(bytes)], [])
            }
        } catch {
            throw KeyFileError(path: path, problem: error.description)
        }
        if keys.isEmpty {
            let why = passedOver.isEmpty ? "" : " (\(passedOver.joined(separator: "; ")))"
            throw KeyFileError(path: path, problem: "holds no key that can be used\(why)")
        }
    }

    /// Returns the first key that can sign.
    package func signingKey() throws(KeyFileError) -> Key {
        guard let key = keys.first(where: \.isPrivate) else {
            throw KeyFileError(path: path, problem: "holds only public keys: making a token needs the private key")
        }
        return key
    }

    private static func keys(_ bytes: [UInt8]) throws(KeyFault) -> ([Key], [String]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .noKeys("no text") }
        guard text.unicodeScalars.first != "\u{FEFF}" else { throw .noKeys("begins with a byte order mark") }
        if text.contains("-----BEGIN ") { return (try pem(text), []) }
        let tape: JSONTape
        do {
            tape = try JSONTape(bytes)
        } catch {
            throw .noKeys("not JSON: \(error.message), at byte \(error.offset)")
        }
        return try set(tape)
    }

    private static func secret(_ bytes: [UInt8]) throws(KeyFault) -> Key {
        if let fault = SecretBytes.fault(in: bytes) { throw fault }
        return try Key(secret: bytes)
    }

    /// `openssl ecparam` writes a curve's name in front of the key.
    private static func pem(_ text: String) throws(KeyFault) -> [Key] {
        var keys: [Key] = []
        for block in text.split(separator: "-----BEGIN ").dropFirst(text.hasPrefix("-----BEGIN ") ? 0 : 1)
        where !block.hasPrefix("EC PARAMETERS") {
            keys.append(try Key(pem: Array(("-----BEGIN " + block).utf8)))
        }
        return keys
    }
}

// MARK: - JSON Web Key Sets

extension KeyFile {
    /// Reads a key set. The sets of identity providers contain keys of other kinds too, which are skipped.
    private static func set(_ tape: JSONTape) throws(KeyFault) -> ([Key], [String]) {
        if let fault = tape.fault { throw .field("JSON", fault) }
        guard let elements = tape.root["keys"]?.elements else {
            throw .field("keys", "must be an array of keys, as in a JSON Web Key Set")
        }
        var keys: [Key] = []
        var passedOver: [String] = []
        for (index, json) in elements.enumerated() {
            do throws(KeyFault) {
                keys.append(try key(json))
            } catch {
                let name = json["kid"]?.string.map { "'\($0)'" } ?? "\(index)"
                passedOver.append("key \(name): \(error)")
            }
        }
        return (keys, passedOver)
    }

    private static func key(_ json: JSONValue) throws(KeyFault) -> Key {
        if let use = json["use"]?.string, use != "sig" { throw .field("use", "is '\(use)', must be sig") }
        if let operations = json["key_ops"]?.elements, !operations.contains(where: { $0.string == "verify" }) {
            throw .field("key_ops", "has no verify")
        }
        let key = try material(json)
        if let named = json["alg"]?.string, named != key.algorithm.rawValue {
            throw .field("alg", "is '\(named)', and this kind of key is for \(key.algorithm.rawValue)")
        }
        return key
    }

    private static func material(_ json: JSONValue) throws(KeyFault) -> Key {
        let id = json["kid"]?.string
        switch (json["kty"]?.string, json["crv"]?.string) {
        case ("oct", _): return try Key(secret: bytes("k", json), id: id)
        case ("RSA", _): return try Key(rsa: bytes("n", json), exponent: bytes("e", json), id: id)
        case ("EC", "P-256"): return try Key(p256: [4] + bytes("x", json) + bytes("y", json), id: id)
        case ("OKP", "Ed25519"): return try Key(ed25519: bytes("x", json), id: id)
        case _: throw .unsupported
        }
    }

    private static func bytes(_ name: String, _ json: JSONValue) throws(KeyFault) -> [UInt8] {
        guard let text = json[name]?.string, let bytes = Base64URL.decoded(text.utf8), !bytes.isEmpty else {
            throw .field(name, "must be base64url without padding")
        }
        return bytes
    }
}
