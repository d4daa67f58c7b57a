/// Decodes the escapes of strings that the scanner has accepted.
enum JSONText {
    static func decoded(_ node: JSONTape.Node, _ bytes: [UInt8]) -> [UInt8] {
        guard node.kind == .escapedString else { return Array(bytes[node.bytes]) }
        var text: [UInt8] = []
        text.reserveCapacity(node.bytes.count)
        var position = node.bytes.lowerBound
        while position < node.bytes.upperBound {
            guard bytes[position] == UInt8(ascii: "\\") else {
                text.append(bytes[position])
                position += 1
                continue
            }
            position += 1
            if bytes[position] == UInt8(ascii: "u") {
                appendCharacter(at: &position, of: bytes, to: &text)
            } else {
                text.append(character(bytes[position]))
                position += 1
            }
        }
        return text
    }

    /// Decodes from a `u` on. Half a surrogate pair becomes U+FFFD: the scanner has noted it.
    private static func appendCharacter(at position: inout Int, of bytes: [UInt8], to text: inout [UInt8]) {
        var scalar = codeUnit(at: &position, of: bytes)
        if (0xD800..<0xDC00).contains(scalar), position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        {
            var ahead = position + 1
            let low = codeUnit(at: &ahead, of: bytes)
            if (0xDC00..<0xE000).contains(low) {
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                position = ahead
            }
        }
        text.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    }

    private static func codeUnit(at position: inout Int, of bytes: [UInt8]) -> UInt32 {
        var unit: UInt32 = 0
        for byte in bytes[(position + 1)..<(position + 5)] { unit = unit << 4 | UInt32(hexadecimalDigit(byte) ?? 0) }
        position += 5
        return unit
    }

    private static func character(_ escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }
}
