extension String {
    /// The text with all of its bytes but letters, digits and `-._~` percent-encoded.
    ///
    /// - Source: RFC 3986, section 2.3.
    package var percentEncoded: String { utf8.reduce(into: "") { $0.appendEncoded($1) } }

    /// The same, but a path's slashes stay.
    var percentEncodedPath: String {
        utf8.reduce(into: "") { text, byte in
            if byte == UInt8(ascii: "/") { text += "/" } else { text.appendEncoded(byte) }
        }
    }

    private mutating func appendEncoded(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            unicodeScalars.append(Unicode.Scalar(byte))
        default: self += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }

    /// The text of which this is the encoded form; `nil` for an escape that is none, and for other than UTF-8.
    var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.first != UInt8(ascii: "+"), rest.first != UInt8(ascii: "-")
            else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
