/// Appends JSON to bytes: no white space, members in the order in which they are written.
///
/// - Shape: where a comma is due shows in the last byte, so there is no other state.
/// - Complexity: O(bytes written).
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func object(_ key: String? = nil, _ members: (inout JSONWriter) -> Void) {
        begin(key)
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    package mutating func array<Element>(
        _ key: String? = nil, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        for element in elements { write(&self, element) }
        bytes.append(UInt8(ascii: "]"))
    }

    package mutating func string(_ key: String? = nil, _ text: String) {
        begin(key)
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func id(_ key: String? = nil, _ id: UniqueID) {
        begin(key)
        bytes.append(UInt8(ascii: "\""))
        id.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func number(_ key: String? = nil, _ number: UInt64) {
        begin(key)
        appendDigits(number)
    }

    package mutating func number(_ key: String? = nil, _ number: some SignedInteger & FixedWidthInteger) {
        begin(key)
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        appendDigits(UInt64(number.magnitude))
    }

    package mutating func boolean(_ key: String? = nil, _ value: Bool) {
        begin(key)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Appends JSON that is written already.
    mutating func append(_ written: some Sequence<UInt8>) {
        bytes.append(contentsOf: written)
    }

    /// Writes the comma that is due, and the key.
    private mutating func begin(_ key: String?) {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["): break
        default: bytes.append(UInt8(ascii: ","))
        }
        guard let key else { return }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: key.utf8)  // ours: nothing in it wants an escape
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func appendDigits(_ number: UInt64) {
        var width = 1
        var rest = number
        while rest >= 10 {
            rest /= 10
            width += 1
        }
        let start = bytes.count
        for _ in 0..<width { bytes.append(0) }
        rest = number
        for place in stride(from: start + width - 1, through: start, by: -1) {
            bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Text mostly has nothing to escape, so it is appended first and looked at afterwards.
    ///
    /// JSON does not ask for an escape of the control characters from 0x7F on; a terminal obeys some of them.
    private mutating func appendEscaped(_ text: String) {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        var end = start
        while end < bytes.count, !Self.wantsEscape(bytes[end]) { end += 1 }
        guard end < bytes.count else { return }
        bytes.removeLast(bytes.count - end)
        var lead: UInt8 = 0
        for byte in text.utf8.dropFirst(end - start) {
            if lead == 0xC2, byte < 0xA0 {
                bytes.removeLast()
                appendEscape(byte)
            } else if byte != 0xC2, Self.wantsEscape(byte) {
                appendEscape(byte)
            } else {
                bytes.append(byte)
            }
            lead = byte
        }
    }

    /// Also whether an escape may be due with the byte that follows: after 0xC2, those below 0xA0 are control characters.
    private static func wantsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F || byte == 0xC2
    }

    private mutating func appendEscape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(hexadecimalCharacter(byte >> 4))
            bytes.append(hexadecimalCharacter(byte & 0xF))
        }
    }
}
