/// A file of the page, as the plugin BundlePage makes it from the folder Web and builds it into the program.
struct BundledFile: Sendable {
    /// Where the page looks for it. `/?pictures` is the document of a page that may load pictures.
    let path: String
    let contentType: String
    /// A hash of the bytes.
    let tag: String
    /// Whether the path depends on the content, so that the file at a path never changes.
    let isImmutable: Bool
    /// The bytes in base64.
    let bytes: StaticString
    /// The same bytes compressed by gzip, in base64; empty if that makes them no smaller.
    let packed: StaticString
}

extension [UInt8] {
    /// Decodes base64 of whole bytes.
    init(base64 text: StaticString) {
        self = []
        reserveCapacity(text.utf8CodeUnitCount / 4 * 3)
        var (bits, count) = (UInt32(0), 0)
        text.withUTF8Buffer { characters in
            for character in characters where character != UInt8(ascii: "=") {
                bits = bits << 6 | UInt32(Self.digit(character))
                count += 6
                guard count >= 8 else { continue }
                count -= 8
                append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
    }

    private static func digit(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character + 4
        case UInt8(ascii: "+"): 62
        default: 63
        }
    }
}
