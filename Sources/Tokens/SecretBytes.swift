/// Checks for contents that are probably no secret, such as a public key, or an error page that was downloaded instead.
enum SecretBytes {
    /// Returns the reason for which bytes are probably not a secret; `nil` if there is none.
    static func fault(in bytes: [UInt8]) -> KeyFault? {
        if bytes.contains(beginning: "-----BEGIN ") {
            return .field("secret", "is PEM: name it with --keys")
        }
        if isDER(bytes) { return .field("secret", "looks like a key in DER: name it with --keys, in PEM") }
        guard let text = String(validating: bytes, as: UTF8.self), isText(text) else { return nil }
        // Some tools would count the line end and others not, and the tokens would be refused without a visible reason.
        if bytes.last == 0x0A {
            return .field("secret", "ends with a line break: make it without one, as openssl rand -out FILE 32 does")
        }
        let known = text.unicodeScalars.drop { $0 == "\u{FEFF}" || $0.properties.isWhitespace }
        for (beginning, form) in forms where known.starts(with: beginning.unicodeScalars) {
            return .field("secret", "looks like \(form): make one by openssl rand -out FILE 32")
        }
        return nil
    }

    private static let forms = [
        ("{", "JSON"), ("[", "JSON"), ("<", "HTML or XML"), ("ssh-", "a key of SSH"), ("ecdsa-", "a key of SSH"),
        ("PuTTY-", "a key of PuTTY"), ("eyJ", "a token"), ("whsec_", "a secret of webhooks"), ("%PDF", "a document"),
        ("#", "a text with comments"),
    ]

    /// Returns whether the text is as people and programs write it. Random bytes almost never are.
    private static func isText(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar.value != 0x7F || [0x09, 0x0A, 0x0D].contains(scalar.value)
        }
    }

    /// Returns whether the bytes are a SEQUENCE that is as long as the file, as every key in DER is.
    private static func isDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4, bytes[0] == 0x30 else { return false }
        switch bytes[1] {
        case 0..<0x80: return bytes.count == 2 + Int(bytes[1])
        case 0x81: return bytes.count == 3 + Int(bytes[2])
        case 0x82: return bytes.count == 4 + Int(bytes[2]) << 8 + Int(bytes[3])
        default: return false
        }
    }
}

extension [UInt8] {
    fileprivate func contains(beginning text: String) -> Bool {
        let wanted = Array(text.utf8)
        return indices.contains { self[$0...].starts(with: wanted) }
    }
}
