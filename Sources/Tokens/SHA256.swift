internal import CSignature

/// SHA-256 of bytes in memory, and its message authentication code.
package enum SHA256 {
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: Int(CSIGNATURE_SHA256_BYTES))
        guard csignature_sha256(bytes, bytes.count, &hash) else { preconditionFailure("there is no memory") }
        return hash
    }

    /// The HMAC of bytes, with a key of any length.
    ///
    /// - Source: RFC 2104.
    package static func authenticationCode(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        // HMAC itself fills a key up with zeros to 64 bytes, and `Key` takes none that are as short as some stores have.
        let filled = key + [UInt8](repeating: 0, count: max(0, 64 - key.count))
        guard let code = try? Key(secret: filled).signature(of: bytes) else {
            preconditionFailure("a key of \(key.count) bytes")
        }
        return code
    }
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits in lower case.
    package var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
