extension JSONScanner {
    /// Reads a string from its opening quote.
    mutating func string() throws(JSONError) {
        position += 1
        let start = position
        var kind = JSONTape.Kind.string
        while true {
            switch current {
            case UInt8(ascii: "\""):
                append(kind, start..<position)
                position += 1
                return
            case UInt8(ascii: "\\"):
                kind = .escapedString
                try escape()
            case 0x20..<0x80: position += 1
            case 0x80...: try multibyte()
            default: throw unexpected(position < bytes.count ? "written as an escape" : "the closing '\"'")
            }
        }
    }

    private mutating func escape() throws(JSONError) {
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"): try surrogates()
        default: throw unexpected("one of \" \\ / b f n r t u after '\\'")
        }
    }

    /// Reads from the `u` of an escape, or of two escapes that form one character.
    private mutating func surrogates() throws(JSONError) {
        let unit = try codeUnit()
        switch unit {
        case 0xD800..<0xDC00:
            guard current == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u")
            else { return noteHalf(unit) }
            let back = position
            position += 1
            if !(0xDC00..<0xE000).contains(try codeUnit()) {
                noteHalf(unit)
                position = back  // the second may begin a pair of its own
            }
        case 0xDC00..<0xE000: noteHalf(unit)
        default: break
        }
    }

    private mutating func noteHalf(_ unit: UInt32) {
        note("\\u\(String(unit, radix: 16)) is half a surrogate pair, which is no character")
    }

    /// Reads `uXXXX`.
    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        position += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = hexadecimalDigit(current) else { throw unexpected("a hexadecimal digit") }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    /// Reads one character of 2 to 4 bytes.
    ///
    /// - Source: Unicode 16, table 3-7, "Well-Formed UTF-8 Byte Sequences".
    private mutating func multibyte() throws(JSONError) {
        var second: ClosedRange<UInt8> = 0x80...0xBF
        let more: Int
        switch current {
        case 0xC2...0xDF: more = 1
        case 0xE0: (more, second) = (2, 0xA0...0xBF)
        case 0xED: (more, second) = (2, 0x80...0x9F)
        case 0xE1...0xEF: more = 2
        case 0xF0: (more, second) = (3, 0x90...0xBF)
        case 0xF4: (more, second) = (3, 0x80...0x8F)
        case 0xF1...0xF3: more = 3
        default: throw unexpected("UTF-8")
        }
        position += 1
        guard second.contains(current) else { throw unexpected("UTF-8") }
        position += 1
        for _ in 1..<more {
            guard (0x80...0xBF).contains(current) else { throw unexpected("UTF-8") }
            position += 1
        }
    }
}
