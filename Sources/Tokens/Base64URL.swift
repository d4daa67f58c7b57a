import FoundationEssentials

/// Base64 with `-` and `_` and without padding, as in JSON Web Tokens.
enum Base64URL {
    /// Returns the bytes; `nil` unless `text` is the one canonical way to write them.
    static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        let text = Array(text)
        let standard = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): UInt8(ascii: "!")
            default: byte
            }
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(standard + padding)) else { return nil }
        let bytes = [UInt8](data)
        return encoded(bytes) == text ? bytes : nil
    }

    static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        Data(bytes).base64EncodedData().compactMap { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
    }
}
